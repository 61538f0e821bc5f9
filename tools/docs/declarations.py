"""What C headers declare, such as those of include/weft, with the comments before it. The man pages and Doxygen's input are made of this.

A comment consists of paragraphs. Those of a function are, in this order: what the call does (the first sentence is its summary) and what it
takes; then paragraphs that begin with a label, as in LABELS; then, rarely, more paragraphs after an empty line."""

import os
import re
from dataclasses import dataclass, field

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LABELS = ("Returns", "Errors", "Switches", "Callers", "Undefined")
_LABEL = re.compile(rf"(?:^|(?<=\. ))({'|'.join(LABELS)}): ")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_MARKS = r"(?:(?:WEFT|THREADS)_NODISCARD\s+)?(?:WEFT_API|THREADS_API|WEFT_HOT_INLINE|static inline)"
_FUNCTION = re.compile(rf"^{_MARKS}\s+([^;{{}}=]*?\b((?:weft|threads)_\w+)\([^;{{]*\))\s*[;{{]", re.MULTILINE)
_BODY_TYPE = re.compile(r"^typedef (struct|enum) (\w+) \{[^}]*\}[^;]*;", re.MULTILINE)
_PLAIN_TYPE = re.compile(r"^typedef [^;{]*?(?:\(\*(\w+)\)\([^;]*\)|\b(\w+));", re.MULTILINE)
_MACRO = re.compile(r"^#define ((?:WEFT|THREADS)_\w+)(?:\(.*?\))?(?: .*)?$", re.MULTILINE)
_ENUMERATOR = re.compile(r"^  ((?:WEFT|THREADS)_\w+)(?: = \d+)?,? */\* (.*?) \*/$", re.MULTILINE | re.DOTALL)
_FOR_ONE_CALL = re.compile(r"\bFor (?:weft|threads)_\w+ alone\.")
_SECTION = re.compile(r"^/\* -+ (.*?) -+ \*/$", re.MULTILINE)


@dataclass
class Block:
    """kind: text, list (of texts), code (lines), terms (of [term, text])."""

    kind: str
    content: object


@dataclass
class Comment:
    blocks: list = field(default_factory=list)
    labels: dict = field(default_factory=dict)  # in the order in which they stand
    after: list = field(default_factory=list)  # blocks behind the labels

    def summary(self):
        return first_sentence(self.blocks[0].content) if self.blocks and self.blocks[0].kind == "text" else ""


@dataclass
class Item:
    kind: str  # function, struct, enum, type, macro
    name: str
    header: str
    section: str
    text: str  # as declared, without attributes
    line: int
    comment: Comment | None

    def is_inner(self):
        """Whether it is there for one inline function of the library, and no program calls it."""
        texts = [block.content for block in self.comment.blocks if block.kind == "text"] if self.comment else []
        return any(_FOR_ONE_CALL.search(text) for text in texts)


@dataclass
class Header:
    name: str
    head: Comment
    items: list


def first_sentence(text):
    end = re.search(r"\.(?= |$)", text)
    return text[: end.end()] if end else text


def _lines_of(comment):
    inner = comment[2:-2].rstrip()
    return [re.sub(r"^ *\* ?", "", line).rstrip() if number else line.strip() for number, line in enumerate(inner.split("\n"))]


class _Blocks:
    """Takes lines, and has the blocks that they make."""

    def __init__(self):
        self.made = []
        self.is_open = False  # whether the next line may continue the last block

    def last(self, kind):
        return self.made[-1] if self.made and self.is_open and self.made[-1].kind == kind else None

    def add(self, kind, content):
        self.made.append(Block(kind, content))
        self.is_open = True

    def take(self, line):
        term = re.match(r"  (\w+) {2,}(\S.*)$", line)
        if not line:
            self.is_open = self.last("code") is not None
        elif self.last("code") or line.startswith("  "):
            self.take_indented(line, term)
        elif line.startswith("- "):
            self.last("list").content.append(line[2:]) if self.last("list") else self.add("list", [line[2:]])
        elif self.last("text"):
            self.last("text").content += " " + line
        else:
            self.add("text", line)

    def take_indented(self, line, term):
        if self.last("code") and not line.startswith("  "):
            self.is_open = False
            self.take(line)
        elif self.last("list"):
            self.last("list").content[-1] += " " + line.strip()
        elif term and self.last("code") is None:
            self.last("terms").content.append(list(term.groups())) if self.last("terms") else self.add("terms", [list(term.groups())])
        elif self.last("terms"):
            self.last("terms").content[-1][1] += " " + line.strip()
        else:
            self.last("code").content.append(line) if self.last("code") else self.add("code", [line])


def _blocks_of(lines):
    blocks = _Blocks()
    for line in lines:
        blocks.take(line)
    return blocks.made


def parse_comment(text):
    """Comment of a /* */ text."""
    made = Comment()
    lines = _lines_of(text)
    first = next((number for number, line in enumerate(lines) if _LABEL.match(line)), len(lines))
    made.blocks = _blocks_of(lines[:first])
    end = next((number for number in range(first, len(lines)) if not lines[number]), len(lines))
    labelled = " ".join(lines[first:end])
    parts = _LABEL.split(labelled)[1:]
    for label, content in zip(parts[::2], parts[1::2]):
        made.labels[label] = content.strip()
    made.after = _blocks_of(lines[end + 1 :])
    return made


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def _comment_before(text, begin):
    """The comment that ends on the line before begin, or None."""
    before = text[:begin]
    if not before.endswith("*/\n"):
        return None
    found = None
    for match in _COMMENT.finditer(before):
        found = match
    if found.end() != len(before) - 1 or _SECTION.match(found.group(0)) or found.start() == 0:
        return None
    return parse_comment(found.group(0))


def _found_items(text, code):
    """(kind, name, declared text, begin), in no order."""
    for match in _FUNCTION.finditer(code):
        yield "function", match.group(2), " ".join(text[match.start(1) : match.end(1)].split()), match.start()
    for match in _BODY_TYPE.finditer(code):
        yield match.group(1), match.group(2), text[match.start() : match.end()], match.start()
    for match in _PLAIN_TYPE.finditer(code):
        yield "type", match.group(1) or match.group(2), match.group(0), match.start()
    for match in _MACRO.finditer(code):
        if not match.group(1).endswith("_H"):
            yield "macro", match.group(1), match.group(0), match.start()


def read_header(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    code = _COMMENT.sub(_blank, text)
    head = _COMMENT.match(text)
    name = os.path.basename(path)
    items = []
    for kind, called, declared, begin in sorted(_found_items(text, code), key=lambda found: found[3]):
        sections = [match.group(1) for match in _SECTION.finditer(text, 0, begin)]
        section = sections[-1] if sections else ""
        items.append(Item(kind, called, name, section, declared, text.count("\n", 0, begin) + 1, _comment_before(text, begin)))
    return Header(name, parse_comment(head.group(0)) if head else Comment(), items)


def read_all(folder):
    """The C headers of a folder, by their names, without what is the library's own."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(".h"))
    return {name: read_header(os.path.join(folder, name)) for name in names}


def umbrella_of(folder):
    """The header that includes the others."""
    return next(name for name in ("weft.h", "threads.h") if os.path.exists(os.path.join(folder, name)))


def included_in(path):
    """The headers beside it that a header includes."""
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r"#include <\w+/(\w+\.h)>", file.read()))


def topics_of(folder):
    """The headers that the umbrella includes."""
    return included_in(os.path.join(folder, umbrella_of(folder)))


def whole_of(folder, name):
    """The header that a program includes for this one: the umbrella for its topics, ext.h for ext_pool.h."""
    whole = os.path.join(folder, name.split("_")[0] + ".h")
    if os.path.exists(whole) and name in included_in(whole):
        return os.path.basename(whole)
    return umbrella_of(folder) if name in topics_of(folder) else name


def meaning_of_status(headers):
    """What each status means, by its name."""
    status = next(item for header in headers.values() for item in header.items if item.name in ("weft_status", "threads_status"))
    return {name: " ".join(text.split()) for name, text in _ENUMERATOR.findall(status.text)}
