# Held out. Mistake: the output number of a slot is thrown away and always reported as 0
# True: loses-output-index
def graph(out):
    root = out.grad_fn
    if root is None:
        return {"root": None, "nodes": [], "edges": []}

    # first find all the functions; the dict keeps them alive and gives each its number
    number = {root: 0}
    queue = [root]
    for fn in queue:                       # the list grows while we go through it
        for nxt, _ in fn.next_functions:
            if nxt is not None and nxt not in number:
                number[nxt] = len(number)
                queue.append(nxt)

    # then write down every slot of every function
    edges = []
    for fn in queue:
        for slot, (nxt, _) in enumerate(fn.next_functions):
            target = None if nxt is None else number[nxt]
            edges.append((number[fn], slot, target, 0))

    return {"root": 0, "nodes": [type(fn).__name__ for fn in queue], "edges": edges}
