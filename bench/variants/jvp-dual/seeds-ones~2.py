"""The sum of all partial derivatives, one after the other."""

import math

depth = 0


class Dual:
    def __init__(self, re, du, level):
        self.re = re
        self.du = du
        self.level = level

    def __add__(self, other):
        k = top(self, other)
        return Dual(re(self, k) + re(other, k), du(self, k) + du(other, k), k)

    def __radd__(self, other):
        return self + other

    def __neg__(self):
        return Dual(-self.re, -self.du, self.level)

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return (-self) + other

    def __mul__(self, other):
        k = top(self, other)
        a, b = re(self, k), re(other, k)
        return Dual(a * b, a * du(other, k) + du(self, k) * b, k)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        k = top(self, other)
        a, b = re(self, k), re(other, k)
        return Dual(a / b, (du(self, k) * b - a * du(other, k)) / (b * b), k)

    def __rtruediv__(self, other):
        a = self.re
        return Dual(other / a, -other * self.du / (a * a), self.level)

    def __pow__(self, n):
        if n == 0:
            return Dual(self.re ** n, 0.0 * self.du, self.level)
        return Dual(self.re ** n, n * self.re ** (n - 1) * self.du, self.level)

    def __lt__(self, other):
        return number(self) < number(other)

    def __gt__(self, other):
        return number(self) > number(other)

    def __le__(self, other):
        return number(self) <= number(other)

    def __ge__(self, other):
        return number(self) >= number(other)


def level(x):
    return x.level if isinstance(x, Dual) else 0


def top(a, b):
    return max(level(a), level(b))


def re(x, k):
    return x.re if level(x) == k else x


def du(x, k):
    return x.du if level(x) == k else 0.0


def number(x):
    while isinstance(x, Dual):
        x = x.re
    return x


def jvp(f, xs, vs):
    global depth
    depth += 1
    k = depth
    total = 0.0
    try:
        for i in range(len(xs)):
            out = f(*[Dual(x, float(i == j), k) for j, x in enumerate(xs)])
            total = total + du(out, k)
    finally:
        depth -= 1
    return re(out, k), total


def derivative(f, x):
    return jvp(f, [x], [1.0])[1]


def sin(x):
    if not isinstance(x, Dual):
        return math.sin(x)
    return Dual(sin(x.re), cos(x.re) * x.du, x.level)


def cos(x):
    if not isinstance(x, Dual):
        return math.cos(x)
    return Dual(cos(x.re), -sin(x.re) * x.du, x.level)


def exp(x):
    if not isinstance(x, Dual):
        return math.exp(x)
    e = exp(x.re)
    return Dual(e, e * x.du, x.level)


def log(x):
    if not isinstance(x, Dual):
        return math.log(x)
    return Dual(log(x.re), x.du / x.re, x.level)
