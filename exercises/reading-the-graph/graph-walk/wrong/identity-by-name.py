"""Nodes are looked up by their type name, so all nodes of one type become one."""


def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    nodes = [out.grad_fn.name()]
    edges = []
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        source = nodes.index(fn.name())
        for slot, (child, index) in enumerate(fn.next_functions):
            if child is None:
                edges.append((source, slot, None, 0))
                continue
            if child.name() not in nodes:
                nodes.append(child.name())
                stack.append(child)
            edges.append((source, slot, nodes.index(child.name()), index))
    return {"root": 0, "nodes": [n.split("::")[-1] for n in nodes], "edges": edges}
