#!/usr/bin/env python3
"""Memory orders of the core and of faces in its dialect: every atomic operation names its order; every one that is not relaxed, and every fence, carries a
tag such as

  // [D3] release: publishes the slot; pairs with [D5] [D7]

in the comment above it or at the end of its line; no two share a tag; partners name each other; each letter has its page
docs/protocols/<letter>.md. See docs/protocols/README.md.

usage: orders.py [folder]"""

import os
import re
import sys
from dataclasses import dataclass

import sources

EXEMPT = ("src/base/atomic.hpp", "lang/runtime/weft_tascell/atomic.hpp", "src/os/fence.hpp", "src/os/fence.cpp", "faces/mpi/src/weft_mpi/word.h")  # where the words are defined
OPERATION = re.compile(
    r"(?:\.|->)\s*(load|store|exchange|compare_exchange_weak|compare_exchange_strong|fetch_add|fetch_sub|fetch_and|fetch_or"
    r"|fetch_xor|test_and_set)\s*\(|\b(__atomic_(?!thread_fence|signal_fence)\w+|weft_hot_load\w*|weft_hot_store|mpi_(?:word|slot|number)_\w+)\s*\("
)
FENCE = re.compile(r"\b(weft_hot_light_fence|fence_seq_cst|light_fence|heavy_fence|heavy_fence_between_processes|atomic_thread_fence|__atomic_thread_fence)\s*\(")
ORDER = re.compile(r"\b(?:memory_order_|__ATOMIC_)?(relaxed|acquire|release|acq_rel|seq_cst|RELAXED|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b")
TAG = re.compile(r"\[([A-Z]\d+)\]\s+(relaxed|acquire|release|acq_rel|seq_cst|light fence|heavy fence|fence)\s*:")
PARTNERS = re.compile(r"pairs with\s+((?:and\s+|,\s*|\s+|\[[A-Z]\d+\])+)")
FENCE_WORDS = {"light_fence": ("light fence",), "weft_hot_light_fence": ("light fence",), "heavy_fence": ("heavy fence",),
               "heavy_fence_between_processes": ("heavy fence",)}
ATOMIC_MEMBER = re.compile(r"\batomic\s*<[^;{}()]*>\s+(\w+)\s*[;{\[]")


@dataclass
class Tag:
    name: str
    order: str
    partners: tuple
    where: str
    used: bool = False


def arguments(code, opening):
    """The text between the parenthesis at opening and its partner."""
    depth = 0
    for index in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[index], 0)
        if depth == 0:
            return code[opening + 1 : index]
    return code[opening + 1 :]


class SourceFile:
    def __init__(self, path, text):
        self.path = path
        self.lines = text.split("\n")
        self.code = sources.without_comments(text)
        self.code_lines = self.code.split("\n")
        self.tags = {}  # line number (from 0) of the tag -> list of tags

    def comment(self, number):
        """The comment of a line, or None."""
        line, code = self.lines[number], self.code_lines[number]
        mark = len(code.rstrip())
        text = line[mark:].strip()
        return text if text.startswith(("//", "/*", "*")) else None

    def comment_block(self, number):
        """The line's comment with those right below that go on with it."""
        words = [self.comment(number)]
        below = number + 1
        while below < len(self.lines) and not self.code_lines[below].strip() and self.comment(below):
            if TAG.search(self.comment(below)):
                break
            words.append(self.comment(below).lstrip("/* "))
            below += 1
        return " ".join(words)

    def find_tags(self):
        for number in range(len(self.lines)):
            if not self.comment(number):
                continue
            for match in TAG.finditer(self.comment(number)):
                block = self.comment_block(number)
                block = block[block.index(match.group(0)) + len(match.group(0)) :]
                block = TAG.split(block)[0]
                partners = PARTNERS.search(block)
                names = tuple(re.findall(r"\[([A-Z]\d+)\]", partners.group(1))) if partners else ()
                tag = Tag(match.group(1), match.group(2), names, f"{self.path}:{number + 1}")
                self.tags.setdefault(number, []).append(tag)

    def line_of(self, offset):
        return self.code.count("\n", 0, offset)

    def statement_start(self, offset):
        """Line of the first word of the statement that holds offset."""
        begin = max(self.code.rfind(mark, 0, offset) for mark in ";{}") + 1
        # A parenthesised list before the operation, as in `for (...; x.load(...);`, may hide the beginning: take the nearer one.
        while begin < offset and self.code[begin].isspace():
            begin += 1
        return self.line_of(begin)

    def tags_for(self, first, last):
        """Unused tags at the end of the lines first..last, and in the comment right above them or between them."""
        found = [tag for number in range(first, last + 1) for tag in self.tags.get(number, [])]
        above = first - 1
        while above >= 0 and not self.code_lines[above].strip() and self.comment(above):
            found = self.tags.get(above, []) + found
            above -= 1
        return found


def fits(tag, orders, fence):
    if fence:
        return tag.order in FENCE_WORDS.get(fence, ("fence", "seq_cst")) or tag.order == "fence"
    return tag.order in orders


def uses(file):
    """(offset, end, orders, fence, text) of all atomic operations and fences."""
    for match in OPERATION.finditer(file.code):
        inside = arguments(file.code, match.end() - 1)
        orders = [order.lower() for order in ORDER.findall(inside)]
        yield match.start(), match.end() + len(inside), orders, None, match.group(1) or match.group(2)
    for match in FENCE.finditer(file.code):
        before = file.code[: match.start()].rstrip()
        if re.search(r"\b(void|bool|status)$", before):  # a declaration
            continue
        yield match.start(), match.end(), [], match.group(1), match.group(1)


def check_uses(file):
    problems = []
    for begin, end, orders, fence, what in sorted(uses(file), key=lambda use: use[0]):
        where = f"{file.path}:{file.line_of(begin) + 1}"
        if not fence and not orders:
            problems.append(f"{where}: {what} does not name its memory order")
            continue
        if not fence and set(orders) == {"relaxed"}:
            continue
        candidates = file.tags_for(file.statement_start(begin), file.line_of(end))
        tag = next((tag for tag in candidates if not tag.used and fits(tag, orders, fence)), None)
        if tag:
            tag.used = True
        else:
            problems.append(f"{where}: {fence or what + ' ' + '/'.join(orders)} has no tag of that order above it or on its line")
    return problems


def check_implicit(file):
    """Operators on an atomic are sequentially consistent and name nothing."""
    problems = []
    for name in set(ATOMIC_MEMBER.findall(file.code)):
        for match in re.finditer(rf"(?<![\w.>])(?:\+\+|--)\s*{name}\b|\b{name}\s*(?:\+\+|--|[-+|&^]=|=(?!=))", file.code):
            line = file.code_lines[file.line_of(match.start())]
            if not re.search(rf"\batomic\s*<|\b(auto|int|bool|\w+_t|size_t|unsigned)\s*[*&]?\s*{name}\b", line):
                problems.append(f"{file.path}:{file.line_of(match.start()) + 1}: operator on the atomic {name}: name the order")
    return problems


def check_tags(files, pages):
    problems = []
    tags = {}
    for tag in [tag for file in files for line in file.tags.values() for tag in line]:
        if tag.name in tags:
            problems.append(f"{tag.where}: tag [{tag.name}] is already at {tags[tag.name].where}")
            continue
        tags[tag.name] = tag
        if not tag.used:
            problems.append(f"{tag.where}: tag [{tag.name}] stands at no operation of that order")
        if tag.name[0] not in pages:
            problems.append(f"{tag.where}: docs/protocols/{tag.name[0]}.md is missing")
    for tag in tags.values():
        if not tag.partners:
            problems.append(f"{tag.where}: tag [{tag.name}] pairs with nothing")
        for partner in tag.partners:
            if partner not in tags:
                problems.append(f"{tag.where}: [{tag.name}] pairs with [{partner}], which is nowhere")
            elif tag.name not in tags[partner].partners:
                problems.append(f"{tag.where}: [{tag.name}] pairs with [{partner}], which does not name it at {tags[partner].where}")
    return problems


def check(top):
    paths = sources.files(top, ["src", "faces/argobots", "faces/common", "faces/qthreads/src", "dist", "lang"], (".hpp", ".cpp", ".h")) + sources.files(top, ["include/weft/hot.h"], ".h")
    paths += sources.files(top, ["faces/mpi/src"], (".c", ".h"))
    files = [SourceFile(path, sources.read(top, path)) for path in paths if path not in EXEMPT]
    folder = os.path.join(top, "docs", "protocols")
    pages = {name[:-3] for name in (os.listdir(folder) if os.path.isdir(folder) else []) if name.endswith(".md")}
    problems = []
    for file in files:
        file.find_tags()
        problems += check_uses(file) + check_implicit(file)
    return problems + check_tags(files, pages), sum(len(line) for file in files for line in file.tags.values())


if __name__ == "__main__":
    found, count = check(sources.top_from_arguments())
    sys.exit(sources.finish("orders", found, f"{count} tags"))
