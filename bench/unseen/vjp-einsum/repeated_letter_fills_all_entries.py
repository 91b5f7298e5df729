# Held out. Mistake: for an operand with a repeated letter the gradient is copied along the second axis instead of being placed on the diagonal, so entries off the diagonal, which are never used, get a gradient that is not 0.
# True: diagonal-not-handled
import numpy as np


def einsum_vjp(g, spec, *operands):
    left, out = spec.split("->")
    terms = left.split(",")
    sizes = {c: n for t, op in zip(terms, operands) for c, n in zip(t, op.shape)}
    grads = []
    for k, term in enumerate(terms):
        inputs = [out] + [t for i, t in enumerate(terms) if i != k]
        arrays = [g] + [op for i, op in enumerate(operands) if i != k]
        known = set("".join(inputs))
        # letters that einsum can produce, each only once
        target = ""
        for c in term:
            if c in known and c not in target:
                target += c
        d = np.einsum(",".join(inputs) + "->" + target, *arrays)
        # all other axes: the same gradient for all indices
        seen = set()
        position = 0
        for c in term:
            if c in target and c not in seen:
                position += 1
            else:
                d = np.expand_dims(d, position)
                position += 1
            seen.add(c)
        grads.append(np.array(np.broadcast_to(d, operands[k].shape), dtype=np.float64))
    return tuple(grads)
