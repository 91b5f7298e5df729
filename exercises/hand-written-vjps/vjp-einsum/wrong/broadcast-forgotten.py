"""All letters of the operand come after the arrow, also one that no other array has."""

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
        d = np.einsum(",".join([out] + other_terms) + "->" + unique, g, *others)
        where = dict(zip(unique, np.indices(shape)))
        full = np.zeros(x.shape)
        full[tuple(where[c] for c in term)] = d
        grads.append(full)
    return tuple(grads)
