#!/usr/bin/env python3
"""Files of at most 600 lines, functions of at most 60; warns from 400 and 40 on. Exceptions, each with its reason, are in
tools/lint/sizes.toml.

usage: sizes.py [folder]"""

import ast
import os
import re
import sys
import tomllib

import sources

FILE_FAIL, FILE_WARN = 600, 400
FUNCTION_FAIL, FUNCTION_WARN = 60, 40
FOLDERS = ("src", "include", "tools", "tests", "bench", "examples", "dist", "net", "faces", "lang", "cmake")
C_LIKE = (".c", ".h", ".cpp", ".hpp")
OTHER = (".py", ".S", ".sh", ".cmake", "CMakeLists.txt")
TRANSPARENT = re.compile(r'\b(namespace|class|struct|union|enum|extern)\b[^()]*$|\bextern\s*$')


def c_functions(text):
    """(name, first line, length) of the functions of a C or C++ file, found by their braces."""
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", sources.blank, sources.without_comments(text), flags=re.MULTILINE)
    code = re.sub(r"(?<=\w)\{[^{};\n]*\}", sources.blank, code)  # member{value}: no scope
    found = []
    open_braces = []  # for each: None for a scope that may hold functions, "" for others, (name, line) for a function
    head_begin = 0
    for match in re.finditer(r"[{};]", code):
        mark, head = match.group(0), code[head_begin : match.start()]
        inside = any(entry is not None for entry in open_braces)
        if mark == "{":
            if inside:
                open_braces.append("")
            else:
                open_braces.append(_classify(code, head, head_begin))
        elif mark == "}" and open_braces:
            entry = open_braces.pop()
            if isinstance(entry, tuple):
                found.append((*entry, code.count("\n", 0, match.start()) + 2 - entry[1]))
        head_begin = match.end()
    return found


def _classify(code, head, head_begin):
    plain = re.sub(r"\[\[.*?\]\]|alignas\s*\(.*?\)", " ", head, flags=re.DOTALL)
    while (without := re.sub(r"<[^<>]*>", " ", plain)) != plain:  # template<R(Args...)> holds no parameters of a function
        plain = without
    if TRANSPARENT.search(plain):
        return None
    name = re.search(r"(operator\s*(?:\(\)|[^\s(]+)|[\w:~]+)\s*\(", plain)
    if not name:
        return None if not head.strip() else ""
    begin = head_begin + len(head) - len(head.lstrip())
    return (name.group(1), code.count("\n", 0, begin) + 1)


def python_functions(text):
    return [
        (node.name, node.lineno, node.end_lineno - node.lineno + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def read_exceptions(top):
    path = os.path.join(top, "tools", "lint", "sizes.toml")
    if not os.path.exists(path):
        return {}, []
    with open(path, "rb") as file:
        entries = tomllib.load(file).get("exception", [])
    problems = [f"tools/lint/sizes.toml: {entry} needs what, lines and reason" for entry in entries if not _is_complete(entry)]
    return {entry["what"]: entry["lines"] for entry in entries if _is_complete(entry)}, problems


def _is_complete(entry):
    return all(entry.get(key) for key in ("what", "lines", "reason"))


def check(top):
    exceptions, problems = read_exceptions(top)
    warnings = []

    def judge(what, where, length, warn, fail):
        if length > exceptions.get(what, fail):
            problems.append(f"{where}: {length} lines (at most {exceptions.get(what, fail)})")
        elif length > warn and what not in exceptions:
            warnings.append(f"{where}: {length} lines; {warn} is long already")

    for path in sources.files(top, FOLDERS, C_LIKE + OTHER):
        text = sources.read(top, path)
        judge(path, path, text.count("\n"), FILE_WARN, FILE_FAIL)
        functions = python_functions(text) if path.endswith(".py") else c_functions(text) if path.endswith(C_LIKE) else []
        for name, line, length in functions:
            judge(f"{path}:{name}", f"{path}:{line}: {name}", length, FUNCTION_WARN, FUNCTION_FAIL)
    return problems, warnings


if __name__ == "__main__":
    found, long_ones = check(sources.top_from_arguments())
    for warning in long_ones:
        print(f"warning: {warning}")
    sys.exit(sources.finish("sizes", found, f"{len(long_ones)} warnings"))
