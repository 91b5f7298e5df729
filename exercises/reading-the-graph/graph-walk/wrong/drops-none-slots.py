"""Empty slots are skipped, so operands without a gradient path leave no edge."""


def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    numbers = {out.grad_fn: 0}
    edges = []
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        for slot, (child, index) in enumerate(fn.next_functions):
            if child is None:
                continue
            if child not in numbers:
                numbers[child] = len(numbers)
                stack.append(child)
            edges.append((numbers[fn], slot, numbers[child], index))
    return {"root": 0, "nodes": [type(fn).__name__ for fn in numbers], "edges": edges}
