# Held out. Mistake: Ignores the output number of next_functions and writes 0 in every edge
# True: loses-output-index
from collections import deque


def graph(out):
    result = {"root": None, "nodes": [], "edges": []}
    if out.grad_fn is None:
        return result

    ids = {}

    def register(fn):
        if fn not in ids:
            ids[fn] = len(ids)
            result["nodes"].append(type(fn).__name__)
            queue.append(fn)
        return ids[fn]

    queue = deque()
    result["root"] = register(out.grad_fn)
    while queue:
        fn = queue.popleft()
        for slot, (nxt, _) in enumerate(fn.next_functions):
            target = None if nxt is None else register(nxt)
            result["edges"].append((ids[fn], slot, target, 0))
    return result
