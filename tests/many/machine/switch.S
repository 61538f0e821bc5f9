# many_switch(save, stack_pointer, thread_pointer): leaves one context and goes on in another, whose
# thread-local storage is at thread_pointer.
# many_lend(save, flag): leaves a context, and the real OS thread that it was sleeps for ever.
        .macro  leave_context
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        .endm

        .text
        .globl  many_switch
        .type   many_switch, @function
many_switch:
        leave_context
        movq    %rsi, %rsp
        wrfsbase %rdx
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .size   many_switch, .-many_switch

        .globl  many_lend
        .type   many_lend, @function
many_lend:
        leave_context
        movl    $1, (%rsi)
1:      movl    $34, %eax               # pause
        syscall
        jmp     1b
        .size   many_lend, .-many_lend
        .section .note.GNU-stack, "", @progbits
