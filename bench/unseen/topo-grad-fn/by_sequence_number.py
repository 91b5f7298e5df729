# Mistake: functions are sorted by when they were made; AccumulateGrad comes first
# True: leaves-too-early
def topo(out):
    found = set()
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        if fn is None or fn in found:
            continue
        found.add(fn)
        stack += [f for f, _ in fn.next_functions]
    return sorted(found, key=lambda fn: fn._sequence_nr(), reverse=True)
