"""Makes Python of the code in a cell: magics, shell commands and help requests become comments, so lines keep their numbers."""

import ast
import re
from collections.abc import Iterable, Iterator

PYTHON_MAGICS = ("capture", "prun", "time")  # cell magics that run the rest of the cell as Python
_CELL_MAGIC = re.compile(r"\s*%%(\w*)")
_MAGIC_LINE = re.compile(r"[%!?]|[\w.\[\], ]+=\s*[%!]\s*[\w/.]|%?[\w.*]+\?{1,2}$")
_STEP = re.compile(  # what matters for finding the lines that begin a statement; each alternative reads a character once
    r"""
    \"{3}(?:[^\\]|\\.)*?\"{3} | '{3}(?:[^\\]|\\.)*?'{3}  # a string of several lines
    | \"{3} | '{3}  # one that never ends
    | "(?:[^"\\\n]|\\.)*"? | '(?:[^'\\\n]|\\.)*'?
    | \#[^\n]*
    | [\[({] | [\])}] | \n
    """,
    re.DOTALL | re.VERBOSE,
)


class NotPython(Exception):
    """Raised for code that is not valid Python. The line is that within the cell."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


def python_of(code: str) -> str:
    """The code of a cell as Python, with the same number of lines. Raises NotPython."""
    cell_magic = _CELL_MAGIC.match(code)
    if cell_magic and cell_magic[1] not in PYTHON_MAGICS:
        return commented(code, (range(n, n + 1) for n in range(1, code.count("\n") + 2)))
    tree = _tree(code)
    if tree is None:
        code = commented(code, _magic_lines(code))
        tree = parsed(code)
    return commented(code, whole_lines(code, _ipython_statements(tree)))


def parsed(code: str) -> ast.Module:
    """The syntax tree of code. Raises NotPython."""
    try:
        return ast.parse(code)
    except SyntaxError as error:
        raise NotPython(error.lineno or 1, error.msg) from error
    except ValueError as error:
        raise NotPython(1, str(error)) from error
    except (RecursionError, MemoryError) as error:
        raise NotPython(1, "it is nested too deeply") from error


def commented(code: str, statements: Iterable[range]) -> str:
    """The code with the lines of these statements turned into comments. An indented one becomes `pass`, so that its block stays
    one."""
    lines = code.split("\n")
    for statement in statements:
        for number in statement:
            line = lines[number - 1]
            text = line.lstrip()
            indent = line[: len(line) - len(text)]
            holds = "pass  " if indent and text and number == statement.start else ""
            lines[number - 1] = f"{indent}{holds}# {text}".rstrip()
    return "\n".join(lines)


def whole_lines(code: str, statements: Iterable[ast.stmt]) -> Iterator[range]:
    """The lines of those statements that share no line with another one."""
    lines = [line.encode() for line in code.split("\n")]
    indents = [len(line) - len(line.lstrip()) for line in lines]
    for node in statements:
        if node.col_offset > indents[node.lineno - 1]:
            continue
        last = node.end_lineno or node.lineno
        after = lines[last - 1][node.end_col_offset :].strip()
        if not after or after.startswith(b"#"):
            yield range(node.lineno, last + 1)


def _tree(code: str) -> ast.Module | None:
    try:
        return parsed(code)
    except NotPython:
        return None


def _magic_lines(code: str) -> Iterator[range]:
    """The lines that are statements of IPython, outside strings and brackets."""
    number, depth, at = 1, 0, 0
    starts = True  # whether a statement may begin in this line
    lines = code.split("\n")
    while number <= len(lines):
        line = lines[number - 1]
        if starts and _MAGIC_LINE.match(line.strip()):
            yield range(number, number + 1)
            number, at = number + 1, at + len(line) + 1
            continue
        depth, at, read = _statement_line(code, at, depth)
        number += read
        starts = depth == 0 and not lines[min(number - 2, len(lines) - 1)].endswith("\\")


def _statement_line(code: str, at: int, depth: int) -> tuple[int, int, int]:
    """Reads to the end of a line, or of the string that continues beyond it: the depth of brackets, the next position, and
    the number of lines."""
    read = 0
    while True:
        found = _STEP.search(code, at)
        if found is None:
            return depth, len(code), read + 1
        at, text = found.end(), found[0]
        if text == "\n":
            return depth, at, read + 1
        if text in ('"""', "'''"):  # never closed
            return depth, len(code), read + code.count("\n", at) + 1
        if text in "([{":
            depth += 1
        elif text in ")]}":
            depth = max(0, depth - 1)
        elif not text.startswith("#"):
            read += text.count("\n")


def _ipython_statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that call `get_ipython`, which exists only in a notebook."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.Assign) and any(_is_ipython(inner) for inner in ast.walk(node)):
            yield node


def _is_ipython(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "get_ipython"
