#!/usr/bin/env python3
"""The comment of each C function in the public headers is a contract in one form (weft.h, "Text"): a summary, what it takes, then Returns, Errors,
Switches, Callers and Undefined, in this order. Lines of comments there end at column 100.

usage: comments.py [folder]"""

import os
import re
import sys

import sources

sys.path.insert(0, os.path.join(sources.TOP, "tools", "docs"))
import declarations

WIDTH = 100
NEEDED = ("Switches", "Callers")
SWITCHES = re.compile(r"(never|may)(; .*)?\.$")
REFERENCE = re.compile(r"\b(?:weft|threads)_\w*[a-z0-9]\b(?!\*)")
FOLDERS = ("include/weft", "faces/threads/include/weft_threads")


def form_of(item, statuses):
    """What is wrong with the comment of a function."""
    comment = item.comment
    if comment is None:
        return ["has no text"]
    labels = list(comment.labels)
    wrong = [f"does not say {label}" for label in NEEDED if label not in labels]
    if not comment.summary().endswith("."):
        wrong.append("begins with no sentence of its own")
    if labels != [label for label in declarations.LABELS if label in labels]:
        wrong.append(f"has its labels in another order than {', '.join(declarations.LABELS)}")
    if "Switches" in labels and not SWITCHES.match(comment.labels["Switches"]):
        wrong.append("says of Switches neither never nor may")
    is_status = item.text.startswith(("weft_status ", "threads_status "))
    is_void = re.match(r"void \w", item.text) is not None
    if is_status != ("Errors" in labels):
        wrong.append("returns a status and does not say Errors" if is_status else "says Errors and returns no status")
    if not is_status and is_void == ("Returns" in labels):
        wrong.append("says Returns and returns nothing" if is_void else "does not say Returns")
    return wrong + [f"names {name} as an error, which is no status" for name in errors_of(comment) if name not in statuses]


def errors_of(comment):
    """The names that stand where a status stands, not inside a reason."""
    outside = re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)", "", comment.labels.get("Errors", ""))
    return re.findall(r"\b(?:WEFT|THREADS)_\w+", outside.split(". ")[0])


def references_of(item):
    return set(REFERENCE.findall(str(item.comment))) if item.comment else set()


def wide_lines(top, path):
    for number, line in enumerate(sources.read(top, path).split("\n"), 1):
        begins = re.match(r"\s*(/\*|\*)( |$)", line)
        if begins and len(line) > WIDTH:
            yield f"{path}:{number}: a comment of {len(line)} columns (at most {WIDTH})"


def check_folder(top, folder):
    headers = declarations.read_all(os.path.join(top, folder))
    items = [item for header in headers.values() for item in header.items]
    known = {item.name for item in items} | {os.path.basename(path) for path in FOLDERS}
    statuses = declarations.meaning_of_status(headers)
    problems, count = [], 0
    for item in items:
        where = f"{folder}/{item.header}:{item.line}: {item.name}"
        if item.kind == "function":
            count += 1
            problems += [f"{where} {wrong}" for wrong in form_of(item, statuses)]
        problems += [f"{where} mentions {name}, which is not declared" for name in sorted(references_of(item) - known)]
    for header in headers:
        problems += wide_lines(top, f"{folder}/{header}")
    return problems, count


def check(top):
    found = [check_folder(top, folder) for folder in FOLDERS if os.path.isdir(os.path.join(top, folder))]
    return [problem for problems, _ in found for problem in problems], sum(count for _, count in found)


if __name__ == "__main__":
    found, looked_at = check(sources.top_from_arguments())
    sys.exit(sources.finish("comments", found, f"{looked_at} C functions"))
