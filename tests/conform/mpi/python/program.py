"""A Python program that calls MPI by mpi4py, in the main thread and in another one, while Weft threads of a C library exchange messages.

usage: program.py the-library    (two ranks)"""

import ctypes
import sys
import threading

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, other = world.rank, 1 - world.rank
assert world.size == 2
assert MPI.Query_thread() == MPI.THREAD_MULTIPLE

library = ctypes.CDLL(sys.argv[1])
library.exchange.restype = ctypes.c_long

# Objects, by MPI_Mprobe and MPI_Mrecv_c, and collectives, before and after there are Weft threads.
assert world.sendrecv({"from": rank}, other) == {"from": other}
assert world.allgather([rank] * 3) == [[0] * 3, [1] * 3]

for_threads, for_python = world.Dup(), world.Dup()
received = []


def call_from_another_thread():
    for number in range(100):
        request = for_python.isend((rank, number), other, tag=number)
        received.append(for_python.recv(source=other, tag=number))
        request.wait()


beside = threading.Thread(target=call_from_another_thread)
beside.start()
for _ in range(3):  # ctypes lets other threads of Python run meanwhile
    assert library.exchange(1000, for_threads.py2f()) == 1000 * 999 // 2
beside.join()
assert received == [(other, number) for number in range(100)]

numbers = bytearray(8 * 1000)
view = memoryview(numbers).cast("d")
for i in range(1000):
    view[i] = i + rank
world.Allreduce(MPI.IN_PLACE, [view, MPI.DOUBLE], op=MPI.SUM)
assert list(view) == [2 * i + 1 for i in range(1000)]
window = MPI.Win.Allocate(64, 1, comm=world)
window.Fence()
window.Put(bytes([rank + 1] * 8), other)
window.Fence()
assert window.tomemory()[:8].tobytes() == bytes([other + 1] * 8)
window.Free()
world.Barrier()
if rank == 0:
    print("passed")
