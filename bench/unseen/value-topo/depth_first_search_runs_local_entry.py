# Held out. Mistake: Depth-first search that runs local() on entry (preorder), before other consumers of the node have run
# True: wrong-traversal
class Value:
    def __init__(self, data, prev=()):
        self.data = data
        self.grad = 0.0
        self.prev = prev
        self.local = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def local():
            self.grad += out.grad
            other.grad += out.grad
        out.local = local
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def local():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.local = local
        return out

    def backward(self):
        self.grad = 1.0
        done = set()

        def run(node):
            if id(node) in done:
                return
            done.add(id(node))
            node.local()
            for child in node.prev:
                run(child)

        run(self)
