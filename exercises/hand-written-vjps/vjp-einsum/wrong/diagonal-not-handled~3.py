"""A repeated letter is kept once, and the gradient has an axis less than the operand."""

import numpy as np


def einsum_vjp(g, spec, *operands):
    left, out = spec.split("->")
    terms = left.split(",")
    grads = []
    for n in range(len(operands)):
        term, x = terms[n], operands[n]
        other_terms = [t for m, t in enumerate(terms) if m != n]
        others = [y for m, y in enumerate(operands) if m != n]
        unique = "".join(sorted(set(term), key=term.index))
        shape = [x.shape[term.index(c)] for c in unique]
        known = "".join(c for c in unique if c in out or any(c in t for t in other_terms))
        d = np.einsum(",".join([out] + other_terms) + "->" + known, g, *others)
        d = np.reshape(d, [s if c in known else 1 for c, s in zip(unique, shape)])
        if len(unique) < len(term):
            grads.append(np.broadcast_to(d, shape))
            continue
        where = dict(zip(unique, np.indices(shape)))
        full = np.zeros(x.shape)
        full[tuple(where[c] for c in term)] = np.broadcast_to(d, shape)
        grads.append(full)
    return tuple(grads)
