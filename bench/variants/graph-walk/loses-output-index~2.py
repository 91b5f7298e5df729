"""The output number of a node is kept from its first visit and repeated for all later edges to it."""


def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    entries = {out.grad_fn: (0, 0)}
    edges = []
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        source, _ = entries[fn]
        for slot, (child, index) in enumerate(fn.next_functions):
            if child is None:
                edges.append((source, slot, None, 0))
                continue
            if child not in entries:
                entries[child] = (len(entries), index)
                stack.append(child)
            edges.append((source, slot, *entries[child]))
    return {"root": 0, "nodes": [type(fn).__name__ for fn in entries], "edges": edges}
