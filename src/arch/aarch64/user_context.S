/* The switch between contexts that programs resume by themselves; life/user_context.hpp has the picture, arch/user_context.hpp the
   frame that it leaves, lowest address first: the record and padding, x19 to x28, x29, x30, d8 to d15. The handle of what is suspended
   is the record's address, and so the stack pointer.

   It ends in an indirect jump: a return to another stack would always be mispredicted. */
    .text

    .macro restore
    ldp     x19, x20, [sp, #48]
    ldp     x21, x22, [sp, #64]
    ldp     x23, x24, [sp, #80]
    ldp     x25, x26, [sp, #96]
    ldp     x27, x28, [sp, #112]
    ldp     x29, x30, [sp, #128]
    ldp     d8, d9, [sp, #144]
    ldp     d10, d11, [sp, #160]
    ldp     d12, d13, [sp, #176]
    ldp     d14, d15, [sp, #192]
    add     sp, sp, #208
    .endm

/* arrival weft_context_switch_plainly(user_context* to, void* pass): from in x0, passed in x1 */
    .globl  weft_context_switch_plainly
    .hidden weft_context_switch_plainly
    .type   weft_context_switch_plainly, %function
    .p2align 4
weft_context_switch_plainly:
    .cfi_startproc
    sub     sp, sp, #208
    .cfi_adjust_cfa_offset 208
    stp     x19, x20, [sp, #48]
    stp     x21, x22, [sp, #64]
    stp     x23, x24, [sp, #80]
    stp     x25, x26, [sp, #96]
    stp     x27, x28, [sp, #112]
    stp     x29, x30, [sp, #128]
    stp     d8, d9, [sp, #144]
    stp     d10, d11, [sp, #160]
    stp     d12, d13, [sp, #176]
    stp     d14, d15, [sp, #192]
    .cfi_rel_offset x19, 48
    .cfi_rel_offset x20, 56
    .cfi_rel_offset x21, 64
    .cfi_rel_offset x22, 72
    .cfi_rel_offset x23, 80
    .cfi_rel_offset x24, 88
    .cfi_rel_offset x25, 96
    .cfi_rel_offset x26, 104
    .cfi_rel_offset x27, 112
    .cfi_rel_offset x28, 120
    .cfi_rel_offset x29, 128
    .cfi_rel_offset x30, 136
    mov     x19, x0
    mov     x20, x1
    mov     x2, x1
    mov     x1, x0
    mov     x0, sp
    bl      weft_context_leave /* false: not that simple */
    tbz     w0, #0, 3f
    mov     x0, sp
    mov     sp, x19
0:  /* sp: the record of what goes on; x0: of what was left */
    ldr     x1, [x0, #16]
    ldrb    w9, [x0, #24]
    cbnz    w9, 2f
1:
    .cfi_remember_state
    restore
    .cfi_adjust_cfa_offset -208
    mov     x2, x1 /* for the function of a fresh context */
    mov     x16, x30
    br      x16
    .cfi_restore_state
2:
    bl      weft_context_free
    mov     x0, xzr
    mov     x1, xzr
    b       1b
3:
    mov     x0, x19
    mov     x1, x20
    restore
    .cfi_adjust_cfa_offset -208
    b       weft_context_switch_elaborately
    .cfi_endproc
    .size   weft_context_switch_plainly, . - weft_context_switch_plainly

/* void weft_context_leave_for_good(user_context* to, user_context* left): left->has_ended */
    .globl  weft_context_leave_for_good
    .hidden weft_context_leave_for_good
    .type   weft_context_leave_for_good, %function
    .p2align 4
weft_context_leave_for_good:
    .cfi_startproc
    .cfi_undefined x30
    mov     x9, x0
    mov     x0, x1
    mov     sp, x9
    b       0b
    .cfi_endproc
    .size   weft_context_leave_for_good, . - weft_context_leave_for_good
    .section .note.GNU-stack, "", %progbits
