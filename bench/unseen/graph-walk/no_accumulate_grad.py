# Mistake: leaves are taken for empty slots
# True: drops-leaves
def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    nodes, edges, num = [], [], {}
    stack = [out.grad_fn]
    num[out.grad_fn] = 0
    nodes.append(type(out.grad_fn).__name__)
    while stack:
        f = stack.pop()
        for slot, (t, k) in enumerate(f.next_functions):
            if t is None or type(t).__name__ == "AccumulateGrad":
                edges.append((num[f], slot, None, 0))
                continue
            if t not in num:
                num[t] = len(nodes)
                nodes.append(type(t).__name__)
                stack.append(t)
            edges.append((num[f], slot, num[t], k))
    return {"root": 0, "nodes": nodes, "edges": edges}
