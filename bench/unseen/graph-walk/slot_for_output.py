# Mistake: the slot is written where the output number belongs
# True: loses-output-index
def graph(out):
    start = out.grad_fn
    if start is None:
        return {"root": None, "nodes": [], "edges": []}
    order = [start]
    index = {start: 0}
    edges = []
    for fn in order:
        for slot, entry in enumerate(fn.next_functions):
            target = entry[0]
            if target is not None and target not in index:
                index[target] = len(order)
                order.append(target)
            edges.append((index[fn], slot, index.get(target), slot if target is not None else 0))
    return {"root": 0, "nodes": [type(fn).__name__ for fn in order], "edges": edges}
