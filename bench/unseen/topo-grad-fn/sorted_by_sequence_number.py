# Held out. Mistake: functions are sorted by descending _sequence_nr, but AccumulateGrad has the largest possible number, so the leaves come first, before their consumers.
# True: leaves-too-early
def topo(out):
    """Newer functions first: a function is always created after its operands."""
    if out.grad_fn is None:
        return []
    found = {out.grad_fn}
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        for nxt, _ in fn.next_functions:
            if nxt is not None and nxt not in found:
                found.add(nxt)
                stack.append(nxt)
    return sorted(found, key=lambda fn: fn._sequence_nr(), reverse=True)
