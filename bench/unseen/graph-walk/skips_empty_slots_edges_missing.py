# Held out. Mistake: Skips empty slots, so the edges (source, slot, None, 0) are missing
# True: drops-none-slots
def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}

    number = {out.grad_fn: 0}
    nodes = [type(out.grad_fn).__name__]
    edges = []
    todo = [out.grad_fn]
    while todo:
        fn = todo.pop()
        for slot, (target, out_nr) in enumerate(fn.next_functions):
            if target is None:
                continue
            if target not in number:
                number[target] = len(nodes)
                nodes.append(type(target).__name__)
                todo.append(target)
            edges.append((number[fn], slot, number[target], out_nr))
    return {"root": 0, "nodes": nodes, "edges": edges}
