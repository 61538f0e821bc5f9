/* The first instructions of a fresh context: see arch/context.hpp. On arrival x0 is the transfer, x19 the entry function and x29 its
   argument; the stack is aligned to 16. The return address is marked undefined: unwinders end here. */
    .text
    .globl  weft_context_entry
    .hidden weft_context_entry
    .type   weft_context_entry, %function
    .p2align 4
weft_context_entry:
    .cfi_startproc
    .cfi_undefined x30
    mov     x1, x29
    mov     x29, xzr
    mov     x30, xzr
    blr     x19
    brk     #1
    .cfi_endproc
    .size   weft_context_entry, . - weft_context_entry
    .section .note.GNU-stack, "", %progbits
