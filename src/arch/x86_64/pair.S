/* Turns of a body and the side that resumes it, in place of a call: include/weft/detail/pair.h jumps here with the record in rdi and the
   address to come back to in rax. The record and what it means: life/pair.hpp, and pair.cpp asserts the numbers below. What the record
   has remembered holds as long as the same unit comes on the same worker and stands where the side that is left stood last, and no
   exception is under way. Then nothing is left to do but the exchange. All else is done by a function.

   rbx and rbp are kept in the record, rdi is the same on both sides, and all else is kept by the code around the jump. Nothing is
   pushed: the place of the jump may use the red zone, which stays beneath the stack pointer that is kept. */
    .text

    .set    worker_current, 56
    .set    worker_standing, 64
    .set    worker_two_carried, 33480
    .set    unit_context, 40        /* its lowest bit: it has never parked */
    .set    unit_stack, 64

    .set    pair_body, 0
    .set    pair_resumer, 48
    .set    pair_worker, 96
    .set    pair_unit, 104

    .set    side_rbp, 8
    .set    side_rbx, 16
    .set    side_pc, 24
    .set    side_stack, 32

    .macro turn name, here, there, function
    .globl  \name
    .type   \name, @function
    .p2align 4
\name:
    .cfi_startproc
    .cfi_def_cfa rsp, 0
    .cfi_register rip, rax
    movq    weft_local_word@gottpoff(%rip), %rcx
    movq    %fs:(%rcx), %rcx
    cmpq    %rcx, pair_worker(%rdi) /* never null */
    jne     2f
    movq    worker_current(%rcx), %rdx
    cmpq    %rdx, pair_unit(%rdi)
    jne     2f
    movq    worker_standing(%rcx), %rsi
    cmpq    %rsi, \here+side_stack(%rdi)
    jne     2f
    movq    worker_two_carried(%rcx), %rsi
    movq    (%rsi), %r8
    orq     8(%rsi), %r8
    jnz     2f
    movq    \there+side_stack(%rdi), %rsi
    movq    %rsi, worker_standing(%rcx)
    testb   $1, unit_context(%rdx)
    jnz     1f
    movq    %rsi, unit_stack(%rdx)
1:
    movq    %rsp, \here(%rdi)
    movq    %rbp, \here+side_rbp(%rdi)
    movq    %rbx, \here+side_rbx(%rdi)
    movq    %rax, \here+side_pc(%rdi)
    movq    \there(%rdi), %rsp
    movq    $0, \there(%rdi)
    movq    \there+side_rbp(%rdi), %rbp
    movq    \there+side_rbx(%rdi), %rbx
    jmpq    *\there+side_pc(%rdi)
2:  /* as arch/x86_64/in_place.S calls */
    leaq    -128(%rsp), %rsp
    .cfi_adjust_cfa_offset 128
    pushq   %rax
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rip, 0
    pushq   %rdi
    .cfi_adjust_cfa_offset 8
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
    popq    %rdi
    .cfi_adjust_cfa_offset -8
    popq    %rcx
    .cfi_adjust_cfa_offset -8
    .cfi_register rip, rcx
    subq    $-128, %rsp
    .cfi_adjust_cfa_offset -128
    jmpq    *%rcx
    .cfi_endproc
    .size   \name, . - \name
    .endm

    turn weft_pair_resume_in_place, pair_resumer, pair_body, weft_pair_resume_called
    turn weft_pair_suspend_in_place, pair_body, pair_resumer, weft_pair_suspend_called
    .section .note.GNU-stack, "", @progbits
