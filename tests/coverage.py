#!/usr/bin/env python3
"""Line and branch coverage of the library's sources, from what llvm-cov exports.

usage: coverage.py ROOT LCOV JSON [--missing] [--least LINES BRANCHES]

llvm-cov's own summary takes, of a function that exists several times (element types, instruction sets), the copy that
was reached best. Here a line counts if any copy ran it, and a side of a condition if any copy took it: one copy often
cannot take both, as with "if constexpr" or the tail of a loop over vectors of one element.
"""
import argparse
import collections
import json
import os
import sys


def read_lines(lcov):
    """file -> {line: count}, copies of functions added up by llvm-cov."""
    files, current = {}, None
    with open(lcov, encoding="utf-8") as text:
        for row in text:
            if row.startswith("SF:"):
                current = files.setdefault(row[3:].strip(), {})
            elif row.startswith("DA:"):
                line, count = row[3:].split(",")[:2]
                current[int(line)] = int(count)
    return files


def holds(region, branch):
    return tuple(region[:2]) <= tuple(branch[:2]) and tuple(branch[2:4]) <= tuple(region[2:4])


def read_branches(exported):
    """file -> {(line, column, end line, end column): [times true, times false]}"""
    with open(exported, encoding="utf-8") as text:
        functions = json.load(text)["data"][0]["functions"]
    files, constant = collections.defaultdict(dict), set()
    for function in functions:
        names = function["filenames"]
        for branch in function["branches"]:
            name, place = names[branch[6]], tuple(branch[:4])
            counts = files[name].setdefault(place, [0, 0])
            counts[0] += branch[4]
            counts[1] += branch[5]
            if branch[4] == branch[5] == 0:
                # In code that ran: the compiler knows the answer, there is no branch in this copy.
                around = [r for r in function["regions"] if r[5] == branch[6] and r[7] == 0 and holds(r, branch)]
                inner = max(around, key=lambda r: (r[0], r[1], -r[2], -r[3]), default=None)
                if inner and inner[4] > 0:
                    constant.add((name, place))
    for name, place in constant:
        if files[name][place] == [0, 0]:
            del files[name][place]
    return files


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def main():
    parser = argparse.ArgumentParser(description="coverage of the library's sources")
    parser.add_argument("root")
    parser.add_argument("lcov")
    parser.add_argument("json")
    parser.add_argument("--missing", action="store_true", help="list what was not reached")
    parser.add_argument("--least", nargs=2, type=float, metavar=("LINES", "BRANCHES"), help="fail below these percentages")
    options = parser.parse_args()
    lines, branches = read_lines(options.lcov), read_branches(options.json)
    total = [0, 0, 0, 0]
    print(f"{'file':<72} {'lines':>6} {'missed':>6} {'':>7} {'sides':>6} {'missed':>6}")
    for name in sorted(lines):
        sides = branches.get(name, {})
        missed_lines = sorted(line for line, count in lines[name].items() if count == 0)
        missed_sides = sorted((place, side) for place, counts in sides.items() for side in (0, 1) if counts[side] == 0)
        row = [len(lines[name]), len(missed_lines), 2 * len(sides), len(missed_sides)]
        total = [a + b for a, b in zip(total, row)]
        shown = os.path.relpath(name, options.root)
        print(f"{shown:<72} {row[0]:>6} {row[1]:>6} {percent(row[0] - row[1], row[0]):>6.1f}% {row[2]:>6} {row[3]:>6} "
              f"{percent(row[2] - row[3], row[2]):>6.1f}%")
        if options.missing:
            for line in missed_lines:
                print(f"  {shown}:{line}: not run")
            for place, side in missed_sides:
                print(f"  {shown}:{place[0]}:{place[1]}: never {'false' if side else 'true'}")
    line_part, branch_part = percent(total[0] - total[1], total[0]), percent(total[2] - total[3], total[2])
    print(f"{line_part:.2f} % of {total[0]} lines, {branch_part:.2f} % of {total[2]} sides of conditions")
    if options.least and (line_part < options.least[0] or branch_part < options.least[1]):
        sys.exit(f"below {options.least[0]:g} % of lines or {options.least[1]:g} % of sides of conditions")


if __name__ == "__main__":
    main()
