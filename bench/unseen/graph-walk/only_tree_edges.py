# Held out. Mistake: an edge is recorded only when its target is seen for the first time, so every further slot that leads to a shared function is missing.
# True: drops-repeated-edges
def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    number = {out.grad_fn: 0}
    nodes = [type(out.grad_fn).__name__]
    edges = []
    todo = [out.grad_fn]
    while todo:
        fn = todo.pop()
        source = number[fn]
        for slot, (target, nr) in enumerate(fn.next_functions):
            if target is None:
                edges.append((source, slot, None, 0))
            elif target not in number:
                number[target] = len(nodes)
                nodes.append(type(target).__name__)
                edges.append((source, slot, number[target], nr))
                todo.append(target)
    return {"root": 0, "nodes": nodes, "edges": edges}
