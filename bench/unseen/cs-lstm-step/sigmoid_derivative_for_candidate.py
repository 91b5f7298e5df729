# Held out. Mistake: all four gates are stacked and share the derivative s * (1 - s), but the candidate g is a tanh, whose derivative is 1 - g**2.
# True: wrong-local-derivative
import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    a = x.dot(Wx) + prev_h.dot(Wh) + b
    ai, af, ao, ag = np.split(a, 4, axis=1)
    i, f, o, g = sigmoid(ai), sigmoid(af), sigmoid(ao), np.tanh(ag)
    next_c = f * prev_c + i * g
    next_h = o * np.tanh(next_c)
    cache = dict(x=x, h=prev_h, c=prev_c, Wx=Wx, Wh=Wh, gates=np.hstack((i, f, o, g)), next_c=next_c)
    return next_h, next_c, cache


def lstm_step_backward(dnext_h, dnext_c, cache):
    gates = cache["gates"]
    i, f, o, g = np.split(gates, 4, axis=1)
    t = np.tanh(cache["next_c"])
    dcell = dnext_c + dnext_h * o * (1 - t * t)
    dgates = np.hstack((dcell * g, dcell * cache["c"], dnext_h * t, dcell * i))
    da = dgates * gates * (1 - gates)
    return (
        da.dot(cache["Wx"].T),
        da.dot(cache["Wh"].T),
        dcell * f,
        cache["x"].T.dot(da),
        cache["h"].T.dot(da),
        da.sum(axis=0),
    )
