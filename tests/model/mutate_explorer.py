#!/usr/bin/env python3
"""Mutation test of the explorer: each of its rules is broken once, and some litmus test or test of the explorer must fail.

A rule is a line of the explorer's text and what stands there instead; RULES has them. A rule whose text is gone from the explorer is an
error, so that the list keeps up with it. Exit status 1: a broken rule that nothing noticed.

usage: mutate_explorer.py [--only TEXT] [--sample N [--seed N]] [--jobs N]"""

import argparse
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

import mutate

HERE = os.path.dirname(os.path.abspath(__file__))
EXPLORER = os.path.join(HERE, "explorer")
TESTS = ("explorer_test.cpp", "litmus_compare_exchange.cpp", "litmus_fences.cpp", "litmus_load_buffering.cpp")
PROGRAMS = os.path.join(HERE, "litmus", "litmus.py")
TIME_LIMIT_S = 120

# What the rule says, the file, its text, and what stands there instead.
RULES = [
    # ---- threads and their beginnings
    ("a thread knows what its starter knows", "memory.cpp", "    threads_[i].current = threads_[0].current;\n", "    threads_[i].current = beginning_;\n    threads_[i].current.seen = {};\n"),
    ("a joiner knows what its threads knew", "memory.cpp", "    threads_[0].current.join(threads_[i].current);\n", ""),
    # ---- coherence
    ("no load goes back behind what its thread knows", "memory.cpp", "  timestamp bound = threads_[thread].current.seen.at[location];", "  timestamp bound = 0;"),
    ("what was read is known", "memory.cpp", "  self.current.seen.raise(location, from.at);\n  self.acquired", "  self.acquired"),
    ("what was stored is known to its thread", "memory.cpp", "  threads_[thread].current.seen.raise(location, at);\n  if (o == order::seq_cst) operations_", "  if (o == order::seq_cst) operations_"),
    ("a store may come before others in modification order", "memory.cpp", "  return append_after(thread, location, candidates_[static_cast<std::size_t>(chosen)]", "  return append_after(thread, location, stores.size() - 1 + 0 * static_cast<std::size_t>(chosen)"),
    ("a load may read an older store", "memory.cpp", "  const int taken = path_.choose(options);", "  const int taken = 0;"),
    # ---- release and acquire
    ("an acquire load synchronises", "memory.cpp", "  if (acquires(o)) self.current.join(from.released);\n", ""),
    ("a relaxed load does not", "memory.cpp", "  if (acquires(o)) self.current.join(from.released);", "  self.current.join(from.released);"),
    ("a release store publishes", "memory.cpp", "releases(o) ? self.current : self.released", "self.released"),
    ("a relaxed store does not", "memory.cpp", "releases(o) ? self.current : self.released", "self.current"),
    ("a read-modify-write carries the release sequence on", "memory.cpp", "  if (continued != nullptr) result.released.join(continued->released);\n", ""),
    ("a relaxed load is kept for a later acquire fence", "memory.cpp", "  self.acquired.join(from.released);\n", ""),
    ("an acquire fence takes over what was kept", "memory.cpp", "    self.current.join(self.acquired);\n", ""),
    ("a release fence publishes for later relaxed stores", "memory.cpp", "  if (releases(o)) self.released = self.current;\n", ""),
    ("a release fence is no acquire fence", "memory.cpp", "  if (acquires(o)) {\n    self.current", "  {\n    self.current"),
    ("an acquire fence is no release fence", "memory.cpp", "  if (releases(o)) self.released = self.current;", "  self.released = self.current;"),
    ("release, acq_rel and seq_cst release", "memory.hpp", "o == order::release || o == order::acq_rel || o == order::seq_cst", "o == order::release || o == order::acq_rel"),
    ("acq_rel acquires", "memory.hpp", "o == order::acquire || o == order::acq_rel ||", "o == order::acquire ||"),
    # ---- read-modify-writes
    ("nothing is stored between the read and the write of a read-modify-write", "memory.cpp", "  std::erase_if(candidates_, [&](std::size_t i) { return stores[i].glued; });\n  const int chosen", "  const int chosen"),
    ("no two read-modify-writes read one store", "memory.cpp", "  std::erase_if(candidates_, [&](std::size_t i) { return stores[i].glued; });\n  const std::size_t position", "  const std::size_t position"),
    ("nor does a compare-exchange", "memory.cpp", "(stores[i].glued || stores[i].at < bound)", "stores[i].at < bound"),
    ("a read-modify-write follows what it read at once", "memory.cpp", "  stores[position].glued = true;\n", ""),
    ("a failing compare-exchange has the order of failure", "memory.cpp", "  if (stores[position].value != expected) return read_only(thread, location, position, failure);", "  if (stores[position].value != expected) return read_only(thread, location, position, success);"),
    ("a successful one has the order of success", "memory.cpp", "  return replace(thread, location, position, desired, success);", "  return replace(thread, location, position, desired, failure);"),
    ("a compare-exchange fails where another value is read", "memory.cpp", "  if (stores[position].value != expected) return", "  if (false) return"),
    ("a weak compare-exchange may fail for no reason", "memory.cpp", "  if (may_fail_spuriously && pick(2) != 0)", "  if (may_fail_spuriously && false)"),
    ("a strong one may not", "execution.cpp", "  const bool may_fail = weak && w.threads", "  const bool may_fail = w.threads"),
    # ---- seq_cst
    ("a seq_cst load is behind seq_cst operations", "memory.cpp", "std::max({bound, fences_.at[location], operations_.at[location]})", "std::max({bound, fences_.at[location]})"),
    ("a seq_cst load is behind fences", "memory.cpp", "std::max({bound, fences_.at[location], operations_.at[location]})", "std::max({bound, operations_.at[location]})"),
    ("a seq_cst load is one of the operations", "memory.cpp", "  if (o == order::seq_cst) operations_.raise(location, from.at);\n", ""),
    ("a seq_cst store is one of the operations", "memory.cpp", "  if (o == order::seq_cst) operations_.raise(location, at);\n", ""),
    ("a fence is behind earlier fences", "memory.cpp", "    self.current.seen.join(fences_);\n", ""),
    ("a fence is behind seq_cst operations", "memory.cpp", "    self.current.seen.join(operations_);\n", ""),
    ("later fences are behind a fence", "memory.cpp", "    fences_.join(self.current.seen);\n", ""),
    ("only a seq_cst fence is ordered with others", "memory.cpp", "  if (o == order::seq_cst) {\n    self.current.seen.join(fences_);", "  {\n    self.current.seen.join(fences_);"),
    # ---- asymmetric fences
    ("a light fence is behind heavy ones", "memory.cpp", "  self.current.seen.join(heavy_);\n", ""),
    ("a heavy fence is behind light ones", "memory.cpp", "{&light_, &fences_, &operations_}", "{&fences_, &operations_}"),
    ("a heavy fence is behind full ones", "memory.cpp", "{&light_, &fences_, &operations_}", "{&light_, &operations_}"),
    ("a light fence is not behind light ones", "memory.cpp", "  self.current.seen.join(heavy_);\n", "  self.current.seen.join(heavy_);\n  self.current.seen.join(light_);\n"),
    ("full and heavy fences are behind heavy ones", "memory.cpp", "  fences_.join(seen);\n  heavy_.join(seen);\n", "  heavy_.join(seen);\n"),
    ("light fences are behind a heavy one", "memory.cpp", "  fences_.join(seen);\n  heavy_.join(seen);\n", "  fences_.join(seen);\n"),
    # ---- promises
    ("a load may read what is stored later", "promises.cpp", "    if (!each.acquires || !synchronises) path_.add(each.place, {thread, made.value});\n", ""),
    ("a promise must be kept", "execution.cpp", "  if (w.mem.owes()) prune();\n", ""),
    ("only a store of that value keeps it", "promises.cpp", "  return promised->value == value ? oldest : nullptr;", "  return oldest;"),
    ("a thread that knows of its promise cannot keep it", "promises.cpp", "    if (each.thread == thread && threads_[thread].current.seen.at[each.location] >= each.at) prune();\n", ""),
    ("a thread that relied on a promise which releases did not know what it releases", "promises.cpp", "    if (it.relied_on || made->glued) prune();\n", ""),
    ("an acquire fence relies on what was read", "memory.cpp", "    for (promise& each : promises_) each.relied_on |= (each.readers >> thread & 1) != 0;\n", ""),
    ("an acquire load relies on it", "memory.cpp", "    promised->relied_on |= acquires(o);\n", ""),
    ("a seq_cst store comes before later ones of that order", "promises.cpp", "    if (std::max(operations_.at[it.location], fences_.at[it.location]) >= it.at) prune();\n", ""),
    # ---- plain fields and lifetimes
    ("a write races with a read", "race.cpp", "  if (write) check_others(me, entry.reads, first, last, true, false, code);\n", ""),
    ("a read races with a write", "race.cpp", "  check_others(me, entry.writes, first, last, write, true, code);\n", "  if (write) check_others(me, entry.writes, first, last, write, true, code);\n"),
    ("neighbouring bytes do not race", "race.cpp", "  for (std::size_t byte = first; byte < last; ++byte) {\n    if (past", "  for (std::size_t byte = 0; byte < word_bytes; ++byte) {\n    if (past"),
    ("what happens before does not race", "race.cpp", "past.time[byte] != 0 && !thread_covers(me, other, past.time[byte])", "past.time[byte] != 0"),
    ("memcpy is seen", "race.cpp", "  touch_plain(from, bytes, false, __builtin_return_address(0));\n  touch_plain(to, bytes, true, __builtin_return_address(0));\n  return std::memcpy", "  return std::memcpy"),
    ("an atomic that may be used still is not destroyed", "memory.cpp", "      if (!covers(thread, other, place.used.at[other])) {", "      if (false) {"),
    ("a destroyed atomic is not used", "memory.cpp", "  if (!place.alive) fail(", "  if (false) fail("),
    ("an atomic is not used before its construction", "memory.cpp", "  if (place.born_inside && !covers(thread, place.creator, place.created_at)) {", "  if (false) {"),
    # ---- interleavings
    ("any thread that can run may go next", "scheduler.cpp", "    if ((i != self_ || !preempts_) && can_run(i)) options_.push_back({i, how::goes_on});", "    if ((i != self_ || !preempts_) && can_run(i) && options_.empty()) options_.push_back({i, how::goes_on});"),
    ("a preemption is counted", "scheduler.cpp", "left_.preemptions > 0) --left_.preemptions;", "left_.preemptions > 0) {}"),
    ("a weak choice is counted", "memory.cpp", "  if (taken != 0) --weak_left_;\n  return taken;", "  return taken;"),
    ("a thread that pauses waits for news", "scheduler.cpp", "    return it.is == state::ready && (!it.paused || has_news(it));", "    return it.is == state::ready && !it.paused;"),
    ("what a thread stores is no news to itself", "scheduler.cpp", "    if (is_last && memory_", "    if (memory_"),
    ("a loop that no thread ends is a deadlock", "scheduler.cpp", "  if (++forced_ > fruitless_limit) fail(", "  if (false) fail("),
    ("a loop may give up early", "scheduler.cpp", "left_.impatience > 0 && !has_news(it)) options_.push_back({i, how::without_news});", "left_.impatience > 0 && !has_news(it)) {}"),
    ("a deadline may come early", "scheduler.cpp", "    if (it.is == state::asleep && it.has_deadline() && left_.timeouts > 0) options_.push_back({i, how::early_timeout});\n", ""),
    ("a deadline comes where nothing else can happen", "scheduler.cpp", "    if (it.is == state::asleep && it.has_deadline()) options_.push_back({i, how::late_timeout});\n", ""),
    ("a late deadline is none of the early ones", "scheduler.cpp", "  if (chosen.way == how::early_timeout) --left_.timeouts;", "  if (chosen.way == how::early_timeout || chosen.way == how::late_timeout) --left_.timeouts;"),
    ("a wait may end for no reason", "scheduler.cpp", "    if (it.is == state::asleep && left_.spurious > 0) options_.push_back({i, how::spurious});\n", ""),
    ("a wake-up wakes no more than asked", "scheduler.cpp", "  for (; woken < count; ++woken) {", "  for (; woken < count + 1; ++woken) {"),
    ("whom a wake-up wakes is a choice", "scheduler.cpp", "waiters[static_cast<std::size_t>(path_.choose(static_cast<int>(waiters.size())))]", "waiters[0]"),
    ("a futex compares before it sleeps", "execution.cpp", "  if (r.value != expected) return true;\n", ""),
    ("a futex wait reads the newest value", "execution.cpp", "  w.mem.fence(w.threads.self(), order::seq_cst);\n  const read_result r = w.mem.load(w.threads.self(), location, order::relaxed, 0);", "  const read_result r = w.mem.load(w.threads.self(), location, order::relaxed, 0);"),
    ("a futex wake is a fence", "execution.cpp", "  w.mem.fence(w.threads.self(), order::seq_cst);\n  const int woken", "  const int woken"),
    # ---- the reduction
    ("two reads of one location are independent, a read and a write are not", "scheduler.cpp", "  return a.kind == operation_kind::read && b.kind == operation_kind::read && !(a.seq_cst && b.seq_cst);", "  return a.kind == operation_kind::read || b.kind == operation_kind::read;"),
    ("operations on different locations are independent, fences are not", "scheduler.cpp", "  if (is_fence(a.kind) && orders_globally(b)) return false;\n  if (is_fence(b.kind) && orders_globally(a)) return false;\n", ""),
    ("a light fence and a heavy one are not independent", "scheduler.cpp", "  if (a.kind == operation_kind::heavy_fence && b.kind == operation_kind::light_fence) return false;\n  if (b.kind == operation_kind::heavy_fence && a.kind == operation_kind::light_fence) return false;\n", ""),
    ("a thread that depends on a step leaves the sleep set", "scheduler.cpp", "    if (!stays) sleep_set_ &= ~(1u << i);\n", ""),
    # ---- restartable stores
    ("a restart fence makes the store not happen", "execution.cpp", "    w.in_sequence[i] = false;\n  }\n  w.mem", "  }\n  w.mem"),
    ("a restart fence is a fence in each thread", "execution.cpp", "    if (i != me) w.mem.fence(i, order::seq_cst);\n", ""),
    ("an interruption makes the store not happen", "execution.cpp", "(may_fail && w.path.choose(2) == 1)", "false"),
]


def text_of(name):
    with open(os.path.join(EXPLORER, name), encoding="utf-8") as file:
        return file.read()


def broken(rule):
    what, name, text, instead = rule
    whole = text_of(name)
    if whole.count(text) != 1:
        sys.exit(f"mutate_explorer.py: the rule '{what}' is not in {name} once, but {whole.count(text)} times")
    return whole.replace(text, instead)


def run(command, limit=None):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit, cwd=HERE)


def must(command):
    done = run(command)
    if done.returncode != 0:
        sys.exit(done.stdout)


def build_tests(folder, pool):
    """The objects of the tests, which a broken rule does not change."""
    programs = os.path.join(folder, "litmus_programs.cpp")
    must([sys.executable, PROGRAMS, "generate", programs])
    sources = [*(os.path.join(HERE, name) for name in TESTS), programs]
    objects = [os.path.join(folder, os.path.basename(source) + ".o") for source in sources]
    list(pool.map(lambda pair: must([mutate.COMPILER, *mutate.FLAGS, *mutate.SEEN_BY_EXPLORER, *mutate.includes(), "-c", pair[0], "-o", pair[1]]),
                  zip(sources, objects)))
    return objects


def build_explorer(folder, name=None, text=None):
    """One unit of all parts, of which one may be another text."""
    copy = os.path.join(folder, "explorer")
    shutil.copytree(EXPLORER, copy)
    if name:
        with open(os.path.join(copy, name), "w", encoding="utf-8") as file:
            file.write(text)
    unit, target = os.path.join(folder, "unit.cpp"), os.path.join(folder, "unit.o")
    with open(unit, "w", encoding="utf-8") as file:
        file.write("".join(f'#include "explorer/{part}"\n' for part in sorted(os.listdir(copy)) if part.endswith(".cpp")))
    must([mutate.COMPILER, *mutate.FLAGS, "-I", folder, *mutate.includes(), "-c", unit, "-o", target])
    return target


def noticed_by(folder, explorer, tests):
    """The first test that fails, or an empty string."""
    for test in tests:
        target = os.path.join(folder, "test")
        must([mutate.COMPILER, test, explorer, "-ldl", "-o", target])
        try:
            done = run([target, "--quiet"], TIME_LIMIT_S)
        except subprocess.TimeoutExpired:
            return os.path.basename(test)[: -len(".cpp.o")] + ": no end"
        if done.returncode != 0:
            line = next((each for each in done.stdout.splitlines() if each.startswith("FAIL")), "")
            return line[4:49].strip() or f"exit status {done.returncode}"
    return ""


def try_rule(rule, tests):
    with tempfile.TemporaryDirectory() as folder:
        return noticed_by(folder, build_explorer(folder, rule[1], broken(rule)), tests)


def chosen_rules(options):
    rules = [rule for rule in RULES if (options.only or "") in rule[0]]
    if options.sample is None:
        return rules
    seed = options.seed if options.seed is not None else mutate.seed_of_commit()
    print(f"seed {seed}", flush=True)
    return random.Random(seed).sample(rules, min(options.sample, len(rules)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", help="rules whose text contains this")
    parser.add_argument("--sample", type=int, help="so many rules")
    parser.add_argument("--seed", type=int, help="of a sample; printed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    for rule in RULES:
        broken(rule)
    rules = chosen_rules(options)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tests = build_tests(folder, pool)
        if noticed := noticed_by(folder, build_explorer(folder), tests):
            sys.exit(f"the explorer fails without any mutation: {noticed}")
        missed = 0
        for rule, noticed in zip(rules, pool.map(lambda each: try_rule(each, tests), rules)):
            print(f"{rule[0]:78} {noticed or 'NOT NOTICED'}", flush=True)
            missed += not noticed
    print(f"figure: rules of the explorer broken = {len(rules)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
