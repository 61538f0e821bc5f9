/* The first instructions of a fresh context: see arch/context.hpp. On arrival rax is the transfer,
   rbx the entry function and rbp its argument; the stack is aligned to 16. The return address is
   marked undefined: unwinders end here. */
    .text
    .globl  weft_context_entry
    .hidden weft_context_entry
    .globl  weft_context_end
    .hidden weft_context_end
    .type   weft_context_entry, @function
    .p2align 4
weft_context_entry:
    .cfi_startproc
    .cfi_undefined rip
    movq    %rax, %rdi
    movq    %rbp, %rsi
    xorl    %ebp, %ebp
    /* Not a call, which the processor would expect to return: a fiber that ends in one go leaves
       the processor's predictions in step. */
    leaq    1f(%rip), %rcx
    pushq   %rcx
    jmpq    *%rbx
1:
weft_context_end: /* where the frames that start_context begins seem to return to */
    ud2
    .cfi_endproc
    .size   weft_context_entry, . - weft_context_entry
    .section .note.GNU-stack, "", @progbits
