"""Explains submissions that ended before any numbers could be compared."""

from autograder.explain.advice.model import Advice
from autograder.judge.report import Reason

STARTER = Advice(
    "starter",
    "Unchanged starter",
    "The file differs from the starter only in whitespace or comments. Write the parts that raise NotImplementedError "
    "or that the task describes, then run again.",
    ("starter", "what to write", "what is going on"),
)
SYNTAX = Advice(
    "syntax",
    "This is not valid Python",
    "The cause is on the line shown or just before it: often an unclosed bracket or quote, a missing colon, or "
    "inconsistent indentation. Fix it and run again.",
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
    "See the line shown. Common causes are an infinite loop, a value that is recomputed at every visit, and a "
    "traversal that follows every path through the graph instead of visiting every node once.",
    ("late", "timeout", "rules"),
)
ENDINGS: dict[Reason, Advice] = {
    "missing-entry-point": Advice(
        "missing-entry-point",
        "A function that the checks call is missing",
        "No check ran. Define the function at the top level of the file, with exactly the name and arguments that the "
        "task gives.",
        ("missing-entry-point", "what to write"),
    ),
    "timeout-cpu": Advice(
        "timeout",
        "The code exceeded its time limit",
        "The remaining checks did not run. Look for an infinite loop, or for work that is repeated at every visit to a "
        "node.",
        ("timeout", "late", "rules"),
    ),
    "timeout-wall": Advice(
        "timeout",
        "The code did not finish in time",
        "The remaining checks did not run. Look for an infinite loop, for sleep(), and for input(), which waits forever.",
        ("timeout", "late", "rules"),
    ),
    "memory": Advice(
        "memory",
        "The code ran out of memory",
        "The remaining checks did not run. Look for a tensor that is far too large, a full Jacobian or Hessian, or a "
        "list of tensors that keeps their graphs in memory.",
        ("memory", "rules"),
    ),
    "output": Advice(
        "output",
        "The code printed too much",
        "The remaining checks did not run. Remove the print call, or print once instead of at every step.",
    ),
    "crash": Advice(
        "crash",
        "The process crashed",
        "The Python interpreter exited, and the remaining checks did not run. Look for os._exit(), for a recursion "
        "limit that is too high, and for native code that is called with invalid arguments.",
    ),
    "protocol": Advice(
        "protocol",
        "The answer could not be read",
        "The reply was invalid or far too large, and the remaining checks did not run. Return only the values that the "
        "task asks for, and do not write to or close file descriptors that your code did not open.",
    ),
}
