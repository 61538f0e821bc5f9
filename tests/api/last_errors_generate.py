#!/usr/bin/env python3
"""Writes the calls of last_errors.c in which one argument is null: one for each argument that the Errors of a function name as null.

usage: last_errors_generate.py TOP OUT"""

import os
import re
import sys

TOP, OUT = sys.argv[1], sys.argv[2]
sys.path.insert(0, os.path.join(TOP, "tools", "docs"))
import errors

# Of other libraries, or of memory that the program below does not have.
ELSEWHERE = ("weft_tascell_", "weft_dist_", "weft_global_")
# What another argument is, by its declaration or by its type.
VALUES = {
    "const weft_thread_attr *attr": "NULL", "const weft_context_attr *attr": "NULL", "weft_function function": "nothing",
    "weft_thread **out": "&out.thread", "weft_thread **self": "&out.thread", "weft_thread *thread": "blocked", "weft_thread *unit": "blocked",
    "weft_pool **out": "&out.pool", "weft_pool *pool": "pool", "weft_source **out": "&out.source", "void **out": "&out.pointer",
    "void **room": "&out.pointer", "weft_context **out": "&out.context", "weft_key *out": "&out.key", "unsigned *out": "&out.number",
    "unsigned *number": "&out.number", "size_t *offset": "&out.size", "bool *last": "&out.truth", "bool *waits": "&out.truth",
    "uint64_t *out": "&out.word", "uint64_t *word": "&words[0]", "const void *word": "&words[0]", "weft_stats *out": "&stats", "weft_counts *out": "&counted",
    "weft_mutex *mutex": "&mutex", "weft_cond *cond": "&cond", "weft_rwlock *lock": "&rwlock", "weft_semaphore *semaphore": "&semaphore",
    "weft_barrier *barrier": "&barrier", "weft_event *event": "&event", "weft_event *latch": "&latch", "weft_once *once": "&once",
    "weft_future *future": "&future", "const weft_pool_ops *ops": "&ops", "const weft_source_ops *ops": "&nothing_to_wait_for", "weft_awaiter *awaiter": "&awaiter", "void *object": "&event",
    "weft_await_case *cases": "await_cases", "weft_await_kind kind": "WEFT_AWAIT_EVENT", "size_t (*poll)(void *state)": "nothing_comes",
    "const weft_reduction *how": "&reduction", "const weft_row *row": "&row",
    "void (*body)(size_t from, size_t to, void *argument)": "loop_body", "weft_frame_visitor visit": "visit_frame",
    "int (*compare)(const void *left, const void *right, void *argument)": "compare", "void (*fill)(void *memory, void *source)": "fill",
    "bool (*accepts)(void *state, weft_thread *unit)": "accepts", "bool (*commit)(weft_thread *self, void *argument)": "commit",
    "weft_context_function function": "context_body", "void *(*address)(void)": "address_of_words", "const char *what": '"test"',
    "bool (*attempt)(void *argument)": "attempt", "const char *name": '"name"', "const weft_thread *thread": "blocked", "uint32_t *lock": "&spin", "size_t count": "1", "size_t size": "8",
    "weft_pool *const *pools": "&pool", "void *elements": "words", "size_t element_bytes": "8", "void *out": "&out.word", "size_t end": "1",
    "weft_pool_access access": "WEFT_POOL_SHARED", "weft_pool_kind kind": "WEFT_POOL_FIFO", "weft_push_reason reason": "WEFT_PUSH_NEW",
    "weft_source *source": "(weft_source *)(void *)words", "const void *bytes": "words",
}


def value_of(parameter):
    if parameter in VALUES:
        return VALUES[parameter]
    if re.match(r"(bool|int|unsigned|size_t|uint\d+_t) \w+$", parameter):
        return "0"
    if "*" in parameter:
        return "NULL"
    raise SystemExit(f"last_errors_generate.py: what is a good '{parameter}'? Say it in VALUES")


def name_of(parameter):
    return re.search(r"\(\*(\w+)\)", parameter).group(1) if "(*" in parameter else re.search(r"(\w+)$", parameter).group(1)


def calls():
    functions = errors.functions_of(os.path.join(TOP, "include", "weft"))
    for function, causes in errors.of_folder(os.path.join(TOP, "include", "weft")).items():
        text = functions[function].text
        parameters = errors.split(text[text.index("(") + 1 : text.rindex(")")], ",")
        nulls = [cause[: -len(" is null")] for _, cause in causes if cause.endswith(" is null")]
        for null in nulls:
            if function.startswith(ELSEWHERE) or null not in map(name_of, parameters):
                continue
            given = ["NULL" if name_of(each) == null else value_of(each) for each in parameters]
            yield f'  FAILS(WEFT_INVALID, "{null} is null", {function}({", ".join(given)}));'


with open(OUT, "w", encoding="utf-8") as file:
    file.write("static void null_arguments(void) {\n" + "\n".join(calls()) + "\n}\n")
