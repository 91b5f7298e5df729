import numpy as np


def einsum_vjp(g, spec, *operands):
    """The result is linear in each entry of an operand, so a step of 1 in it gives the slope."""
    gradients = []
    for n, operand in enumerate(operands):
        unit, gradient = np.zeros(operand.shape), np.zeros(operand.shape)
        for place in np.ndindex(operand.shape):
            unit[place] = 1.0
            gradient[place] = (g * np.einsum(spec, *operands[:n], unit, *operands[n + 1 :])).sum()
            unit[place] = 0.0
        gradients.append(gradient)
    return tuple(gradients)
