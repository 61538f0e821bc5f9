/* Yields and parks in place of a call: include/weft/detail/{yield,park}_in_place.h jump here with the address to come back to in rax. A return would be
   mispredicted where the thread that yielded before stands at another place, since the processor expects a return to the place of the
   latest call; a jump is predicted by where this jump has gone before.

   The place of the jump may use the red zone, and its stack may be aligned to 8 alone. Everything but rax and rcx is as the called
   function leaves it, so that the code around the jump loses what a call would lose. The frame, lowest address first: rbp, the address
   to come back to, the red zone. */
    .text

    .macro in_place name, function
    .globl  \name
    .type   \name, @function
    .p2align 4
\name:
    .cfi_startproc
    .cfi_def_cfa rsp, 0
    .cfi_register rip, rax
    leaq    -128(%rsp), %rsp
    .cfi_adjust_cfa_offset 128
    pushq   %rax
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rip, 0
    pushq   %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    movq    %rsp, %rbp
    .cfi_def_cfa_register rbp
    andq    $-16, %rsp
    call    \function
    movq    %rbp, %rsp
    .cfi_def_cfa_register rsp
    popq    %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbp
    popq    %rcx
    .cfi_adjust_cfa_offset -8
    .cfi_register rip, rcx
    subq    $-128, %rsp
    .cfi_adjust_cfa_offset -128
    jmpq    *%rcx
    .cfi_endproc
    .size   \name, . - \name
    .endm

    in_place weft_yield_in_place, weft_yield_called
    in_place weft_yield_to_in_place, weft_yield_to_called
    in_place weft_park_in_place, weft_park_called
    .section .note.GNU-stack, "", @progbits
