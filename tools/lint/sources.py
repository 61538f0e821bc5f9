"""Which files the lints look at, and a few words that they share."""

import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def files(top, folders, endings):
    """Paths relative to top, of files in folders that are tracked or not ignored; outside a git tree, all."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders], cwd=top, capture_output=True, text=True
    )
    if listed.returncode == 0 and os.path.exists(os.path.join(top, ".git")):
        paths = listed.stdout.split("\n")
    else:
        paths = [
            os.path.relpath(os.path.join(folder, name), top)
            for root in folders
            for folder, _, names in os.walk(os.path.join(top, root))
            for name in names
        ]
    return sorted(path for path in set(paths) if path.endswith(endings) and os.path.isfile(os.path.join(top, path)))


def read(top, path):
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


_LITERAL = r'R"(?P<raw>\w*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
_COMMENT = r"//(?:\\\n|[^\n])*|/\*.*?\*/"


def without_comments(text, keep_literals=False):
    """C or C++ text with comments (and literals) blanked, so that lines and columns stay."""

    def replace(match):
        is_comment = match.group(0).startswith("/")
        return blank(match) if is_comment or not keep_literals else match.group(0)

    return re.sub(f"{_COMMENT}|{_LITERAL}", replace, text, flags=re.DOTALL)


def finish(name, problems, looked_at):
    """Prints what was found, one line each, and returns the exit status."""
    for problem in problems:
        print(problem)
    print(f"{name}: {looked_at}, {len(problems)} problem{'' if len(problems) == 1 else 's'}")
    return 1 if problems else 0


def top_from_arguments():
    """The folder to look at: the only argument, else this project."""
    return os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else TOP
