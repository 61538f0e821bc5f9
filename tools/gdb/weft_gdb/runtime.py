"""A snapshot of the runtime: its workers, its threads, and the OS threads outside that have used it."""

import gdb

from . import layout as layouts
from .layout import Unreadable, read_bytes, read_text, read_word

FOREVER = 2**64 - 1
MOST_CHUNKS = 1 << 20
MOST_OUTSIDE = 100000


class Wait:
    """What a thread waits for."""

    def __init__(self, what, thing, since_ns, deadline_ns):
        self.what, self.object, self.since_ns, self.deadline_ns = what, thing, since_ns, deadline_ns


class Unit:
    """A thread, tasklet or stolen fork: a copy of its descriptor."""

    def __init__(self, layout, fields):
        self.layout, self.fields, self.address = layout, fields, fields.address
        self.worker = None  # on which it runs
        self.name = ""
        self.wait = None
        self.is_wait_lost = False  # it waits, but for what cannot be read

    def has(self, flag):
        return bool(self.fields["flags"] & self.layout.number("flag." + flag))

    def is_in(self, state):
        return self.fields["state"] == self.layout.number("state." + state)

    def has_ended(self):
        return bool(self.fields["join"] & self.layout.number("join.ended"))

    def is_lent(self):
        """Whether it runs on the stack of its joiner."""
        return self.fields["join"] == self.layout.number("join.lent")

    def has_parked(self):
        return not self.fields["context"] & self.layout.number("context.unsaved")

    def made_at(self):
        return self.fields["made_at"] if self.has_parked() else self.fields["context"] >> 1

    def os_caller(self):
        """The pthread_t that the caller of weft_worker_adopt has outside; None of others."""
        if not self.has("adopted"):
            return None
        try:
            return read_word(self.fields["argument"] + self.layout.offset("adopted.os_caller"))
        except Unreadable:
            return None

    def read_more(self):
        """Its name and its wait, which may lie in memory that is gone."""
        try:
            if self.has("known") and self.fields["extra"]:
                self.name = read_text(self.fields["extra"] + self.layout.offset("details.name"), 32)
                if function := read_word(self.fields["extra"] + self.layout.offset("details.function")):
                    self.fields["function"] = function  # the unit's own: it stays where it starts
        except Unreadable:
            pass
        if self.has_ended() or not (self.is_in("blocked") or self.is_in("suspended")) or not self.fields["waiting"]:
            return
        self.is_wait_lost = True
        try:
            record = self.layout.copy("waiter", self.fields["waiting"])
            if record["who"] == self.address:
                self.wait = Wait(read_text(record["what"]), record["object"], record["since_ns"], record["deadline_ns"])
                self.is_wait_lost = False
        except Unreadable:
            pass


class Snapshot:
    """Lists of workers (copies), units and outside OS threads (copies). `problems` says what could not be read."""

    def __init__(self):
        self.layout = layouts.find()
        self.problems = []
        self.workers, self.units, self.outside = [], [], []
        try:
            runtime = read_word(self.layout.runtime_root)
        except Unreadable as problem:
            raise gdb.GdbError(f"Weft's runtime: {problem}") from None
        if runtime == 0:
            raise gdb.GdbError("Weft's runtime is not running: before weft_init or after weft_finalize")
        try:
            self.runtime = self.layout.copy("runtime", runtime)
        except Unreadable as problem:
            raise gdb.GdbError(f"Weft's runtime is damaged: {problem}") from None
        self.turn_holder = self.schedule_ns = 0  # under a schedule, the worker that has its turn, and the time
        for read in (self._read_turns, self._read_workers, self._read_units, self._read_outside):
            try:
                read()
            except Unreadable as problem:
                self.problems.append(str(problem))
        self._join_up()

    def _read_turns(self):
        if self.runtime["turns"]:
            turns = self.layout.copy("turns", self.runtime["turns"])
            self.turn_holder, self.schedule_ns = turns["holder"], turns["now_ns"]

    def _read_workers(self):
        slots = min(self.runtime["worker_slots"], self.layout.number("most_workers"))
        for index in range(slots):
            address = read_word(self.runtime.address_of("workers") + 8 * index)
            try:
                if address:
                    self.workers.append(self.layout.copy("worker", address))
            except Unreadable as problem:
                self.problems.append(f"worker {index}: {problem}")

    def _read_units(self):
        if self.runtime["has_adopted_caller"]:
            self._add_unit(self.layout.copy("unit", self.runtime.address_of("main_unit")))
        depot = self.layout.copy("depot", self.runtime.address_of("unit_depot"))
        chunks = self.layout.copy("array", depot.address_of("chunks_"))
        block, chunk_bytes, count = depot["block_bytes_"], self.layout.number("depot.chunk_bytes"), chunks["count_"]
        if count == 0:
            return
        if not self.layout.sizes["unit"] <= block <= chunk_bytes or count > MOST_CHUNKS:
            raise Unreadable(f"the list of threads is damaged ({count} chunks of blocks of {block} bytes)")
        a_chunk = chunk_bytes // block
        for index in range(count):
            used = a_chunk if index + 1 < count else a_chunk - min(depot["fresh_"], a_chunk)
            self._read_chunk(read_word(chunks["values_"] + 8 * index), used, block)

    def _read_chunk(self, address, used, block):
        try:
            data = read_bytes(address, used * block)
        except Unreadable as problem:
            self.problems.append(f"{used} threads: {problem}")
            return
        for index in range(used):
            self._add_unit(self.layout.copy("unit", address + index * block, data[index * block : (index + 1) * block]))

    def _add_unit(self, fields):
        unit = Unit(self.layout, fields)
        states = ("ready", "running", "blocked", "suspended")
        if any(unit.is_in(state) for state in states):
            self.units.append(unit)
        elif not unit.is_in("free"):
            self.problems.append(f"the thread at {fields.address:#x} is damaged")

    def _read_outside(self):
        first = self.layout.outside_root + self.layout.offset("list.head_")
        at = read_word(first + self.layout.offset("link.next"))
        while at not in (0, first) and len(self.outside) < MOST_OUTSIDE:
            self.outside.append(self.layout.copy("outside", at))
            at = read_word(at + self.layout.offset("link.next"))

    def _join_up(self):
        self.by_address = {unit.address: unit for unit in self.units}
        for worker in self.workers:
            if worker["current"] in self.by_address:
                self.by_address[worker["current"]].worker = worker
        for unit in self.units:
            unit.read_more()

    # ---- what follows from all of them together ----

    def stack_of(self, unit):
        """The address of the stack's header, where it begins; 0: unknown, or the adopted caller's."""
        return unit.worker["standing"] if unit.worker is not None else unit.fields["stack"] if unit.has_parked() else 0

    def dispatched_by(self, unit):
        """What a scheduler runs, or None."""
        mine = (one for one in self.units if one.fields["parent"] == unit.address and not one.has_ended())
        return next(mine, None)

    def lends_to(self, unit):
        """Whether it is away because another runs on its stack."""
        return unit.is_in("blocked") and not unit.fields["waiting"] and not unit.has_ended() and self.dispatched_by(unit) is None

    def borrower_of(self, unit):
        """Who that is, or None when it cannot be told."""
        stack = self.stack_of(unit)
        lent = [one for one in self.units if one is not unit and one.is_lent() and not one.has_ended()]
        return next((one for one in lent if stack and self.stack_of(one) == stack), lent[0] if len(lent) == 1 else None)

    def awaits_turn(self, unit):
        """Whether it runs on a virtual worker, and another has the OS thread."""
        worker = unit.worker
        return worker is not None and self.runtime["turns"] != 0 and worker["has_turns"] != 0 and worker.address != self.turn_holder

    def context_of(self, unit):
        """The stack pointer of a suspended thread; None: it runs, lends its stack, has ended or has not started."""
        if self.awaits_turn(unit):
            return unit.worker["turn"]
        away = (unit.is_in("blocked") and not self.lends_to(unit)) or unit.is_in("suspended") or unit.is_in("ready")
        return unit.fields["context"] if away and unit.has_parked() and not unit.has_ended() else None

    def find(self, words):
        """The unit that the user means: `main`, an id, an address, or a name."""
        words = words.strip().strip('"')
        if words == "main":
            found = [unit for unit in self.units if unit.has("main")]
        elif words.startswith("0x"):
            found = [unit for unit in self.units if f"{unit.address:#x}" == words.lower()]
        else:
            found = [unit for unit in self.units if unit.name == words or str(unit.fields["id"] or "") == words]
        if len(found) != 1:
            raise gdb.GdbError(f"{'several threads are' if found else 'there is no thread'} {words}; `weft threads` lists them by id and address")
        return found[0]
