"""Programs in which one array is the gradient of several tensors.

An engine may pass the upstream gradient of a sum on to both operands. If it keeps that array as `.grad` and adds to it in place at
the next pass, it changes the gradient of the other operand, too.
"""

import numpy as np

from autograder.judge.checks.random_programs import drawn
from autograder.judge.checks.tensors import TensorProgram


def sums_of_leaves(rng: np.random.Generator) -> list[TensorProgram]:
    """Several passes over a sum of leaves of one shape."""
    programs = []
    for shape in ((), (3,), (2, 3)):
        program = TensorProgram()
        x, y = program.input(drawn(rng, shape), "x"), program.input(drawn(rng, shape), "y")
        z = program.name("z", x + y)
        for _ in range(3):
            program.backward(z, drawn(rng, shape))
        programs.append(program)
    return programs
