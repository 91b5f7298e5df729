"""Answers made to hurt the process that reads them: the judge, outside of every sandbox."""

from tests.hostile.catalogue.case import ARRAY, GRADED, RUNNER, WRONG, Case, error

READ = WRONG + error("protocol", "exception", "memory", "crash", "timeout-cpu", "timeout-wall")
RAW = (
    RUNNER
    + ARRAY
    + r"""
def reply(number):
    value, body = VALUE
    return answer(number, value), body


serve(reply)
"""
)
# 45,000 tuples of -1 and -2, which have equal hashes: where these are keys, each is compared with all before it
EQUAL_HASHES = (
    "b'\\xdf' + struct.pack('>I', 45_000) + b''.join(b'\\xdc\\x00\\x10' + bytes(254 + (n >> bit & 1) for bit in range(16)) + b'\\xc0'"
    " for n in range(45_000))"
)
# Values of an answer, as bytes of msgpack, and the body behind them.
RAW_VALUES = {
    "an unhashable key, a dict": "MAP + b'\\x81\\x80\\xc0', b''",
    "an unhashable key, a list in a tuple": "MAP + b'\\x81' + TUPLE + b'\\x91\\x90\\xc0', b''",
    "an unhashable key, a list": "MAP + b'\\x81\\x91\\x90\\xc0', b''",
    "a key that is an array": "MAP + b'\\x81' + array(shape=(1,)) + b'\\xc0', bytes(8)",
    "a map that is none of ours": "b'\\x81\\xa1a\\xc0', b''",
    "keys of equal hashes": f"{EQUAL_HASHES}, b''",
    "keys of equal hashes in a map of ours": f"MAP + {EQUAL_HASHES}, b''",
    "whole numbers of equal hashes as keys": (
        "MAP + b'\\xdf' + struct.pack('>I', 99_999) + b''.join(struct.pack('>BQB', 0xcf, n << 32, 0xc0) for n in range(99_999)), b''"
    ),
    "a million keys": "MAP + b'\\xdf' + struct.pack('>I', 500_000) + b'\\xa1a\\xc0' * 500_000, b''",
    "two million nothings": "LIST + b'\\xdd' + struct.pack('>I', 2_000_000) + b'\\xc0' * 2_000_000, b''",
    "two million nothings in eight lists": (
        "LIST + b'\\x98' + (LIST + b'\\xdd' + struct.pack('>I', 250_000) + b'\\xc0' * 250_000) * 8, b''"
    ),
    "half a million empty lists": (
        "LIST + b'\\x92' + (LIST + b'\\xdd' + struct.pack('>I', 250_000) + (LIST + b'\\x90') * 250_000) * 2, b''"
    ),
    "as many empty lists as an answer may hold": (
        "LIST + b'\\xdd' + struct.pack('>I', 99_000) + (LIST + b'\\x90') * 99_000, b''"
    ),
    "lists in lists": "(LIST + b'\\x91') * 600_000 + b'\\xc0', b''",
    "lists that are none of ours": "b'\\x91' * 1_900_000 + b'\\xc0', b''",
    "33 lists in each other": "(LIST + b'\\x91') * 33 + b'\\xc0', b''",
    "dicts in dicts": "(MAP + b'\\x81\\xa0') * 500_000 + b'\\xc0', b''",
    "a date": "b'\\xd6\\xff' + bytes(4), b''",
    "a date that is none": "b'\\xc7\\x0c\\xff' + b'\\xff' * 12, b''",
    "no dimension and a huge one": "array(shape=(0, 2**62)), b''",
    "a dimension over the word": "array(shape=(0, 2**63)), b''",
    "a dimension of a hundred bits, none of its bytes": "array(shape=(2**64 - 1, 0)), b''",
    "a thousand million rows of nothing": "array(shape=(10**9, 10**9, 0)), b''",
    "bytes that are no truth values": "array(dtype='bool', shape=(12,)), b'\\xff' * 12",
    "signalling nans": "array(shape=(12,)), b'\\x7f\\xf4\\x00\\x00\\x00\\x00\\x00\\x01'[::-1] * 12",
    "a layout of a megabyte": "array(shape=(1,), layout='l' * 10**6), bytes(8)",
    "a tensor where there is no torch": "array(kind='torch', shape=(3, 4)), bytes(96)",
    "a type with colours": "b'\\x92\\x03\\xa9\\x1b[31m\\xe2\\x80\\xae\\x00', b''",
    "a type in no encoding": "b'\\x92\\x03\\xa4\\x00\\xff\\xed\\xa0', b''",
    "a header with nothing in it": "b'', b''",
    "a body nobody asked for": "b'\\xc0', bytes(32 << 20)",
}

# 64 MB of body, shown many times over: harmless to hold, ruinous to copy or to compare.
OVERLAP = (
    RUNNER
    + ARRAY
    + r"""
count, size = COUNT, SIZE
one = array(KIND, "float64", (size // 8,))
many = b"\xdd" + struct.pack(">I", count) + one * count
value = VALUE
body = bytes(size)
serve(lambda number: (answer(number, value), body))
"""
)

# gradcheck asks for a column of the Jacobian for every entry of the output
LARGER = r"""
import torch


class Cubic:
    apply = staticmethod(lambda x: x.new_zeros(10_000) + x.sum())
"""
TWO_OUTPUTS = r"""
import torch


class Cubic:
    apply = staticmethod(lambda x: (x.sum(), None, "x", torch.ones(2), 3.0))
"""

DRIP = (
    RUNNER
    + r"""
import time

os.write(4, struct.pack(">II", 1 << 20, 0))
while True:
    os.write(4, b"x")
    time.sleep(0.01)
"""
)

# What a function of an exercise returns, in the student's own words.
RETURNED = r"""
import numpy as np
import sys

sys.setrecursionlimit(100_000)


def nested(depth, make):
    value = 0.0
    for _ in range(depth):
        value = make(value)
    return value


made = VALUE
unbroadcast = add_vjp = mul_vjp = lambda *a: made
"""
RETURNED_VALUES = {
    "400 lists in each other": "nested(400, lambda v: [v])",
    "700 lists in each other": "nested(700, lambda v: [v])",
    "900 lists in each other": "nested(900, lambda v: [v])",
    "5000 lists in each other": "nested(5000, lambda v: [v])",
    "200 tuples in each other": "nested(200, lambda v: (v,))",
    "700 tuples in each other": "nested(700, lambda v: (v,))",
    "900 dicts in each other": "nested(900, lambda v: {'k': v})",
    "an integer of 400 digits": "10**400",
    "an integer of 5000 digits": "10**5000",
    "an integer of 9000 digits": "-10**9000",
    "an integer of a million digits": "1 << 3_300_000",
    "a tuple of integers of 5000 digits": "(10**5000, 10**5000)",
    "a list of itself": "(lambda l: l.append(l) or l)([])",
    "an array of zero strides": "np.broadcast_to(0.0, (1 << 20, 1 << 20))",
    "an array over the limit": "np.zeros(9 << 20)",
    "an array of many axes": "np.zeros((1,) * 32)",
    "an array of 17 axes": "np.zeros((1,) * 17)",
    "an array of nothing and a huge axis": "np.zeros((0, 2**40))",
    "a million keys": "{n: n for n in range(1_000_000)}",
    "keys of all kinds": "{1: 2, None: 3, (4,): 5, 'x\\ud800': 6, '\\x1b[31m': 7, b'x': 8}",
    "a lone surrogate": "'\\ud800'",
    "an imaginary number": "1j",
    "a generator": "(x for x in ())",
    "a type": "type('T\\x1b[31m\\u202e' + 'x' * 10**6, (), {'__module__': '\\x00' * 10**6})()",
    "a number that is no number": "type('F', (float,), {'__module__': property(lambda s: 1 / 0)})(1)",
    "a list that counts wrong": "type('L', (list,), {'__len__': lambda s: 2**62})([1, 2])",
    "ten thousand arrays": "(np.zeros(12),) * 10_000",
    "an infinity of list": "[float('inf'), float('-inf'), float('nan')] * 100",
}

NUMBER = r"""
import builtins

made = VALUE
builtins.float = lambda *a: made
"""

# exactly as much output as is allowed, and one byte more while the judge is busy with the answer
TOO_MUCH_LATER = (
    RUNNER
    + r"""
import time

send, dispatch, names = runner._channel.send, runner._dispatch, []


def noting(ask, *rest):
    names.append(ask.name)
    return dispatch(ask, *rest)


def late(frame):
    if names and names[-1] == "function.second_vjp":
        left = 8 << 20
        while left:
            left -= os.write(1, b"x" * min(left, 65536))
    send(frame)
    if names and names[-1] == "function.second_vjp":
        time.sleep(0.002)
        os.write(1, b"more")
        names.clear()


runner._dispatch, runner._channel.send = noting, late
"""
)
# the same, but the process is gone before the judge comes back for more
TOO_MUCH_AND_GONE = (
    RUNNER
    + r"""
send, count = runner._channel.send, 0


def last(frame):
    global count
    count += 1
    if count == 8:
        left = (8 << 20) - 1
        while left:
            left -= os.write(1, b"x" * min(left, 65536))
    send(frame)
    if count == 8:
        os.write(1, b"x" * 60_000)
        os._exit(0)


runner._channel.send = last
"""
)

CASES = (
    *(Case(None, f"raw: {name}", RAW.replace("VALUE", code), READ, "vjp-unbroadcast") for name, code in RAW_VALUES.items()),
    *(
        Case(None, f"raw engine: {name}", RAW.replace("VALUE", RAW_VALUES[name]), READ)
        for name in ("an unhashable key, a dict", "a date", "no dimension and a huge one", "a million keys")
    ),
    *(
        Case(None, f"return {name}", RETURNED.replace("VALUE", code), READ, "vjp-unbroadcast", "instead")
        for name, code in RETURNED_VALUES.items()
    ),
    *(
        Case(None, f"float makes {name}", NUMBER.replace("VALUE", code), GRADED + READ)
        for name, code in {
            "10 to the 400": "10**400",
            "10 to the 5000": "10**5000",
            "a list": "[1]",
            "text": "'nan'",
            "a tuple in a list": "[(1,)]",
        }.items()
    ),
    Case(
        None,
        "the same bytes compared hundreds of times",
        OVERLAP.replace("COUNT", "400")
        .replace("SIZE", "32 << 20")
        .replace("KIND", "'numpy'")
        .replace("VALUE", "TUPLE + many"),
        READ,
        "vjp-unbroadcast",
    ),
    Case(
        None,
        "the same bytes copied again and again",
        OVERLAP.replace("COUNT", "2")
        .replace("SIZE", "16 << 20")
        .replace("KIND", "'torch'")
        .replace("VALUE", "LIST + b'\\xdc\\x00\\x1a' + (LIST + many) * 26"),
        READ,
        "fn-cubic",
    ),
    Case(None, "an output far larger than the input", LARGER, READ, "fn-cubic", "instead"),
    Case(None, "two outputs and no input", TWO_OUTPUTS, READ, "fn-cubic", "instead"),
    Case(None, "a byte too much while the judge is busy", TOO_MUCH_LATER, error("output"), "fn-cubic"),
    Case(None, "much too much and gone", TOO_MUCH_AND_GONE, error("output", "crash"), "vjp-unbroadcast"),
    Case(None, "a frame that drips", DRIP, error("timeout-wall"), swift=True),
)
