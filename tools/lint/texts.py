#!/usr/bin/env python3
"""The comment of each public C++ function is a contract in one form (weft.hpp, "Text"): what it does, what it takes, then sentences that begin
with Returns, Throws, May switch or Never switches, Callable from, and Undefined, in this order. A function without a comment fails. The comment
of a function that returns an awaitable begins "Returns an awaitable".

usage: texts.py [folder]"""

import re
import sys

import sources

FOLDER = "include/weft"
# Headers in which functions need not yet say all of what they throw, whether they switch, and from where they may be called. A text there
# keeps the order. The list gets shorter.
OPEN = ("algorithm", "execution", "numeric")
LABELS = (
    ("Returns", re.compile(r"Returns\b")),
    ("Throws", re.compile(r"(?:Throws|Never throws|co_await throws)\b")),
    ("May switch or Never switches", re.compile(r"(?:May switch|Never switches)\b")),
    ("Callable from", re.compile(r"Callable from\b")),
    ("Undefined", re.compile(r"Undefined\b")),
)
# What users see of namespace detail: bases that have the calls of mutexes and of channels.
SHOWN_OF_DETAIL = ("mutex_base", "basic_channel")
NO_FUNCTION = {"if", "for", "while", "switch", "catch", "requires", "static_assert", "decltype", "sizeof", "alignas", "noexcept", "explicit", "return"}
OPERATOR = re.compile(r"\b(operator\s*(?:\(\s*\)|[^(]+?))\s*\(")
AWAITABLE = re.compile(r"\b\w*(?:awaiter|awaitable)\b|^(?:inline )?task<")


class Function:
    def __init__(self, name, head, line, comment, body, is_default):
        self.name, self.head, self.line, self.comment, self.body = name, head, line, comment, body
        self.is_default = is_default  # a constructor without parameters

    def is_plain(self):
        """It neither throws nor switches, and its head says so; or it is a deduction guide, or refuses its arguments."""
        return re.search(r"\bnoexcept\b(?!\s*\()|\bconstexpr\b|^(?:template .*)?\w+\(.*\) ->", self.head) is not None or self.comment.startswith("Rejects")

    def is_given(self):
        """What the language defines, or what was declared, with its text, before: it needs none."""
        is_member_outside = re.search(rf"\w(?:<[^()]*>)?::{re.escape(self.name)}\s*\(", self.head) is not None
        return is_member_outside or re.search(r"=\s*(?:default|delete)\s*$", self.head) is not None or self.name.startswith("~")

    def returns_awaitable(self):
        if self.name.startswith("async_") or self.name == "operator co_await":
            return True
        before = skip_template(without_attributes(self.head)).split(self.name + "(", 1)[0]
        return AWAITABLE.search(before.strip()) is not None or re.search(r"\breturn detail::\w*awaiter\b", self.body) is not None

    def sentences(self):
        plain = re.sub(r"\([^()]*\)", "", self.comment)
        return [each.strip() for each in re.split(r"(?<=[.:;])\s+", plain) if each.strip()]


def without_attributes(head):
    return re.sub(r"\[\[.*?\]\]", " ", head, flags=re.DOTALL)


def skip_balanced(text, at, opening, closing):
    """Behind what closes; the > of an arrow does not."""
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == opening) - (text[index] == closing and text[index - 1 : index + 1] != "->")
        if depth == 0:
            return index + 1
    return len(text)


def skip_template(head):
    """Behind `template <...>` and a requires clause, where the declaration itself begins."""
    head = head.lstrip()
    while head.startswith("template"):
        head = head[skip_balanced(head, head.index("<"), "<", ">") :].lstrip()
    if head.startswith("requires"):
        head = skip_requires(head[len("requires") :])
    return head


def skip_requires(rest):
    """Behind the constraint: terms that are joined by && and ||."""
    while True:
        rest = rest.lstrip("! \n\t")
        if rest.startswith("("):
            rest = rest[skip_balanced(rest, 0, "(", ")") :]
        else:
            rest = re.sub(r"^[\w:]+", "", rest)
            if rest.startswith("<"):
                rest = rest[skip_balanced(rest, 0, "<", ">") :]
            rest = re.sub(r"^::\w+", "", rest)
        rest = rest.lstrip()
        if not rest.startswith(("&&", "||")):
            return rest
        rest = rest[2:]


def name_of(head):
    """The function's name, if the head declares one."""
    declared = re.sub(r"\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)|\bexplicit\s*\([^()]*\)", " ", skip_template(head), flags=re.DOTALL)
    at = declared.find("(")
    if at < 0 or re.match(r"\s*(?:using|typedef|static_assert|concept|namespace|enum|friend class|friend struct)\b", declared):
        return None
    before = declared[:at]
    if found := OPERATOR.search(declared):
        return " ".join(found.group(1).split())
    if "=" in before:
        return None
    found = re.search(r"(~?\w+)\s*$", before)
    return found.group(1) if found and found.group(1) not in NO_FUNCTION else None


def comment_above(lines, line):
    """The // lines right above a line, joined."""
    begin = line
    while begin > 0 and re.match(r"\s*//", lines[begin - 1]):
        begin -= 1
    return " ".join(re.sub(r"^\s*//\s?", "", each).strip() for each in lines[begin:line]).strip()


class Reader:
    """Walks a header, and finds the functions that its users see."""

    def __init__(self, text):
        self.lines = text.split("\n")
        code = sources.without_comments(text)
        self.code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda match: re.sub(r"[^\n]", " ", match.group(0)), code, flags=re.MULTILINE)
        self.found = []

    def functions(self):
        self.scope(0, "namespace", "")
        declared = {function.name for function in self.found if not function.body and function.comment}
        return [function for function in self.found if function.comment or not function.body or function.name not in declared]

    def scope(self, at, kind, owner):
        """The declarations of a namespace or a class, up to its end; where that is."""
        is_seen, begin = kind not in ("class", "detail"), at
        while at < len(self.code):
            mark = self.code[at]
            if mark == "}":
                return at + 1
            access = re.compile(r"(public|private|protected)\s*:(?!:)").match(self.code, at) if mark in "pr" and not self.code[begin:at].strip() else None
            if access:
                is_seen, at = access.group(1) == "public", access.end()
                begin = at
            elif mark == "(":
                at = skip_balanced(self.code, at, "(", ")")
            elif mark == ";":
                self.declare(begin, at, is_seen, owner)
                at = begin = at + 1
            elif mark == "{":
                at = begin = self.block(begin, at, is_seen, owner)
            else:
                at += 1
        return at

    def block(self, begin, at, is_seen, owner):
        head = self.code[begin:at]
        plain = skip_template(without_attributes(head)).strip()
        while (flat := re.sub(r"<[^<>]*>", " ", plain)) != plain:
            plain = flat
        scope = re.match(r"(?:inline\s+)?(namespace|class|struct|union|enum|extern)\b([^()=]*)$", plain)
        if scope:
            kind, name = scope.group(1), re.split(r"(?<!:):(?!:)", scope.group(2))[0].split("<")[0].strip()
            if kind == "namespace" and name.split("::")[-1] == "detail":
                return self.scope(at + 1, "detail", owner)
            is_hidden = not is_seen and name not in SHOWN_OF_DETAIL
            if is_hidden or name == "std" or kind == "enum" or scope.group(2).strip().startswith("std::"):
                return skip_balanced(self.code, at, "{", "}")
            return self.scope(at + 1, "namespace" if kind in ("namespace", "extern") else kind, name or owner)
        end = skip_balanced(self.code, at, "{", "}")
        if self.is_initialiser(end):  # of a member, in a constructor: the body is still to come
            return self.body_after_initialisers(begin, at, end, is_seen, owner)
        self.declare(begin, at, is_seen, owner, self.code[at:end])
        return end

    def is_initialiser(self, end):
        return re.match(r"\s*[,{]", self.code[end:]) is not None

    def body_after_initialisers(self, begin, at, end, is_seen, owner):
        while self.is_initialiser(end):
            end = skip_balanced(self.code, self.code.index("{", end), "{", "}")
        self.declare(begin, at, is_seen, owner)
        return end

    def declare(self, begin, end, is_seen, owner, body=""):
        head = self.code[begin:end]
        name = name_of(head) if is_seen and head.strip() else None
        if name is None:
            return
        first = begin + len(head) - len(head.lstrip())
        line = self.code.count("\n", 0, first)
        is_default = name == owner and re.search(rf"\b{re.escape(name)}\s*\(\s*\)", head) is not None
        self.found.append(Function(name, " ".join(head.split()), line + 1, comment_above(self.lines, line), body, is_default))


def form_of(function, is_whole):
    """What is wrong with the comment of a function."""
    if not function.comment:
        return [] if function.is_given() or function.is_default else ["has no text"]
    sentences = function.sentences()
    said = [label for sentence in sentences for label, pattern in LABELS if pattern.match(sentence)]
    wrong = []
    order = [label for label, _ in LABELS]
    places = [order.index(label) for label in said]
    if places != sorted(places):
        wrong.append(f"says {said[[a > b for a, b in zip(places, places[1:])].index(True) + 1]} too late: the order is {', '.join(order)}")
    if function.returns_awaitable() and not function.comment.startswith("Returns an awaitable"):
        wrong.append('returns an awaitable, and its text does not begin "Returns an awaitable"')
    if is_whole and not function.is_plain() and not function.is_given():
        wrong += [f"does not say {label}" for label in order[1:4] if label not in said]
    return wrong


def check(top):
    problems, count = [], 0
    for path in sources.files(top, [FOLDER], ".hpp"):
        if "/detail/" in path:
            continue
        is_whole = path.removeprefix(f"{FOLDER}/").removesuffix(".hpp") not in OPEN
        for function in Reader(sources.read(top, path)).functions():
            count += 1
            problems += [f"{path}:{function.line}: {function.name} {wrong}" for wrong in form_of(function, is_whole)]
    return problems, count


if __name__ == "__main__":
    found, looked_at = check(sources.top_from_arguments())
    sys.exit(sources.finish("texts", found, f"{looked_at} C++ functions"))
