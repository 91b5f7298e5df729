# Held out. Mistake: the derivative of c / x for a plain c misses its minus sign, so every quotient with a number on the left has the wrong tangent.
# True: flipped-sign
import itertools
import math

_tags = itertools.count(1)


class Dual:
    def __init__(self, tag, val, tan):
        self.tag, self.val, self.tan = tag, val, tan

    def __add__(self, o):
        t, (a, da), (b, db) = _pair(self, o)
        return Dual(t, a + b, da + db)

    __radd__ = __add__

    def __neg__(self):
        return Dual(self.tag, -self.val, -self.tan)

    def __sub__(self, o):
        return self + (-o)

    def __rsub__(self, o):
        return (-self) + o

    def __mul__(self, o):
        t, (a, da), (b, db) = _pair(self, o)
        return Dual(t, a * b, da * b + a * db)

    __rmul__ = __mul__

    def __truediv__(self, o):
        t, (a, da), (b, db) = _pair(self, o)
        return Dual(t, a / b, (da * b - a * db) / (b * b))

    def __rtruediv__(self, o):
        return Dual(self.tag, o / self.val, o * self.tan / (self.val * self.val))

    def __pow__(self, n):
        if n == 0:
            return Dual(self.tag, self.val ** 0, 0.0 * self.tan)
        return Dual(self.tag, self.val ** n, n * self.val ** (n - 1) * self.tan)

    def __lt__(self, o):
        return _real(self) < _real(o)

    def __gt__(self, o):
        return _real(self) > _real(o)

    def __le__(self, o):
        return _real(self) <= _real(o)

    def __ge__(self, o):
        return _real(self) >= _real(o)


def _real(x):
    while isinstance(x, Dual):
        x = x.val
    return x


def _tag(x):
    return x.tag if isinstance(x, Dual) else 0


def _split(x, tag):
    if _tag(x) == tag:
        return x.val, x.tan
    return x, 0.0


def _pair(x, y):
    t = max(_tag(x), _tag(y))
    return t, _split(x, t), _split(y, t)


def jvp(f, xs, vs):
    t = next(_tags)
    out = f(*[Dual(t, x, v) for x, v in zip(xs, vs)])
    return _split(out, t)


def derivative(f, x):
    return jvp(f, [x], [1.0])[1]


def sin(x):
    if not isinstance(x, Dual):
        return math.sin(x)
    return Dual(x.tag, sin(x.val), cos(x.val) * x.tan)


def cos(x):
    if not isinstance(x, Dual):
        return math.cos(x)
    return Dual(x.tag, cos(x.val), -sin(x.val) * x.tan)


def exp(x):
    if not isinstance(x, Dual):
        return math.exp(x)
    e = exp(x.val)
    return Dual(x.tag, e, e * x.tan)


def log(x):
    if not isinstance(x, Dual):
        return math.log(x)
    return Dual(x.tag, log(x.val), x.tan / x.val)
