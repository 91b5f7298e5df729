"""45: files that are hardly Python. Each is refused or graded as usual, soon, and never taken for a fault of ours."""

import time
from dataclasses import dataclass

import pytest

from tests.hostile.catalogue.case import PASSED, Outcome, error
from tests.hostile.ground import LONGEST, Ground

pytestmark = pytest.mark.hostile

EXERCISE = "value-engine"
SOON = 5.0  # seconds of the judge's own work
HERE = b"""
class Value:
    def __init__(self, data, pairs=()):
        self.data, self.grad, self.pairs = data, 0.0, pairs

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    __radd__, __rmul__ = __add__, __mul__

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for w, _ in v.pairs:
                    visit(w)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            for w, slope in v.pairs:
                w.grad += slope * v.grad
"""
SOURCE = error("source")
DEEP = error("source", "memory", "crash", "missing-entry-point", "exception")  # the compiler runs out of something


@dataclass(frozen=True)
class Source:
    name: str
    data: bytes
    outcomes: tuple[Outcome, ...]

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


SOURCES = (
    Source("empty", b"", SOURCE),
    Source("white space", b" \n\t\r\n\x0c " * 100, SOURCE),
    Source("five megabytes", b"x = 1\n" * 900_000, SOURCE),
    Source("one byte over the limit", HERE + b"#" * (256 * 1024), SOURCE),
    Source("not UTF-8", b"x = '\xff\xfe'\n" + HERE, SOURCE),
    Source("UTF-16", "x = 1\n".encode("utf-16"), SOURCE),
    Source("UTF-32", "x = 1\n".encode("utf-32"), SOURCE),
    Source("lone surrogates", b"x = '\xed\xa0\x80'\n" + HERE, SOURCE),
    Source("overlong UTF-8", b"x = '\xc0\x80'\n" + HERE, SOURCE),
    Source("NUL at the start", b"\0" + HERE, SOURCE),
    Source("NUL in the middle", b"x = 1\n\0\n" + HERE, SOURCE),
    Source("NUL in text", HERE + b"\nx = '\0'\n", SOURCE),
    Source("NUL at the end", HERE + b"\n\0", SOURCE),
    Source("nothing but NUL", b"\0" * 1000, SOURCE),
    Source("byte order mark", b"\xef\xbb\xbf" + HERE, PASSED),
    Source("two byte order marks", b"\xef\xbb\xbf" * 2 + HERE, SOURCE),
    Source("nothing but a byte order mark", b"\xef\xbb\xbf", error("source", "missing-entry-point")),
    Source("line ends of another system", HERE.replace(b"\n", b"\r\n"), PASSED),
    Source("line ends of an old system", HERE.replace(b"\n", b"\r"), PASSED),
    Source("form feeds", b"\x0c\n" + HERE + b"\x0c\n", PASSED),
    Source("latin-1 cookie", b"# -*- coding: latin-1 -*-\nname = '\xe9'\n" + HERE, error("source") + PASSED),
    Source("cookie that does not exist", b"# -*- coding: klingon -*-\n" + HERE, SOURCE),
    Source("cookie of rot13", b"# -*- coding: rot13 -*-\n" + HERE, SOURCE),
    Source("cookie of punycode", b"# -*- coding: punycode -*-\n" + HERE, SOURCE),
    Source("cookie of unicode escapes", b"# coding: unicode_escape\nx = 1 #\\u000aimport os; os._exit(0)\n" + HERE,
           SOURCE + error("crash")),
    Source("cookie of UTF-7", b"# coding: utf-7\nx = 1 #+AAo-raise SystemExit('from the comment')\n" + HERE,
           SOURCE + error("exception")),
    Source("cookie and another mark", b"\xef\xbb\xbf# coding: latin-1\n" + HERE, SOURCE),
    Source("a hundred thousand parentheses", b"(" * 100_000, SOURCE),
    Source("a hundred thousand brackets, closed", b"x = " + b"[" * 100_000 + b"]" * 100_000, SOURCE),
    Source("three thousand lists", b"x = " + b"[" * 3000 + b"]" * 3000, SOURCE),
    Source("two hundred lists", b"x = " + b"[" * 180 + b"]" * 180 + b"\n" + HERE, PASSED + SOURCE),
    Source("a hundred thousand minuses", b"x = " + b"-" * 100_000 + b"1\n" + HERE, DEEP),
    Source("a hundred thousand nots", b"x = " + b"not " * 60_000 + b"1\n" + HERE, DEEP),
    Source("ten thousand attributes", b"x = 1" + b".real" * 10_000 + b"\n" + HERE, DEEP),
    Source("ten thousand calls", b"x = f" + b"()" * 10_000 + b"\n" + HERE, DEEP),
    Source("ten thousand additions", b"x = 1" + b" + 1" * 10_000 + b"\n" + HERE, PASSED + DEEP),
    Source("ten thousand lambdas", b"x = " + b"lambda: " * 10_000 + b"1\n" + HERE, DEEP),
    Source("a thousand ifs", b"".join(b" " * n + b"if 1:\n" for n in range(300)) + b" " * 300 + b"x = 1\n", SOURCE),
    Source("ten thousand elifs", b"if 0: pass\n" + b"elif 0: pass\n" * 10_000 + HERE, PASSED + DEEP),
    Source("nested f-strings", b"x = " + b"f'{" * 200 + b"1" + b"}'" * 200, SOURCE),
    Source("one long line", b"x = [" + b"1, " * 66_000 + b"]\n" + HERE, PASSED),
    Source("one long line with a mistake", b"x = " + b"a" * 200_000 + b" b", SOURCE),
    Source("a long name", b"x" * 200_000 + b" = 1\n" + HERE, PASSED),
    Source("an integer of 200,000 digits", b"x = " + b"9" * 200_000 + b"\n" + HERE, SOURCE),
    Source("constants that multiply", b"x = ((((2 ** 10000) ** 10000) ** 10000) ** 10000)\n" + HERE,
           error("timeout-cpu", "memory", "timeout-wall")),
    Source("constants that repeat", b"x = (('a' * 4096) * 4096) * 4096 * 4096\n" + HERE, error("memory")),
    Source("a string without an end", b"x = '''" + b"a\n" * 100_000, SOURCE),
    Source("invalid escapes", b"x = '" + b"\\d" * 50_000 + b"'\n" + HERE, PASSED),
    Source("names that look alike", "\ufb01 = 1\nassert fi == 1\n".encode() + HERE, PASSED),
    Source("text that turns around", "x = '\u202e\u2066'  # \u2069\n".encode() + HERE, PASSED),
    Source("a mistake with colours", b"x = \x1b[31m 1\n" + HERE, SOURCE),
    Source("a mistake that turns around", "x = \u202e\u2066 1\n".encode(), SOURCE),
    Source("tabs and spaces", b"if 1:\n\tx = 1\n        y = 2\n" + HERE, SOURCE),
    Source("a future that does not exist", b"from __future__ import braces\n", SOURCE),
    Source("another language", b"\x7fELF\x02\x01\x01" + bytes(1000), SOURCE),
    Source("compiled Python", b"\xa7\r\r\n" + b"\0" * 12 + b"\xe3" + bytes(100), SOURCE),
    Source("import of itself", HERE + b"\nimport submission\nassert submission.Value is Value\n", PASSED),
    Source("import of nothing", HERE + b"\nimport importlib\nimportlib.import_module('')\n", error("exception")),
    Source("import with NUL", HERE + b"\n__import__('os\\0.path')\n", error("exception")),
    Source("import of everything", HERE + b"\nfrom submission import *\n", PASSED),
)  # fmt: skip


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_source(source: Source, ground: Ground) -> None:
    box = ground.warm(ground.normal, EXERCISE)
    start, begun = time.process_time(), time.monotonic()
    report = ground.grade(ground.normal, EXERCISE, source.data)
    seconds = time.process_time() - start

    assert report.verdict != "internal", report.message
    ground.assert_clean(report)
    assert (report.verdict, report.reason) in source.outcomes, (report.verdict, report.reason, report.message)
    assert report.message or report.verdict == "passed", "an error says nothing"
    assert len(report.message) < 10_000, "the message is as long as the file"
    assert time.monotonic() - begun < LONGEST, "the judge waited for an answer that no limit ends"
    assert seconds < SOON, f"the judge worked for {seconds:.1f} s"
    ground.assert_alone(box)
    ground.was_attacked(ground.normal, EXERCISE, str(source))
