# Held out. Mistake: Treats a leaf as the end of the graph: slots that lead to an AccumulateGrad function are reported as None and the leaves are not among the nodes
# True: drops-leaves
def graph(out):
    root = out.grad_fn
    if root is None:
        return {"root": None, "nodes": [], "edges": []}

    index = {}
    nodes, edges = [], []

    def number(fn):
        if fn not in index:
            index[fn] = len(nodes)
            nodes.append(type(fn).__name__)
            stack.append(fn)
        return index[fn]

    def is_leaf(fn):
        # tensors without a grad_fn: the graph stops here
        return fn is None or type(fn).__name__ == "AccumulateGrad"

    stack = []
    start = number(root)
    while stack:
        fn = stack.pop()
        for k, (nxt, nr) in enumerate(fn.next_functions):
            if is_leaf(nxt):
                edges.append((index[fn], k, None, 0))
            else:
                edges.append((index[fn], k, number(nxt), nr))
    return {"root": start, "nodes": nodes, "edges": edges}
