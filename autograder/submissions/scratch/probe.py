"""The code that runs in the sandbox: executes the calls in the namespace of the student's module, like a REPL.

From the student's first line on, nothing in that process can be trusted. The return value of this function is a claim, which
`running` reads as text of limited length.
"""

from typing import Any

from autograder.judge.probes import probe

MAX_LINES = 12
NAME_LIMIT = 200
MESSAGE_LIMIT = 2_000


@probe
def run_calls(
    module: Any,
    calls: bytes,
    value_limit: int,
    lines_kept: int,
    name_limit: int,
    message_limit: int,
    paths: list[str],
) -> dict[str, Any]:
    import ast

    files = {"submission.py": ("code", ""), **{path: ("code", path) for path in paths}, "scratch.py": ("scratch", "")}
    starved = ("DefaultCPUAllocator: ", "std::bad_alloc")  # the wording of torch

    def clean(text: str, limit: int) -> str:
        """Return plain text of at most this length that can be encoded, even for a subclass of str with overridden methods."""
        return str.__getitem__(text, slice(0, limit)).encode("utf-8", "backslashreplace").decode("utf-8")

    def message_of(error: BaseException) -> str:
        try:
            plain = isinstance(error, SyntaxError) and type(error.msg) is str
            return clean(error.msg if plain else str(error), message_limit)  # type: ignore[attr-defined]
        except BaseException:
            return ""

    def lines_of(error: BaseException) -> list[list[Any]]:
        lines, trace = [], error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename in files:
                lines.append([*files[code.co_filename], trace.tb_lineno, clean(code.co_name, name_limit)])
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and error.filename in files and type(error.lineno) is int:
            lines.append([*files[error.filename], error.lineno, ""])
        # the first line shows which call it was, the last ones where it led
        return [*lines[:1], *lines[1:][-(lines_kept - 1) :]]

    def name_of(error: BaseException) -> str:
        kind = type(error)
        own = ("builtins", "submission")
        name, home = type.__dict__["__qualname__"].__get__(kind), kind.__module__
        return clean(name if home in own or type(home) is not str else f"{home}.{name}", name_limit)

    answer: dict[str, Any] = {"value": None, "cut": False, "exception": "", "message": "", "lines": [], "unreadable": False}
    answer["starved"] = False
    try:
        try:
            tree = ast.parse(calls, "scratch.py")
            last = tree.body[-1] if tree.body else None
            shown = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
            tree.body = tree.body[:-1] if shown else tree.body
            statements = compile(tree, "scratch.py", "exec", dont_inherit=True)
            expression = compile(shown, "scratch.py", "eval", dont_inherit=True) if shown else None
        except BaseException:
            answer["unreadable"] = True
            raise
        exec(statements, module.__dict__)
        value = eval(expression, module.__dict__) if expression else None  # noqa: S307 - in the sandbox, like everything here
        if value is not None:
            text = repr(value)
            answer["value"], answer["cut"] = clean(text, value_limit), str.__len__(text) > value_limit
    except BaseException as error:
        answer["exception"], answer["message"], answer["lines"] = name_of(error), message_of(error), lines_of(error)
        answer["starved"] = isinstance(error, MemoryError) or any(words in answer["message"] for words in starved)
    return answer
