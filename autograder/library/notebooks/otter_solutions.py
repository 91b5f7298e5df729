"""Removes solutions from the code cells of Otter, line by line, as its documentation says."""

import re

from autograder.library.notebooks.assignment import ImportRefused

_ASSIGNMENT = re.compile(r"[\w., \[\]'\"*]+?(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)")
_REMOVED_LINE = re.compile(r"#\s*(?:SOLUTION NO PROMPT|SEED)\s*$", re.IGNORECASE)
_SOLUTION_LINE = re.compile(r"#\s*SOLUTION\s*$", re.IGNORECASE)
_BEGIN = re.compile(r"\s*#\s*BEGIN SOLUTION(?P<silent> NO PROMPT)?\s*$", re.IGNORECASE)
_END = re.compile(r"\s*#\s*END SOLUTION\s*$", re.IGNORECASE)
_BEGIN_PROMPT = re.compile(r"\s*(?:\"{3}|'{3})\s*#\s*BEGIN PROMPT\s*$", re.IGNORECASE)
_END_PROMPT = re.compile(r"\s*(?:\"{3}|'{3})\s*;?\s*#\s*END PROMPT\s*$", re.IGNORECASE)


def has_marks(code: str) -> bool:
    """Whether code outside of a solution block has a solution."""
    return any(_SOLUTION_LINE.search(line) or _REMOVED_LINE.search(line) or _BEGIN.match(line) for line in code.split("\n"))


def removed(code: str) -> tuple[str, str]:
    """The solution without marks, and the starter. Two placeholders that follow each other are one."""
    solution: list[str] = []
    starter: list[str] = []
    inside = ""  # the kind of block: solution, silent or prompt
    for line in code.split("\n"):
        begin = _BEGIN.match(line)
        indent = line[: len(line) - len(line.lstrip())]
        if begin:
            inside = "silent" if begin["silent"] else "solution"
            starter += [] if begin["silent"] else [f"{indent}..."]
        elif _BEGIN_PROMPT.match(line):
            inside = "prompt"
        elif _END.match(line) or _END_PROMPT.match(line):
            inside = ""
        elif inside == "prompt":
            starter.append(line)
        elif inside:
            solution.append(line)
        elif _REMOVED_LINE.search(line):
            solution.append(_REMOVED_LINE.sub("", line).rstrip())
        elif _SOLUTION_LINE.search(line):
            solution.append(_SOLUTION_LINE.sub("", line).rstrip())
            assigned = _ASSIGNMENT.match(line.lstrip())
            starter.append(f"{indent}{assigned[0]} ..." if assigned else f"{indent}...")
        else:
            solution.append(line)
            starter.append(line)
    if inside:
        raise ImportRefused(f"A block that begins with BEGIN {'PROMPT' if inside == 'prompt' else 'SOLUTION'} has no end.")
    return "\n".join(solution), "\n".join(_without_repetition(starter))


def _without_repetition(lines: list[str]) -> list[str]:
    return [line for n, line in enumerate(lines) if not (line.strip() == "..." and n and lines[n - 1] == line)]
