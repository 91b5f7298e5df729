# Mistake: the AccumulateGrad functions are left out
# True: drops-leaves
def topo(out):
    root = out.grad_fn
    if root is None:
        return []
    indeg = {root: 0}
    stack = [root]
    while stack:
        fn = stack.pop()
        for nxt, _ in fn.next_functions:
            if nxt is None or hasattr(nxt, "variable"):
                continue
            if nxt not in indeg:
                indeg[nxt] = 0
                stack.append(nxt)
            indeg[nxt] += 1
    ready = [root]
    result = []
    while ready:
        fn = ready.pop()
        result.append(fn)
        for nxt, _ in fn.next_functions:
            if nxt is None or hasattr(nxt, "variable"):
                continue
            indeg[nxt] -= 1
            if indeg[nxt] == 0:
                ready.append(nxt)
    return result
