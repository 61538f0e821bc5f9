"""The ranks of a job (libweft-dist), as one of them sees the others: what each runs, and the threads whose frames left the stack."""

import gdb

from . import layout as layouts
from . import text
from .layout import Unreadable, read_bytes, read_word

MOST_RANKS = 1024


class Job:
    def __init__(self):
        self.layout = layouts.find("weft_dist_debug_layout", "ranks (libweft-dist)")
        try:
            self.its = self.layout.copy("job", self.layout.runtime_root)
        except Unreadable as problem:
            raise gdb.GdbError(f"the job is not to be read: {problem}") from None
        self.rank, self.ranks = self.its["rank"], self.its["ranks"]
        if self.its["region"] == 0:
            raise gdb.GdbError("this process is no rank yet, or it is the launcher: attach to one of its children")
        if not 0 < self.ranks <= MOST_RANKS or self.rank >= self.ranks:
            raise gdb.GdbError(f"the job is damaged: rank {self.rank} of {self.ranks}")

    def rank_line(self, rank):
        """What the rank runs. The slots of a rank lie in its region, which this process sees at another address."""
        control = self.layout.copy("control", self.its["aliases"] + rank * self.its["region_bytes"])
        here = " (here)" if rank == self.rank else ""
        if not control["is_serving"]:
            return f"rank {rank}{here}: outside a root"
        slot = self.layout.number("slot.bytes")
        depth, forkers = ((control["top"] - control[of]) // slot for of in ("slots", "base"))
        suspended = f", {forkers} suspended forker{'' if forkers == 1 else 's'} on its stack" if forkers > 0 else ""
        return f"rank {rank}{here}: depth {depth}{suspended}"

    def evacuated(self, rank):
        """(address, copy) of each block of the rank's pool that holds a thread."""
        part = self.its["shared"] + rank * self.its["shared_bytes"]
        offset, size = self.layout.places["part.taken_"]
        taken = int.from_bytes(read_bytes(part + offset, size), "little")
        units, unit = self.layout.number("frames.units"), self.layout.number("frames.unit")
        index = 0
        while taken >> index:
            if not taken >> index & 1:
                index += 1
                continue
            address = part + self.layout.number("part.frames") + index * unit
            block = self.layout.copy("evacuated", address)
            if not 0 < block["units"] <= units - index:
                raise Unreadable(f"the pool of rank {rank} is damaged at unit {index}")
            yield block
            index += block["units"]

    def thread_line(self, rank, block):
        """None: the block was given back, and its owner has not collected it."""
        waits_for, frame_bytes = block["waits_for"], block["frame_bytes"]
        places = block.address + self.layout.number("evacuated.bytes") + frame_bytes
        function = read_word(places + self.layout.offset("place.run"))
        thread = f"the thread of {text.code(function)}" if function else "the root"
        where = f"{block['frame_end'] - block['frame']} bytes of frames of {block['frame']:#x}"
        if waits_for == 0:
            return f"rank {rank}: {thread}, moved where it forked {text.code(block['run'])}, {where}"
        if self.layout.copy("record", waits_for)["state"] != block.address:
            return None
        return f"rank {rank}: {thread}, waits for its fork of {text.code(block['run'])}, {where} at {block.address:#x}"

    def lines(self):
        yield f"rank {self.rank} of {self.ranks}"
        for rank in range(self.ranks):
            yield "  " + self.rank_line(rank)
        threads = []
        for rank in range(self.ranks):
            threads += filter(None, (self.thread_line(rank, block) for block in self.evacuated(rank)))
        yield f"{len(threads)} evacuated thread{'' if len(threads) == 1 else 's'}"
        for line in threads:
            yield "  " + line
