#!/usr/bin/env python3
"""Holds faces/fortran/weft.f90 and the headers together: each function that the module binds has the arguments and the result that its header
declares, each bind(c) type the members, each constant the value; each procedure and constant that the module exports is named in a program of
this folder. No compiler is needed.

usage: interfaces_test.py"""

import glob
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(TOP, "tools", "docs"))
import declarations  # noqa: E402

# Fortran's declaration of what C declares. A pointer to a type is an argument by reference; what C leaves unsigned has the same bits.
ENUMS = ("weft_status", "weft_finalize_mode", "weft_thread_state", "weft_wait_policy", "weft_locality")
VALUES = {
    "int": "integer(c_int)", "unsigned": "integer(c_int)", "uint32_t": "integer(c_int32_t)", "uint64_t": "integer(c_int64_t)",
    "size_t": "integer(c_size_t)", "bool": "logical(c_bool)", "weft_key": "type(weft_key)", "weft_function": "type(c_funptr)",
    **{name: "integer(c_int)" for name in ENUMS},
}
POINTED_TO = {**VALUES, **{name: f"type({name})" for name in (
    "weft_config", "weft_thread_attr", "weft_reduction", "weft_mutex", "weft_cond", "weft_rwlock", "weft_semaphore", "weft_barrier", "weft_event")}}


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def module_text(text):
    """Without comments and with continued lines joined."""
    return re.sub(r"&\n\s*", "", re.sub(r"(?m) *!.*$", "", text))


def parameters_of(declared):
    """(type, name) of each parameter in the text of a C function."""
    inner = re.sub(r"^[^(]*\((.*)\)$", r"\1", declared)
    inner = re.sub(r"[\w ]+\(\*(\w+)\)\([^()]*\)", r"weft_function \1", inner)  # a pointer to a function, whatever it takes
    if inner in ("void", ""):
        return []
    return [re.match(r"(.*?)(\w+)$", each.strip()).groups() for each in inner.split(",")]


def fortran_of(c_type):
    """The declarations that stand for a C type."""
    plain = " ".join(c_type.replace("const", "").split())
    if not plain.endswith("*"):
        return {f"{VALUES[plain]}, value"}
    base = plain[:-1].strip()
    if base == "weft_thread *":
        return {"type(weft_thread), by reference"}
    if base in ("void", "char", "weft_thread", "void *"):
        return {"type(c_ptr), value"}
    return {f"{POINTED_TO[base]}, by reference"}


def result_of(c_type):
    plain = " ".join(c_type.replace("const", "").split())
    return "type(c_ptr)" if plain.endswith("*") else VALUES.get(plain, plain)


def bound_functions(text):
    """{C name: (result, [(declaration, name)])} of the module's interfaces."""
    found = {}
    pattern = re.compile(r"^ *(?:pure )?(?:(\S+) function|(subroutine)) (\w+)\(([^)]*)\) *bind\(c, name='(\w+)'\)\n(.*?)^ *end (?:function|subroutine)", re.M | re.S)
    for result, is_subroutine, _, arguments, name, body in pattern.findall(text):
        kinds = {}
        for line in body.splitlines():
            if "::" in line:
                attributes, names = line.split("::")
                how = "value" if ", value" in attributes else "by reference"
                for each in names.split(","):
                    kinds[re.sub(r"\(\*\)", "", each).strip()] = f"{attributes.split(',')[0].strip()}, {how}"
        named = [each.strip() for each in arguments.split(",") if each.strip()]
        found[name] = ("void" if is_subroutine else result, [(kinds[each], each) for each in named])
    return found


def problems_of(text, functions):
    """What differs between a module's text and the functions of the headers."""
    for name, (result, arguments) in bound_functions(module_text(text)).items():
        if not name.startswith("weft_"):
            continue
        if name not in functions:
            yield f"{name}: no header declares it"
            continue
        declared = functions[name]
        wanted = parameters_of(declared)
        if result != result_of(declared.split(name)[0]):
            yield f"{name}: returns {result}"
        if [each for _, each in arguments] != [each for _, each in wanted]:
            yield f"{name}: takes {[each for _, each in arguments]}, not {[each for _, each in wanted]}"
            continue
        for (kind, argument), (c_type, _) in zip(arguments, wanted):
            if kind not in fortran_of(c_type):
                yield f"{name}: {argument} is {kind}, and in C {c_type.strip()}"


def headers():
    return declarations.read_all(os.path.join(TOP, "include", "weft"))


def items(kind):
    return {item.name: item.text for header in headers().values() for item in header.items if item.kind == kind}


def members_of_c(text):
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    body = re.search(r"\{(.*)\}", code, re.S).group(1)
    found = []
    for statement in filter(None, map(str.strip, body.split(";"))):
        pointer = re.match(r"[\w ]+\(\*(\w+)\)", statement)
        array = re.match(r"uint64_t (\w+)\[(\d+)\]$", statement)
        if pointer:
            found.append((pointer.group(1), "type(c_funptr)", 1))
        elif array:
            found.append((array.group(1), "integer(c_int64_t)", int(array.group(2))))
        else:
            c_type, name = re.match(r"(.*?)(\w+)$", statement).groups()
            found.append((name, "type(c_ptr)" if "*" in c_type else VALUES[c_type.strip()], 1))
    return found


def members_of_fortran(body):
    found = []
    for line in body.splitlines():
        if "::" in line:
            kind, names = line.split("::")
            for each in re.split(r",(?![^(]*\))", names):
                name, size = re.match(r"\s*(\w+)(?:\((\d+)\))?", each).groups()
                found.append((name, kind.strip(), int(size or 1)))
    return found


class InterfacesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = text_of(os.path.join(TOP, "faces", "fortran", "weft.f90"))
        cls.code = module_text(cls.text)
        cls.functions = items("function")

    def test_functions_are_those_of_the_headers(self):
        self.assertGreater(len(bound_functions(self.code)), 80)
        self.assertEqual(list(problems_of(self.text, self.functions)), [])

    def test_a_planted_drift_is_found(self):
        for name, was, now, said in (
            ("weft_mutex_lock_until", "uint64_t deadline_ns", "uint32_t deadline_ns", "deadline_ns is"),
            ("weft_semaphore_release", ", uint32_t count", "", "takes"),
            ("weft_self", "weft_thread *", "uint32_t ", "returns"),
            ("weft_feb_read_xx", "const uint64_t *word", "uint64_t word", "word is"),
        ):
            declared = self.functions[name].replace(was, now)
            self.assertNotEqual(declared, self.functions[name])
            found = list(problems_of(self.text, {**self.functions, name: declared}))
            self.assertEqual(len(found), 1, found)
            self.assertIn(f"{name}: {said}", found[0])
        del self.functions["weft_yield_to"]
        self.assertEqual(list(problems_of(self.text, self.functions)), ["weft_yield_to: no header declares it"])
        InterfacesTest.functions = items("function")

    def test_types_have_the_members_of_the_headers(self):
        types = {name: body for name, body in re.findall(r"type, bind\(c\)[^\n]*:: (\w+)\n(.*?)end type", self.code, re.S)}
        structs = items("struct")
        self.assertEqual(set(types) - set(structs), {"weft_thread"})  # a handle
        for name in sorted(set(types) & set(structs)):
            self.assertEqual(members_of_fortran(types[name]), members_of_c(structs[name]), name)

    def test_constants_have_the_values_of_the_headers(self):
        said = " ".join(text for kind in ("enum", "macro") for text in items(kind).values())
        found = re.findall(r"\b(weft_\w+) = (-?\d+)(?=[,\n])", "\n".join(line for line in self.code.splitlines() if "parameter" in line))
        self.assertGreater(len(found), 25)
        for name, value in found:
            self.assertRegex(said, rf"\b{name.upper()}(?: = | \(?){value}[u)]?(?!\d)", name)
        statuses = re.findall(r"WEFT_[A-Z_]+(?= = \d)", items("enum")["weft_status"])
        self.assertEqual([name for name in statuses if name.lower() not in dict(found)], [])

    def test_initial_values_are_those_of_the_headers(self):
        macros = items("macro")
        self.assertIn("{{8, 0, 0, 0, 0, 0}}", macros["WEFT_MUTEX_RECURSIVE_INIT"])
        self.assertIn("{{(uint64_t)(count), 0, 0, 0}}", macros["WEFT_SEMAPHORE_INIT"])
        self.assertIn("{{((uint64_t)(count) << 32) | ((count) == 0), 0, 0, 0}}", macros["WEFT_LATCH_INIT"])
        for name in ("MUTEX", "COND", "RWLOCK", "EVENT"):
            self.assertRegex(macros[f"WEFT_{name}_INIT"], r"\{\{0(, 0)*\}\}")

    def test_each_exported_name_is_in_a_program_here(self):
        lists = re.findall(r"^ *public :: (.*)$", self.code, re.M)
        typed = re.findall(r"public ::? *(\w+)", self.code)
        exported = {name for each in lists for name in re.findall(r"\w+", each)} | {name for name in typed if name.startswith("weft_")}
        programs = "\n".join(text_of(path) for path in glob.glob(os.path.join(HERE, "*.f90")))
        self.assertGreater(len(exported), 100)
        self.assertEqual([name for name in sorted(exported) if not re.search(rf"\b{name}\b", programs)], [])


if __name__ == "__main__":
    unittest.main()
