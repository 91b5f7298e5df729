"""Every way for a submission to end before its numbers could be compared."""

from autograder.judge.advice.model import Advice
from autograder.judge.report import Reason

STARTER = Advice(
    "starter",
    "This is the starter, unchanged",
    "Nothing but whitespace or comments has changed yet. Write the parts that raise "
    "NotImplementedError or that the task describes, and run again.",
    ("starter", "what to write", "what is going on"),
)
SYNTAX = Advice(
    "syntax",
    "This is not valid Python",
    "The cause is on the line shown or just before it: often a bracket or quote "
    "that is not closed, a missing colon, or indentation that does not match. Fix it and run again.",
)
UNREADABLE = Advice(
    "source",
    "The file cannot be graded",
    "No check ran. Write your solution in the editor, or upload a single Python file.",
    ("what to write",),
)
LATE = Advice(
    "late",
    "This check ran out of time",
    "Look at the line shown: a loop that does not end, a value computed again at every visit, "
    "or a walk that takes every path through the graph instead of every node once.",
    ("late", "timeout", "rules"),
)
ENDINGS: dict[Reason, Advice] = {
    "missing-entry-point": Advice(
        "missing-entry-point",
        "A function that the checks call is missing",
        "No check ran. Define it at the top level of the file, with the name and the arguments that the task gives, spelled exactly "
        "so.",
        ("missing-entry-point", "what to write"),
    ),
    "timeout-cpu": Advice(
        "timeout",
        "The code ran for too long",
        "The remaining checks were not run. Look for a loop that does not end, or "
        "for work that is repeated at every visit of a node.",
        ("timeout", "late", "rules"),
    ),
    "timeout-wall": Advice(
        "timeout",
        "The code did not finish in time",
        "The remaining checks were not run. Look for a loop that does not end, for sleep(), and for "
        "input(), which never gets an answer.",
        ("timeout", "late", "rules"),
    ),
    "memory": Advice(
        "memory",
        "The code ran out of memory",
        "The remaining checks were not run. Look for a tensor that is far too large, a "
        "full Jacobian or Hessian, and a list that keeps tensors together with their graphs.",
        ("memory", "rules"),
    ),
    "output": Advice(
        "output",
        "The code printed too much",
        "The remaining checks were not run. Remove the print, or print once instead of in "
        "every step.",
    ),
    "crash": Advice(
        "crash",
        "The process ended without an answer",
        "The interpreter itself stopped, and the remaining checks were not run. Look for os._exit(), for a recursion limit that "
        "was raised too far, and for native code that is called with invalid arguments.",
    ),
    "protocol": Advice(
        "protocol",
        "The answer could not be read",
        "What came back was not an answer of this exercise, or far too large, and the remaining checks were not run. Return plain "
        "results, and leave open files and descriptors alone.",
    ),
}  # fmt: skip
