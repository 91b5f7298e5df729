"""Makes the first draft of an exercise from a forward function: its contract, its checks, a solution and wrong solutions.

The function is read and never run: what it computes is written as steps whose derivatives are known.
"""

from autograder.prove.from_function.drafting import Drafted, files_of
from autograder.prove.from_function.steps import Shape, Unsupported, shape_of

__all__ = ["Drafted", "Shape", "Unsupported", "files_of", "shape_of"]
