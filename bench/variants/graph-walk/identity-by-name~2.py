"""A node is told apart by its type name and those of its inputs, which different nodes may have in common."""


def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}

    def label(fn):
        inputs = tuple(None if child is None else type(child).__name__ for child, _ in fn.next_functions)
        return type(fn).__name__, inputs

    numbers = {label(out.grad_fn): 0}
    edges = []
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        source = numbers[label(fn)]
        for slot, (child, index) in enumerate(fn.next_functions):
            if child is None:
                edges.append((source, slot, None, 0))
                continue
            if label(child) not in numbers:
                numbers[label(child)] = len(numbers)
                stack.append(child)
            edges.append((source, slot, numbers[label(child)], index))
    return {"root": 0, "nodes": [name for name, _ in numbers], "edges": edges}
