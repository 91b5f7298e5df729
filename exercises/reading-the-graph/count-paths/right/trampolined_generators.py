"""Memoised recursion, but each call is a generator that yields the function it wants counted, so the stack is a list."""


def count_paths(out, leaf):
    if not (out.requires_grad and leaf.requires_grad):
        return 0
    if out.grad_fn is None:
        return int(out is leaf)
    counts = {}

    def paths(function):
        if not function.next_functions:
            return int(getattr(function, "variable", None) is leaf)
        total = 0
        for following, _ in function.next_functions:
            if following is not None:
                total += counts[following] if following in counts else (yield following)
        return total

    calls = [(out.grad_fn, paths(out.grad_fn))]
    answer = None
    while calls:
        function, call = calls[-1]
        try:
            wanted = call.send(answer)
        except StopIteration as finished:
            answer = counts[function] = finished.value
            calls.pop()
        else:
            calls.append((wanted, paths(wanted)))
            answer = None
    return answer
