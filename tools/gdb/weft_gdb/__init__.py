"""Weft's threads in gdb, in live processes and core files. From the bottom up:

  layout    the library's own table of where fields lie (weft/debug.h), and copies of structs read by it
  runtime   a snapshot: workers, threads (units), OS threads outside
  text      how all these are named
  frames    backtraces of suspended threads
  waits     who waits for whom
  ranks     the ranks of a job, and threads whose frames left the stack
  commands  what the user types

Everything is read afresh at each command, of the inferior that is selected: nothing is kept that could be out of date."""


def install():
    from . import commands, frames

    frames.install()
    commands.install()
