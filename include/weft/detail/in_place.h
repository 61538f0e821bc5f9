/* What code inlined into programs says of a jump to the library that stands in place of a call, on x86-64. Without
 * WEFT_HAS_IN_PLACE there is none: a call does the same. */
#ifndef WEFT_DETAIL_IN_PLACE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_DETAIL_IN_PLACE_H

#if defined(__x86_64__) && defined(__LP64__) && !defined(__APX_F__)
#define WEFT_HAS_IN_PLACE 1

#if defined(__AVX512F__)
#define WEFT_LOST_VECTORS                                                                                                       \
  "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", \
      "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
#else
#define WEFT_LOST_VECTORS
#endif
/* What a call loses, but rax and what passes its first three arguments. */
#define WEFT_LOST_BESIDE_ARGUMENTS                                                                                              \
  WEFT_LOST_VECTORS "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",    \
      "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", \
      "st(7)", "memory", "cc"
/* What a call loses, but rax and rdi. */
#define WEFT_LOST_BY_CALL WEFT_LOST_BESIDE_ARGUMENTS, "rsi", "rdx"
/* The address behind the jump in rax. */
#define WEFT_JUMP_AND_COME_BACK(entry) \
  "leaq 1f(%%rip), %%rax\n\t"          \
  "jmpq *" entry                       \
  "@GOTPCREL(%%rip)\n"                 \
  "1:"

#endif
#endif
