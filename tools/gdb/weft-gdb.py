"""Weft's threads in gdb: `weft threads`, `weft bt`, `weft waits`, `weft select`; docs/guide/debugger.md has all about it.

gdb loads this by itself with libweft.so where its auto-load safe path allows it; otherwise `source` this file. It needs nothing but the
folder weft_gdb beside it."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(sys._getframe().f_code.co_filename)))  # __file__ may be another script's
import weft_gdb

sys.path.pop(0)
weft_gdb.install()
