"""What everywhere.py lets pass, with the reasons."""

import re
import signal

# Scenes of trace_target.c; what they need beside WEFT_TRACE.
TRACED_SCENES = ["threads", "forks", "forks2", "waiting", "stealing", "migrating", "parking", "turns", "leaving", "aborting", "overflowing",
                 "faulting", "faulting together", "deadlocked", "parting"]
SCENE_VARIABLES = {"deadlocked": ("WEFT_SCHEDULE=seed:1",)}  # else it stays as it is

# How those end that do not end by return, and what they have said then: a signal that comes before is another's.
ENDS = {
    "trace_target leaving": (3, ""),
    "trace_target deadlocked": (86, "weft: deadlock: "),
    "trace_target aborting": (-signal.SIGABRT, "dies now"),
    "trace_target overflowing": (-signal.SIGSEGV, "dies now"),
    "trace_target faulting": (-signal.SIGSEGV, "dies now"),
    "trace_target faulting together": (-signal.SIGSEGV, "dies now"),
}

# What the fatal error says when that call fails.
FATAL = {
    "mmap": r"out of memory for stacks \(mmap|mmap failed",
    "madvise": r"out of memory for stacks \(mmap, or the guard's madvise",
    "mprotect": r"out of memory for stacks \(mmap, or the guard's madvise or mprotect",
    "futex_wake": r"futex wake failed",
    "membarrier": r"membarrier failed",
}

# Programs in which Weft refuses to start.
WITHOUT_WEFT = r"split_stack_static"

# Programs that take many seconds, most of them asleep, or with a million calls: not for a short
# sample.
SLOW = r"idle_cpu|many_guards|report_deadlock|report_signal|watchdog|runtime_race"

# What a check may notice besides a refusal: (program, calls, check, why that is right); regular expressions.
CONSEQUENCES = [
    (r"environment|inherited_mask|runtime_bind", "affinity", r".*",
     "a worker that the system does not let bind runs unbound; an unreadable mask counts as one CPU"),
    (r"runtime_adopt", "affinity", r"as_all|CPU_EQUAL",
     "an OS thread that the system does not let bind runs unbound where all workers are bound; one that may not change its mask keeps it"),
    (r"thread_copy", "thread_key", r"allocations",
     "an OS thread outside without a record of its own asks for memory for one at every wait"),
    (r"environment", "heap|mmap|madvise|mprotect|callback", r"weft_init|exit_code",
     "weft_init tells of what it lacks (memory, a handler for fork), not of the bad value that it would have come to"),
    (r"report_|watchdog|misuse|cpp_death|context_death", "open|read|peek|mmap|heap", r"says|lines|errors|deepest|these_of|functions_of|nested|busy|found|shown",
     "a report leaves out, or gives as an address, what cannot be read"),
    (r"ext_frames", "open|read|peek|mmap|heap", r"found", "frames that cannot be read, or named, are fewer, or addresses"),
    (r"report_backtrace", "thread_start", r"these_of|functions_of|busy|says", "without an OS thread for it a report has no backtraces, and says so"),
    (r"report_backtrace", "sigaction", r"these_of|functions_of|busy|says", "without a handler a thread that runs is not asked where"),
    (r"report_signal", "futex_wake", r"exit_code", "its child's fatal error goes into the file where the child's errors go"),
    (r"thread_yield|ext_deque|ext_in_turn|ext_give_way", "mmap|madvise|mprotect", r"journal|scene\.log",
     "a unit that waits for a stack has no turn meanwhile"),
    (r"ext_in_turn|ext_give_way", "mmap|madvise|mprotect", r"run_all|run_row|run_over_pool",
     "a unit that gets no stack ends a row early, so that the scheduler starts anew"),
    (r"ext_pool", "mmap|madvise|mprotect", r"WEFT_PUSH_YIELDED", "a unit that waits for a stack is put back as one that yields, again and again"),
    (r"thread_place", "heap", r"result == WEFT_OK", "a thread is not asked to move when there is no memory to write down where"),
    (r"trace_target|report_names", "open|read|write", r"weft_init|exception|exit_code", "a trace that cannot be opened or written is refused as a bad value, by its name"),
    (r"report_reader", "write", r"end_dump|pthread_getcpuclockid", "a file that cannot be written is an invalid one; no thread waits for it"),
    (r"process_fork|cpp_sync", r".*", r"std::terminate", "an error is thrown past OS threads that were not joined"),
    (r"fibers_stealing", "thread_start", r"std::terminate|exit_code",
     "an error is thrown past fibers and OS threads that were not joined"),
    (r"report_names", "heap", r"std::terminate|exit_code", "an error is thrown past threads that were not joined, in a child"),
    (r"report_names", "write", r"says", "a trace that cannot be written is missing"),
    (r"report_death", "thread_stack", r"says", "the bounds of the caller's stack are not known then"),
    (r"runtime_adopt", "thread_stack", r"base", "the same"),
    (r"report_signal", "write", r"end.signal|holds the runtime", "a dump that cannot be written waits for no reader"),
    (r"report_overflow|report_death|report_signal|report_names", "sigaction|sigaltstack", r".*",
     "without a handler or a stack for it a signal does what it does without Weft"),
]

# Faults that a program is spared: (program, fault, why).
SPARED = [
    (r"report_deadlock|report_signal|report_names|report_reader|idle_cpu|watchdog", r"futex_wait:\d+:ever",
     "they look, measure or wait until the waiting threads are asleep; under this fault none ever is"),
    (r"report_backtrace|report_dump", r"(mmap|madvise|mprotect):\d+:ever",
     "a child of theirs yields until threads have run that cannot be given a stack, and keeps the warning to itself"),
    (r"fork_basic|fork_stacks|stats_read|ext_seams|trace_target stealing", r"(mmap|madvise|mprotect):\d+:ever",
     "a forker stays in one call until another worker has taken its child, which takes memory for a unit and its stack"),
    (r"fork_stacks", r"(mmap|madvise|mprotect):\d+:once",
     "a fork for which there is no large stack has a usual one, which its recursion overflows"),
    (r"stats_read", r"mmap:\d+:once", "the same: a fork that cannot be written down where thieves look stays its forker's"),
    (r"fork_stacks_short", r"(mmap|madvise|mprotect|heap|open|read):\d+:.*",
     "it takes such calls away itself, and counts the forks that have a large stack all the same"),
    (r"deep_stacks", r"(madvise|mincore|mmap|heap):\d+:.*",
     "memory that cannot be given back stays, and it waits until it is gone"),
    (r"report_signal", r"peek:\d+:ever", "it waits for what a report cannot say without a look at memory"),
    (r"report_deadlock|report_held_up|report_signal|report_names|report_dump", r"(open|read):\d+:ever",
     "they wait for the report of a deadlock, which is told only where /proc shows that no other OS thread could end it"),
]

# Not failed in a build with AddressSanitizer, which reads main's stack by the same call and dies before main where that fails: told of no
# bounds when main goes on, it takes its own frames for errors.
SPARED_UNDER_ASAN = {"thread_stack"}

# Where later calls may wait for ever, for what the program would have done next: (program, calls).
# A second dump goes into a pipe that is not read yet, and holds the runtime. An OS thread whose error ends the program is joined by main,
# which holds its worker meanwhile.
WAITS_LATER = [(r"report_reader", "write"), (r"boost_parts", r".*")]

WITHOUT_STACKS = r"^weft: warning: out of memory for stacks \(mmap, or the guard's madvise or mprotect, fails\)"
# What is said where a program yields until a thread has run that cannot be given a stack: that it goes on for ever is its own doing.
# Or where the only worker waits with its thread for what another one would do.
WITHOUT_HOSTS = r"^weft: warning: (the system refuses an OS thread for a worker|no memory or no OS thread for the guard of blocking regions)"
WARNING = {call: re.compile(WITHOUT_STACKS, re.MULTILINE) for call in ("madvise", "mprotect")}
WARNING["mmap"] = re.compile(f"{WITHOUT_STACKS}|{WITHOUT_HOSTS}", re.MULTILINE)
WARNING["thread_start"] = re.compile(WITHOUT_HOSTS, re.MULTILINE)

# What a call may answer when the system refuses; of a child that asked for WEFT_OK no more is known.
REFUSALS = ("WEFT_NOMEM", "WEFT_AGAIN", "WEFT_UNSUPPORTED", "another than WEFT_OK")


def is_normal_end(program, run):
    status, said = ENDS.get(program.name, (0, ""))
    return run.status == status and said in run.text


def is_spared(name, wish, under_asan):
    if under_asan and wish.split(":")[0] in SPARED_UNDER_ASAN:
        return True
    return any(re.match(program, name) and re.fullmatch(fault, wish) for program, fault, _ in SPARED)


def may_wait_later(name, call):
    return any(re.match(program, name) and re.fullmatch(calls, call) for program, calls in WAITS_LATER)


def is_refusal(status):
    return any(each in status for each in REFUSALS)


def is_slow(name):
    return re.search(SLOW, name) is not None


def may_notice(name, call, what):
    return any(
        re.match(program, name) and re.fullmatch(calls, call) and re.search(check, what) for program, calls, check, _ in CONSEQUENCES
    )
