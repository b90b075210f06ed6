"""Line and branch coverage of the library's sources, from what llvm-cov exports as JSON.

usage: coverage.py ROOT JSON [--missing] [--least LINES BRANCHES]

llvm-cov's own summary takes, of a function that exists several times (element types, instruction sets), the copy that
was reached best. Here a line counts if any copy ran it, and a side of a condition if any copy took it: one copy often
cannot take both, as with "if constexpr" or the tail of a loop over vectors of one element.
"""
import argparse
import collections
import json
import os
import sys

CODE, EXPANSION, SKIPPED, GAP = range(4)  # kinds of regions
# The fields of a region: line, column, end line, end column, count, file, file of the expansion, kind.


def innermost(regions):
    """The region that begins last; of two that begin together the shorter."""
    return max(regions, key=lambda r: (r[0], r[1], -r[2], -r[3]), default=None)


def line_counts(regions):
    """{line: count} of one copy of a function in one file."""
    counts = {}
    for line in range(min(r[0] for r in regions), max(r[2] for r in regions) + 1):
        begun = [r for r in regions if r[0] == line and r[7] in (CODE, EXPANSION)]
        around = innermost(r for r in regions if r[0] < line <= r[2] and (line, 1) < (r[2], r[3]))
        if around and around[7] == SKIPPED and not begun:
            continue
        reached = [r[4] for r in begun] + ([around[4]] if around and around[7] != SKIPPED else [])
        if reached:
            counts[line] = max(reached)
    return counts


def holds(region, branch):
    return tuple(region[:2]) <= tuple(branch[:2]) and tuple(branch[2:4]) <= tuple(region[2:4])


def read(exported, root):
    """Of files below root: file -> {line: count}, and file -> {(line, column, end line, end column): [true, false]}."""
    with open(exported, encoding="utf-8") as text:
        functions = json.load(text)["data"][0]["functions"]
    lines, branches, constant = collections.defaultdict(dict), collections.defaultdict(dict), set()
    for function in functions:
        names = function["filenames"]
        for file, name in enumerate(names):
            regions = [r for r in function["regions"] if r[5] == file]
            if not regions or not name.startswith(root):
                continue
            for line, count in line_counts(regions).items():
                lines[name][line] = lines[name].get(line, 0) + count
        for branch in function["branches"]:
            name, place = names[branch[6]], tuple(branch[:4])
            counts = branches[name].setdefault(place, [0, 0])
            counts[0] += branch[4]
            counts[1] += branch[5]
            if branch[4] == branch[5] == 0:
                # In code that ran: the compiler knows the answer, there is no branch in this copy.
                code = (r for r in function["regions"] if r[5] == branch[6] and r[7] == CODE)
                inner = innermost(r for r in code if holds(r, branch))
                if inner and inner[4] > 0:
                    constant.add((name, place))
    for name, place in constant:
        if branches[name][place] == [0, 0]:
            del branches[name][place]
    return lines, branches


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def main():
    parser = argparse.ArgumentParser(description="coverage of the library's sources")
    parser.add_argument("root")
    parser.add_argument("json")
    parser.add_argument("--missing", action="store_true", help="list what was not reached")
    parser.add_argument("--least", nargs=2, type=float, metavar=("LINES", "BRANCHES"), help="fail below these")
    options = parser.parse_args()
    lines, branches = read(options.json, os.path.join(os.path.realpath(options.root), "src", ""))
    total = [0, 0, 0, 0]
    print(f"{'file':<72} {'lines':>6} {'missed':>6} {'':>7} {'sides':>6} {'missed':>6}")
    for name in sorted(lines):
        sides = branches.get(name, {})
        missed_lines = sorted(line for line, count in lines[name].items() if count == 0)
        missed_sides = sorted((place, side) for place, counts in sides.items() for side in (0, 1) if counts[side] == 0)
        row = [len(lines[name]), len(missed_lines), 2 * len(sides), len(missed_sides)]
        total = [a + b for a, b in zip(total, row, strict=True)]
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
