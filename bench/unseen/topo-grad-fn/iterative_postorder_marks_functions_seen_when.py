# Held out. Mistake: The iterative postorder marks functions as seen when they are pushed instead of when they are entered, so a shared function can be listed after (reversed: before) the wrong consumer
# True: preorder-dfs
def topo(out):
    if out.grad_fn is None:
        return []
    post = []
    seen = {out.grad_fn}
    stack = [(out.grad_fn, False)]
    while stack:
        fn, finished = stack.pop()
        if finished:
            post.append(fn)
            continue
        stack.append((fn, True))
        for nxt, _ in fn.next_functions:
            if nxt is not None and nxt not in seen:
                seen.add(nxt)
                stack.append((nxt, False))
    return post[::-1]
