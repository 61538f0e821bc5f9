// A note in each program or library whose file includes this one: by it `weft launch` knows that an
// MPI may start the program on several nodes (tools/weft/elf_notes.hpp). Name "Weft", type 2, no
// content.
#pragma once

asm(R"(
  .pushsection .note.weft.frames, "a", %note
  .balign 4
  .long 5, 0, 2
  .asciz "Weft"
  .balign 4
  .popsection
)");
