#!/usr/bin/env python3
"""weft_last_error(), for each cause of each Errors in the public headers: a program provokes it (last_errors.c), and the text begins with the
function's name, names the argument, and says one cause. What no program can provoke is listed below, with the reason.

usage: last_errors_test.py TOP PROGRAM [PROGRAM...]"""

import os
import re
import subprocess
import sys

TOP, PROGRAMS = sys.argv[1], sys.argv[2:]
sys.path.insert(0, os.path.join(TOP, "tools", "docs"))
import errors

# (function, status, cause) as patterns, and why no line is wanted for them.
EXCUSED = [
    (r".*", "WEFT_NOMEM", r".*", "memory does not run out here: the programs of tests/api run under faults, where each allocation fails"),
    (r".*", r".*", r"a line on stderr .*|in release builds .*|the runtime goes on|the caller has yielded .*|the call did not wait|"
     r"a tasklet does not wait for it", "says what follows, and is no cause"),
    (r"weft_(ext_)?init|weft_ext_start|weft_worker_(add|adopt)", "WEFT_AGAIN", r".*", "the system refuses nothing here: tests/fault"),
    (r"weft_ext_start", "WEFT_INVALID", r".*", "of the call that starts: tests/api/runtime_layers.c"),
    (r".*", r".*", r"a child of fork\(2\)|no membarrier.*", "in a process that can do nothing else: tests/api/process_fork.cpp has its status"),
    (r"weft_(dist_root|global_\w+)", r".*", r".*", "in jobs of ranks: tests/dist"),
    (r"weft_(cuda|hip)_\w+", r".*", r".*", "of a driver: tests/api/device_wait.c, device_library.c"),
    (r"weft_tascell_run", r".*", r".*", "in the runtime of Tascell: tests/lang"),
    (r".*", "WEFT_DEADLOCK", r"in checked builds: .*", "in a checked build it takes a lock for good: tests/api/misuse.cpp"),
    (r".*", r".*", r"in checked builds also: .*", "likewise"),
    (r"weft_mutex_\w*lock\w*", "WEFT_AGAIN", r".*", "a recursive mutex held 2^32-1 times takes minutes to make"),
    (r"weft_ext_await\w*", "WEFT_BUSY", r"the awaiter is armed", "a checked build aborts: tests/api/misuse.cpp"),
    (r"weft_ext_yield_in_pool", "WEFT_(AGAIN|BUSY)", r".*", "answers of a call that schedulers make at every yield: they leave the last error"),
    (r"weft_ext_frames", "WEFT_UNSUPPORTED", r".*", "needs a system that forbids process_vm_readv"),
    (r"weft_ext_set_event_sink", r".*", r".*", "memory alone"),
    (r"weft_ext_(source|bell)_add\w*|weft_key_create", "WEFT_AGAIN", r".*", "tables that must be filled first: the tests of each"),
    (r"weft_ext_source_remove", "WEFT_DEADLOCK", r".*", "in a poll: tests/api/ext_source_remove.c"),
    (r"weft_worker_adopt", r".*", r"inside the ready .*|under WEFT_SCHEDULE.*", "the tests of adoption"),
    (r"weft_worker_leave", "WEFT_BUSY", r".*", "of an adopted OS thread: tests/api/runtime_adopt.c"),
    (r"weft_worker_remove", "WEFT_BUSY", r"one that was adopted", "the same"),
    (r"weft_worker_remove", "WEFT_BUSY", r"or the caller is in a blocking region .*|the caller is in .*", "in a region: tests/api/worker_remove.c"),
    (r"weft_worker_remove", "WEFT_NOT_INITIALIZED", r".*WEFT_DROP.*", "of a drop: tests/api/finalize_meanwhile.c"),
    (r"weft_ext_await\w*", "WEFT_ENDED", r".*", "of a thread that was dropped: tests/api/finalize_with.c"),
    (r"weft_finalize(_with)?", "WEFT_NOT_OWNER", r".*", "of a second runtime's caller: tests/api/runtime_life.c"),
    (r"weft_finalize_with", "WEFT_BUSY", r".*", "while an OS thread is adopted: tests/api/finalize_meanwhile.c"),
    (r"weft_ext_thread_wait", "WEFT_ENDED", r".*", "to those that wait at that moment: tests/api/finalize_with.c"),
    (r"weft_context_create", "WEFT_CANNOT_BLOCK", r".*", "of a callback: tests/api/context_switch.c"),
    (r"weft_ext_thread_revive", "WEFT_INVALID", r"the worker .* is gone", "of a worker that was removed: tests/api/ext_owned.c"),
    (r"weft_ext_carry", "WEFT_BUSY", r".*", "of two layers: tests/api/ext_seams.c"),
    (r"weft_yield_to", "WEFT_AGAIN", r"a scheduler ULT .*", "under a scheduler: tests/api/ext_builders.c"),
    (r"weft_yield_to", "WEFT_AGAIN", r"it is the turn of another unit.*", "now and then: tests/api/fair_turns.c"),
    (r"weft_thread_migrate_to_\w+", "WEFT_NOT_OWNER", r".*", "of main and tasklets that run: tests/api/thread_identity.c"),
    (r"weft_dump", "WEFT_INVALID", r"not everything .*", "of a full disk: tests/api/report_dump.cpp"),
    (r"weft_trace_dump", "WEFT_INVALID", r"it cannot be opened.*|not everything .*", "of a traced program: tests/api/trace_dump_target.c"),
    (r"weft_ext_thread_create_filled", "WEFT_INVALID", r"bytes is null.*", "it has no such argument"),
    (r"weft_thread_join_many", "WEFT_INVALID", r"thread is null", "it passes over null"),
]
# What stands in a text that says more than one thing, but for the example in a reason.
SEVERAL = re.compile(r";.*;")


def excuse_of(function, status, cause):
    for patterns in EXCUSED:
        if all(re.fullmatch(pattern, given) for pattern, given in zip(patterns, (function, status, cause))):
            return patterns[3]
    return None


def wrong_text(function, status, cause, text, arguments):
    """What is wrong with a text, or None."""
    if not text.startswith(f"{function}: "):
        return "does not begin with the function"
    if SEVERAL.search(text):
        return "says several causes"
    null = re.fullmatch(r"(\w+) is null", cause)
    if null and null.group(1) in arguments and text != f"{function}: argument {null.group(1)}: it is null":
        return f"does not say that {null.group(1)} is null"
    if status == "WEFT_INVALID" and not text.startswith(f"{function}: argument ") and not text.startswith(f"{function}: all 8 words"):
        return "names no argument"
    named = re.match(r"\w+: argument (\w+)", text)
    if named and named.group(1) not in arguments and not function.startswith("weft_ext_await_any"):
        return f"names {named.group(1)}, which is no argument"
    return None


def arguments_of(text):
    inside = text[text.index("(") + 1 : text.rindex(")")]
    parts = errors.split(inside, ",")
    return [re.search(r"\(\*(\w+)\)", part).group(1) if "(*" in part else re.search(r"(\w+)$", part).group(1) for part in parts]


def check(program, wanted, functions):
    run = subprocess.run([program], capture_output=True, text=True, timeout=120, check=False)
    if run.returncode != 0:
        return [f"{program}: status {run.returncode}\n{run.stderr}"]
    found, problems = {}, []
    for line in run.stdout.splitlines():
        function, status, cause, text = line.split("\t")
        found.setdefault((function, status, cause), []).append(text)
        if (status, cause) not in wanted.get(function, []):
            problems.append(f"{function} {status} ({cause}): no header says that it fails so")
            continue
        wrong = wrong_text(function, status, cause, text, arguments_of(functions[function].text))
        problems += [f"{function} {status} ({cause}): \"{text}\" {wrong}"] if wrong else []
    missing = [(function, *each) for function, causes in wanted.items() for each in causes if (function, *each) not in found]
    problems += [f"{' '.join(each)}: nothing provokes it" for each in missing if excuse_of(*each) is None]
    print(f"{os.path.basename(program)}: {sum(map(len, found.values()))} failures, {len(found)} causes, {len(missing)} excused or missing")
    print(f"figure: causes of errors provoked = {len(found)}")
    return problems


def main():
    folder = os.path.join(TOP, "include", "weft")
    wanted, functions = errors.of_folder(folder), errors.functions_of(folder)
    problems = [problem for program in PROGRAMS for problem in check(program, wanted, functions)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
