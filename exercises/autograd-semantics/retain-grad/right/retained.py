"""retain_grad on every result, and an old gradient out of the way."""


def intermediate_grads(fs, x):
    h = x
    h.grad = None
    chain = [h]
    for f in fs:
        h = f(h)
        chain.append(h)
    for t in chain:
        if not t.is_leaf:
            t.retain_grad()
    h.backward()
    return [t.grad.clone() for t in chain]
