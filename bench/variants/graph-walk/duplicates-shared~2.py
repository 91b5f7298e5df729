"""Functions are remembered, leaves are not: AccumulateGrad is listed anew for every use of its leaf."""


def graph(out):
    nodes, edges, number = [], [], {}
    if out.grad_fn is None:
        return {"root": None, "nodes": nodes, "edges": edges}
    number[out.grad_fn] = 0
    nodes.append(type(out.grad_fn).__name__)
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        for slot, (child, index) in enumerate(fn.next_functions):
            if child is None:
                edges.append((number[fn], slot, None, 0))
            elif child in number:
                edges.append((number[fn], slot, number[child], index))
            else:
                edges.append((number[fn], slot, len(nodes), index))
                if child.next_functions:
                    number[child] = len(nodes)
                    stack.append(child)
                nodes.append(type(child).__name__)
    return {"root": 0, "nodes": nodes, "edges": edges}
