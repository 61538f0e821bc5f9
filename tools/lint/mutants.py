#!/usr/bin/env python3
"""docs/protocols/mutants.md has a row for each memory order with a tag, and for each part of one, and none for what is gone: what happens when
it is weakened.

usage: mutants.py [folder]"""

import os
import sys

import sources

TABLE = os.path.join("docs", "protocols", "mutants.md")


def check(top):
    sys.path.insert(0, os.path.join(sources.TOP, "tests", "model"))
    import mutate  # pylint: disable=import-outside-toplevel

    mutate.SRC = os.path.join(top, "src")
    mutants = mutate.worth_trying()
    rows = mutate.rows_of(os.path.join(top, TABLE))
    wanted = {mutate.in_table(mutant): mutant for mutant in mutants}
    renew = "run tests/model/mutate.py --markdown docs/protocols/mutants.md --only"
    problems = [f"{TABLE}: no row for {mutant.tag} ({mutant.what}): {renew} {mutant.tag}"
                for begin, mutant in wanted.items() if not any(row.startswith(begin) for row in rows)]
    problems += [f"{TABLE}: a row for what is not there: {row}" for row in rows if not any(row.startswith(begin) for begin in wanted)]
    return problems, len(mutants)


if __name__ == "__main__":
    found, count = check(sys.argv[1] if len(sys.argv) > 1 else sources.TOP)
    sys.exit(sources.finish("mutants", found, f"{count} orders"))
