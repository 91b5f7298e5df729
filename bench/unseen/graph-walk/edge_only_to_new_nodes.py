# Mistake: an edge to a node that was met before is left out
# True: drops-repeated-edges
def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    ids = {out.grad_fn: 0}
    nodes = [type(out.grad_fn).__name__]
    edges = []
    queue = [out.grad_fn]
    for fn in queue:
        for slot, (target, output_nr) in enumerate(fn.next_functions):
            if target is None:
                edges.append((ids[fn], slot, None, 0))
            elif target not in ids:
                ids[target] = len(nodes)
                nodes.append(type(target).__name__)
                queue.append(target)
                edges.append((ids[fn], slot, ids[target], output_nr))
    return {"root": 0, "nodes": nodes, "edges": edges}
