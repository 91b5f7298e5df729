# Held out. Mistake: log multiplies the tangent by 1 / x with x stripped to a plain float, so the slope is constant for outer derivatives and second derivatives of log are wrong.
import math

_level = [0]


class Num:
    def __init__(self, eps, a, b):
        self.eps = eps
        self.a = a
        self.b = b

    def __add__(self, other):
        return add(self, other)

    def __radd__(self, other):
        return add(other, self)

    def __sub__(self, other):
        return add(self, mul(-1, other))

    def __rsub__(self, other):
        return add(other, mul(-1, self))

    def __neg__(self):
        return mul(-1, self)

    def __mul__(self, other):
        return mul(self, other)

    def __rmul__(self, other):
        return mul(other, self)

    def __truediv__(self, other):
        return mul(self, inv(other))

    def __rtruediv__(self, other):
        return mul(other, inv(self))

    def __pow__(self, n):
        return power(self, n)

    def __lt__(self, other):
        return plain(self) < plain(other)

    def __gt__(self, other):
        return plain(self) > plain(other)

    def __le__(self, other):
        return plain(self) <= plain(other)

    def __ge__(self, other):
        return plain(self) >= plain(other)


def plain(x):
    return plain(x.a) if isinstance(x, Num) else x


def level(x):
    return x.eps if isinstance(x, Num) else -1


def parts(x, eps):
    return (x.a, x.b) if isinstance(x, Num) and x.eps == eps else (x, 0.0)


def add(x, y):
    eps = max(level(x), level(y))
    if eps < 0:
        return x + y
    (a, b), (c, d) = parts(x, eps), parts(y, eps)
    return Num(eps, add(a, c), add(b, d))


def mul(x, y):
    eps = max(level(x), level(y))
    if eps < 0:
        return x * y
    (a, b), (c, d) = parts(x, eps), parts(y, eps)
    return Num(eps, mul(a, c), add(mul(a, d), mul(b, c)))


def inv(x):
    if not isinstance(x, Num):
        return 1.0 / x
    r = inv(x.a)
    return Num(x.eps, r, mul(mul(-1.0, mul(r, r)), x.b))


def power(x, n):
    if not isinstance(x, Num):
        return x ** n
    if n == 0:
        return 1.0
    return Num(x.eps, power(x.a, n), mul(mul(n, power(x.a, n - 1)), x.b))


def jvp(f, xs, vs):
    eps = _level[0]
    _level[0] += 1
    try:
        result = f(*(Num(eps, x, v) for x, v in zip(xs, vs)))
    finally:
        _level[0] -= 1
    return parts(result, eps)


def derivative(f, x):
    value, slope = jvp(f, [x], [1.0])
    return slope


def sin(x):
    return Num(x.eps, sin(x.a), mul(cos(x.a), x.b)) if isinstance(x, Num) else math.sin(x)


def cos(x):
    return Num(x.eps, cos(x.a), mul(mul(-1.0, sin(x.a)), x.b)) if isinstance(x, Num) else math.cos(x)


def exp(x):
    return Num(x.eps, exp(x.a), mul(exp(x.a), x.b)) if isinstance(x, Num) else math.exp(x)


def log(x):
    if isinstance(x, Num):
        return Num(x.eps, log(x.a), mul(1.0 / plain(x), x.b))
    return math.log(x)
