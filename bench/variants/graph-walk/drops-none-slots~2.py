"""Empty slots are filtered out before counting, so the slots behind them are numbered too low as well."""


def graph(out):
    if out.grad_fn is None:
        return {"root": None, "nodes": [], "edges": []}
    numbers = {out.grad_fn: 0}
    edges = []
    stack = [out.grad_fn]
    while stack:
        fn = stack.pop()
        inputs = [pair for pair in fn.next_functions if pair[0] is not None]
        for slot, (child, index) in enumerate(inputs):
            if child not in numbers:
                numbers[child] = len(numbers)
                stack.append(child)
            edges.append((numbers[fn], slot, numbers[child], index))
    return {"root": 0, "nodes": [type(fn).__name__ for fn in numbers], "edges": edges}
