"""Prints where the files of this package are that builds of C and C++ programs look for."""

import argparse

from . import CMAKE, INCLUDE, PKG_CONFIG


def main():
    parser = argparse.ArgumentParser(prog="python -m weft_threads", description=__doc__)
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--cmake-dir", dest="folder", action="store_const", const=CMAKE, help="what CMake takes as weft_DIR")
    asked.add_argument("--pkg-config-dir", dest="folder", action="store_const", const=PKG_CONFIG, help="for PKG_CONFIG_PATH")
    asked.add_argument("--include", dest="folder", action="store_const", const=INCLUDE, help="what a compiler takes behind -I")
    print(parser.parse_args().folder)


if __name__ == "__main__":
    main()
