/* The switch between contexts that programs resume by themselves; life/user_context.hpp has the picture, arch/user_context.hpp the
   frame that it leaves, lowest address first: the record, r15, r14, r13, r12, rbx, rbp, the return address. The handle of what is
   suspended is the record's address, and so the stack pointer.

   It ends in an indirect jump: a return to another stack would always be mispredicted. What it calls returns, so that the processor
   expects the caller's own returns where they come. */
    .text

    .macro restore
    addq    $40, %rsp
    .cfi_adjust_cfa_offset -40
    popq    %r15
    .cfi_adjust_cfa_offset -8
    popq    %r14
    .cfi_adjust_cfa_offset -8
    popq    %r13
    .cfi_adjust_cfa_offset -8
    popq    %r12
    .cfi_adjust_cfa_offset -8
    popq    %rbx
    .cfi_adjust_cfa_offset -8
    popq    %rbp
    .cfi_adjust_cfa_offset -8
    .endm

/* arrival weft_context_switch_plainly(user_context* to, void* pass): from in rax, passed in rdx */
    .globl  weft_context_switch_plainly
    .hidden weft_context_switch_plainly
    .type   weft_context_switch_plainly, @function
    .p2align 4
weft_context_switch_plainly:
    .cfi_startproc
    pushq   %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    pushq   %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbx, 0
    pushq   %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r12, 0
    pushq   %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r13, 0
    pushq   %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r14, 0
    pushq   %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r15, 0
    subq    $40, %rsp
    .cfi_adjust_cfa_offset 40
    movq    %rdi, %rbx
    movq    %rsi, %rbp
    movq    %rsi, %rdx
    movq    %rdi, %rsi
    movq    %rsp, %rdi
    call    weft_context_leave /* false: not that simple */
    testb   %al, %al
    jz      3f
    movq    %rsp, %rax
    movq    %rbx, %rsp
0:  /* rsp: the record of what goes on; rax: of what was left */
    movq    16(%rax), %rdx
    cmpb    $0, 24(%rax)
    jne     2f
1:
    .cfi_remember_state
    restore
    popq    %rcx
    .cfi_adjust_cfa_offset -8
    .cfi_register rip, rcx
    jmpq    *%rcx
    .cfi_restore_state
2:
    movq    %rax, %rdi
    call    weft_context_free
    xorl    %eax, %eax
    xorl    %edx, %edx
    jmp     1b
3:
    movq    %rbx, %rdi
    movq    %rbp, %rsi
    restore
    jmp     weft_context_switch_elaborately
    .cfi_endproc
    .size   weft_context_switch_plainly, . - weft_context_switch_plainly

/* void weft_context_leave_for_good(user_context* to, user_context* left): left->has_ended */
    .globl  weft_context_leave_for_good
    .hidden weft_context_leave_for_good
    .type   weft_context_leave_for_good, @function
    .p2align 4
weft_context_leave_for_good:
    .cfi_startproc
    .cfi_undefined rip
    movq    %rsi, %rax
    movq    %rdi, %rsp
    jmp     0b
    .cfi_endproc
    .size   weft_context_leave_for_good, . - weft_context_leave_for_good
    .section .note.GNU-stack, "", @progbits
