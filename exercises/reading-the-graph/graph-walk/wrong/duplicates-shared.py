"""No memory of visited nodes: a node reached along two paths is listed twice, with all that is below it."""


def graph(out):
    nodes, edges = [], []
    if out.grad_fn is None:
        return {"root": None, "nodes": nodes, "edges": edges}
    nodes.append(type(out.grad_fn).__name__)
    stack = [(out.grad_fn, 0)]
    while stack:
        fn, source = stack.pop()
        for slot, (child, index) in enumerate(fn.next_functions):
            if child is None:
                edges.append((source, slot, None, 0))
                continue
            target = len(nodes)
            nodes.append(type(child).__name__)
            edges.append((source, slot, target, index))
            stack.append((child, target))
    return {"root": 0, "nodes": nodes, "edges": edges}
