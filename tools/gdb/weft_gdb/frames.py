"""Backtraces of suspended threads, in live processes and in core files alike.

A suspended thread is a stack pointer; what its switch saved lies there (src/arch/context.hpp). gdb has no command for `unwind from
here`: to set the registers would work, but disturbs a live process and is impossible in a core file, and `frame view` takes the other
registers of the frame from the OS thread. So an unwinder claims the innermost frame of the selected OS thread while a backtrace is taken
and says that its caller is the suspended context; from there on gdb goes by the unwind tables (CFI) as ever. Nothing is written.

The claimed frame's id lies just beneath the suspended stack pointer: gdb stops at a frame whose stack lies beneath its callee's."""

import contextlib

import gdb
import gdb.unwinder

from .layout import Unreadable, read_bytes, read_word

STACK_POINTERS = {"rip": "rsp", "pc": "sp"}
MOST_FRAMES = 200


class Context:
    """The registers of a suspended thread."""

    def __init__(self, layout, pointer):
        self.pointer = pointer
        self.registers = {}
        for name, at in layout.numbers.items():
            if name.startswith("frame.") and name != "frame.bytes":
                self.registers[name[len("frame.") :]] = read_word(pointer + at)
        self.pc_name = next(name for name in STACK_POINTERS if name in self.registers)
        self.sp_name = STACK_POINTERS[self.pc_name]
        self.pc = self.registers[self.pc_name]
        if self.pc == 0:
            raise Unreadable("a core file of gdb's generate-core-file lacks most stacks: make it with `weft core`")
        self.sp = pointer + layout.number("frame.bytes")
        self.registers[self.sp_name] = self.sp


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class Suspended(gdb.unwinder.Unwinder):
    """Does nothing unless `context` is set, and then to one OS thread only."""

    def __init__(self):
        super().__init__("weft-suspended-thread")
        self.context = None
        self.where = None

    def aim(self, context):
        self.context = None
        gdb.invalidate_cached_frames()
        thread = gdb.selected_thread()
        frame = gdb.newest_frame()
        self.where = (thread.ptid, int(frame.read_register("pc")), int(frame.read_register("sp")))
        self.context = context
        gdb.invalidate_cached_frames()

    def let_go(self):
        if self.context is None:
            return
        self.context = None
        gdb.invalidate_cached_frames()

    def __call__(self, pending):
        context = self.context
        if context is None:
            return None
        pc, sp = pending.read_register("pc"), pending.read_register("sp")
        if (gdb.selected_thread().ptid, int(pc), int(sp)) != self.where:
            return None
        found = pending.create_unwind_info(FrameId(gdb.Value(context.pointer - 1).cast(sp.type), pc))
        for name, value in context.registers.items():
            found.add_saved_register(name, gdb.Value(value).cast(pending.read_register(name).type))
        return found


unwinder = Suspended()


def install():
    gdb.unwinder.register_unwinder(None, unwinder, replace=True)
    gdb.events.cont.connect(lambda event: unwinder.let_go())
    gdb.events.exited.connect(lambda event: unwinder.let_go())


@contextlib.contextmanager
def setting(name, value):
    before = gdb.parameter(name)
    gdb.execute(f"set {name} {value}", to_string=True)
    try:
        yield
    finally:
        gdb.execute(f"set {name} {'on' if before is True else 'off' if before is False else before}", to_string=True)


@contextlib.contextmanager
def undisturbed():
    """The user's selected OS thread and frame, and a thread selected by `weft select`, are the same afterwards."""
    thread, selected = gdb.selected_thread(), (unwinder.context, unwinder.where)
    try:
        level = gdb.selected_frame().level()
    except gdb.error:
        level = 0
    try:
        yield
    finally:
        thread.switch()
        unwinder.context, unwinder.where = selected
        gdb.invalidate_cached_frames()
        if level:
            gdb.execute(f"frame {level}", to_string=True)


def first_frame(context):
    """The innermost frame of the suspended thread, once the unwinder is aimed at it."""
    frame = gdb.newest_frame()
    while frame is not None:
        if int(frame.read_register("pc")) == context.pc and int(frame.read_register("sp")) == context.sp:
            return frame
        frame = frame.older()
    return None


def lines(frame, is_main):
    """`#0  0x... in name (arguments) at file:line`, down to the bottom of the stack."""
    for number in range(MOST_FRAMES):
        yield f"#{number:<3}{describe(frame)}"
        if is_main and frame.name() == "main":
            return
        try:
            older = frame.older()
        except gdb.error as problem:
            yield f"    {problem}"
            return
        if older is None:
            reason = frame.unwind_stop_reason()
            if reason not in (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST):
                yield f"    the backtrace ends here: {gdb.frame_stop_reason_string(reason)}"
            return
        frame = older
    yield f"    ... more than {MOST_FRAMES} frames; `weft select` and `backtrace` show all"


def describe(frame):
    place = frame.find_sal()
    where = f" at {place.symtab.filename}:{place.line}" if place.symtab is not None and place.line else ""
    if not where and (library := gdb.solib_name(frame.pc())) is not None:
        where = f" from {library}"
    return f" {frame.pc():#018x} in {frame.name() or '??'} ({arguments(frame)}){where}"


def arguments(frame):
    """With debug information alone."""
    try:
        block = frame.block()
        while block is not None and block.function is None:
            block = block.superblock
        return ", ".join(f"{one.name}={short(one.value(frame))}" for one in block or () if one.is_argument)
    except (gdb.error, RuntimeError):
        return ""


def short(value):
    try:
        return value.format_string(max_elements=8, max_depth=1)
    except gdb.error:
        return "<not known>"


def suspended_lines(layout, pointer, is_main):
    try:
        context = Context(layout, pointer)
    except Unreadable as problem:
        return [f"    its stack is not there: {problem}"]
    with undisturbed(), setting("backtrace past-main", "on"), setting("backtrace past-entry", "on"):
        unwinder.aim(context)
        frame = first_frame(context)
        if frame is None:
            return ["    gdb does not follow: is the stack damaged, or the selected OS thread without registers?"]
        return list(lines(frame, is_main))


def running_lines(os_thread_id, is_main):
    """Of the OS thread that runs it."""
    thread = next((one for one in gdb.selected_inferior().threads() if os_thread_id in one.ptid[1:]), None)
    if thread is None:
        return [f"    gdb does not know OS thread {os_thread_id}"]
    with undisturbed():
        unwinder.let_go()
        thread.switch()
        return [f"    on OS thread {os_thread_id}, gdb's thread {thread.num}", *lines(gdb.newest_frame(), is_main)]


def deepest_use(low, high):
    """The lowest address that is not zero: of stacks that were wiped before."""
    page = 4096
    for at in range(low & ~(page - 1), high, page):
        first, end = max(at, low), min(at + page, high)
        try:
            data = read_bytes(first, end - first)
        except Unreadable:
            continue
        if any(data):
            return first + next(index for index, byte in enumerate(data) if byte)
    return high
