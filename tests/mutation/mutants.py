"""Which mutants there are: small changes of the source text that a test should notice.

The sources are formatted by clang-format, so a binary operator has a space or the end of a line on both sides, a
template bracket has not. That is all the parsing that is needed; what does not compile is not counted.
"""
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

SEED = "detops 1"

# Area, files, mutants per file: checks, index arithmetic and what sets problems up. Headers cost more: fewer of them.
SCOPE = [
    ("core", ["src/%s.cc" % name for name in (
        "core/arg_check", "core/data_type", "sparse/pair_check", "sparse/pair_lists", "core/parallel",
        "sparse/rulebook", "core/scratch", "sparse/sparse_convolution", "core/tensor", "core/value_check")], 7),
    ("core", ["src/%s.h" % name for name in (
        "core/arena", "core/arg_check", "core/bit_sort", "core/checked_math", "core/parallel",
        "sparse/sparse_convolution")], 4),
    ("C API", ["src/capi/*_api.cc"], 7),
    ("operators", ["src/ops/*/api.cc", "src/ops/*/api/*.cc", "src/ops/psroipool/geometry/rois.cc",
                   "src/ops/psroipool/mapping.cc", "src/ops/indice_convolution/run.cc",
                   "src/voxels/groups.cc"], 7),
    ("boxes", ["src/boxes/*/check.h", "src/boxes/gradient/gradient.cc", "src/boxes/order/*.cc",
               "src/boxes/pairs/matrix.cc", "src/boxes/polygon/*.cc", "src/boxes/suppression/ranked.cc",
               "src/boxes/suppression/soft.cc", "src/boxes/suppression/suppression.cc"], 6),
    ("geometry", ["src/ops/*/geometry.h", "src/ops/*/*/geometry.h", "src/ops/rotated_feature_align/taps.h"], 6),
]

RELATIONAL = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "*=": "/="}
LOGICAL = {"&&": "||", "||": "&&"}


@dataclass(frozen=True)
class Mutant:
    file: str
    begin: int  # in the text of the file
    end: int
    new: str
    kind: str
    line: int
    before: str  # the changed line or lines, without indentation
    after: str

    @property
    def id(self):
        return digest(self.file, str(self.begin), self.before, self.after)

    def apply(self, text):
        return text[: self.begin] + self.new + text[self.end :]


def digest(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def blanked(text):
    """The text with comments, literal strings and lines that are not plain code blanked; positions stay."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*(?:#|template\b|static_assert\b|namespace\b|using\b|HWY_)[^\n]*", blank, text, flags=re.M)


def closing(code, opening):
    """The position after the bracket that closes the one at `opening`."""
    depth = 0
    for place in range(opening, len(code)):
        depth += code[place] in "([{"
        depth -= code[place] in ")]}"
        if depth == 0:
            return place + 1
    raise ValueError("unbalanced brackets")


def changes(code, checks):
    """All (begin, end, new text, kind) of blanked code; `checks` are the names of the rules of ArgCheck."""
    for match in re.finditer(r"(?<= )(<=|>=|==|!=|<|>)(?=[ \n])", code):
        for new in RELATIONAL[match.group()]:
            yield match.start(), match.end(), new, "comparison"
    for match in re.finditer(r"(?<= )([-+*]=|[-+*/%])(?=[ \n])", code):
        yield match.start(), match.end(), ARITHMETIC[match.group()], "arithmetic"
    for match in re.finditer(r"(?<= )(&&|\|\|)(?=[ \n])", code):
        yield match.start(), match.end(), LOGICAL[match.group()], "logic"
    for match in re.finditer(r"(?<![\w.'])\d{1,5}(?![\w.'])", code):
        # The room of a text and the type of an array are not index arithmetic.
        if re.search(r"\b(?:char|int\w*|Real|T) \w+\[$", code[: match.start()][-60:]):
            continue
        value = int(match.group())
        for new in {value + 1, max(value - 1, 0)} - {value}:
            yield match.start(), match.end(), str(new), "constant"
    for match in re.finditer(r"\bstd::(min|max)\b", code):
        yield match.start(1), match.end(1), {"min": "max", "max": "min"}[match.group(1)], "min and max"
    for match in re.finditer(r"\breturn (true|false);", code):
        yield match.start(1), match.end(1), {"true": "false", "false": "true"}[match.group(1)], "result"
    for match in re.finditer(r"\b(?:if|while) (\()", code):
        end = closing(code, match.start(1))
        yield match.start(1) + 1, match.start(1) + 1, "!(", "negation"
        if re.match(r" return\b[^;{}]*;", code[end:]) and code[: match.start()].rstrip(" ")[-1:] == "\n":
            statement = end + re.match(r" return\b[^;{}]*;", code[end:]).end()
            if not re.match(r"\s*else\b", code[statement:]):
                yield match.start(), statement, "", "check removed"
    for match in re.finditer(r"[\w)]\s*(\.(?:%s)(\())" % "|".join(checks), code):
        yield match.start(1), closing(code, match.start(2)), "", "check removed"
    for match in re.finditer(r"^ +(Check\w+)(\()", code, flags=re.M):
        end = closing(code, match.start(2))
        if code[end : end + 1] == ";":
            yield match.start(1), end + 1, "", "check removed"


def mutants_of(root, file):
    text = (root / file).read_text()
    code = blanked(text)
    checks = re.findall(r"ArgCheck& (\w+)\(", (root / "src/core/arg_check.h").read_text())
    found = {}
    for begin, end, new, kind in changes(code, checks):
        if kind == "negation":  # the bracket that was opened has to be closed
            end = closing(code, begin - 1) - 1
            new = "!(" + text[begin:end] + ")"
        first, last = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
        squeeze = lambda part: " ".join(part.split())
        before = squeeze(text[first:last])
        after = squeeze(text[first:begin] + new + text[end:last]) or "(nothing)"
        found[begin, end, new] = Mutant(file, begin, end, new, kind, text.count("\n", 0, begin) + 1, before, after)
    return list(found.values())


def sample(mutants, count):
    """`count` of a file's mutants: the kinds in turn, within a kind by hashes, so that it is the same everywhere."""
    by_kind = {}
    for mutant in sorted(mutants, key=lambda m: digest(SEED, m.file, m.before, m.after, str(m.begin))):
        by_kind.setdefault(mutant.kind, []).append(mutant)
    chosen = []
    while len(chosen) < min(count, len(mutants)):
        for kind in sorted(by_kind):
            if by_kind[kind] and len(chosen) < count:
                chosen.append(by_kind[kind].pop(0))
    return chosen


def scope(root):
    """(area, file, mutants per file) of everything that is mutated."""
    for area, patterns, count in SCOPE:
        for pattern in patterns:
            files = sorted(root.glob(pattern))
            if not files:
                raise SystemExit("no file %s" % pattern)
            for path in files:
                yield area, str(path.relative_to(root)), count


def read_equivalents(path):
    """{(file, before, after): reason} of the file of mutants that no test can notice."""
    entries = {}
    for block in re.split(r"\n\s*\n", Path(path).read_text()):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        if len(lines) < 4 or not lines[1].startswith("- ") or not lines[2].startswith("+ "):
            raise SystemExit("%s: not file, - line, + line, reason:\n%s" % (path, block))
        entries[lines[0], lines[1][2:], lines[2][2:]] = " ".join(lines[3:])
    return entries
