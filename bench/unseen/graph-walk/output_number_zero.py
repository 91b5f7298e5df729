# Mistake: the output number is always 0
# True: loses-output-index
def graph(out):
    root = out.grad_fn
    if root is None:
        return {"root": None, "nodes": [], "edges": []}
    order = [root]
    idx = {root: 0}
    edges = []
    i = 0
    while i < len(order):
        fn = order[i]
        for slot, edge in enumerate(fn.next_functions):
            nxt = edge[0]
            if nxt is None:
                edges.append((i, slot, None, 0))
                continue
            if nxt not in idx:
                idx[nxt] = len(order)
                order.append(nxt)
            edges.append((i, slot, idx[nxt], 0))
        i += 1
    return {"root": 0, "nodes": [type(f).__name__ for f in order], "edges": edges}
