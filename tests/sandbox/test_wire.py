"""Frames: what goes in comes out, and whatever else arrives is refused without harm."""

import math
import struct
import time
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.msgpack import Ext

from sandbox.wire import (
    BODY_LIMIT,
    CONTAINER_LIMIT,
    DEPTH_LIMIT,
    HEADER_LIMIT,
    INTEGER_LIMIT,
    ITEM_LIMIT,
    LENGTHS,
    NAME_LIMIT,
    Answer,
    Array,
    Ask,
    Codec,
    Frame,
    Opaque,
    Raised,
    WireError,
    seal,
)


def refuse(value: Any) -> Any:
    raise TypeError(f"unexpected {value!r}")


def split(frame: Frame) -> tuple[bytes, bytes]:
    data = b"".join(bytes(chunk) for chunk in Codec().encode(frame))
    header, body = LENGTHS.unpack_from(data)
    assert len(data) == LENGTHS.size + header + body
    return data[LENGTHS.size : LENGTHS.size + header], data[LENGTHS.size + header :]


def through(value: Any) -> Any:
    frame = Codec().decode(*split(Answer(1, seal(value, refuse))))
    assert isinstance(frame, Answer)
    return frame.value


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4) | st.tuples(inner, inner),
    max_leaves=12,
)


@given(plain)
def test_plain_data_survives_with_its_exact_types(value: Any) -> None:
    back = through(value)
    assert back == value
    assert repr(back) == repr(value)  # tells 1 from True and (1,) from [1]


def test_nan_and_infinity_survive() -> None:
    back = through([math.nan, math.inf, -math.inf])
    assert math.isnan(back[0])
    assert back[1:] == [math.inf, -math.inf]


def test_a_lone_surrogate_is_replaced_not_sent() -> None:
    assert through("a\ud800b") == "a?b"


def test_an_integer_with_absurdly_many_digits_becomes_a_type_name() -> None:
    assert through(1 << (8 * INTEGER_LIMIT + 8)) == Opaque("int")


def test_the_name_of_a_type_is_cut() -> None:
    long = Opaque("")
    long.type_name = "x" * 100_000  # as a job could send it
    assert through(long).type_name == "x" * NAME_LIMIT


def test_a_subclass_of_a_number_is_not_a_number() -> None:
    class Sly(float):
        pass

    with pytest.raises(TypeError):
        seal(Sly(1.0), refuse)


def test_a_named_tuple_is_the_tuple_that_it_is_made_of() -> None:
    class Gradients(NamedTuple):
        dx: float
        dw: float

    class Sly(tuple):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            return iter((3.0, 4.0))

        __len__ = __getitem__ = __iter__  # type: ignore[assignment]

    assert through(Gradients(1.0, 2.0)) == (1.0, 2.0)
    assert through([Sly((1.0, Gradients(2.0, 3.0)))]) == [(1.0, (2.0, 3.0))]
    assert type(through(Gradients(1.0, 2.0))) is tuple


def test_arrays_share_one_body() -> None:
    one, two = Array("numpy", "float64", (2,), bytes(range(16))), Array("torch", "int32", (), b"\1\2\3\4", graph=True)
    back = through([one, two])
    assert [bytes(array.data) for array in back] == [bytes(range(16)), b"\1\2\3\4"]
    assert (back[1].kind, back[1].dtype, back[1].shape, back[1].graph) == ("torch", "int32", (), True)


@pytest.mark.parametrize(
    "array",
    [
        Array("numpy", "float64", (3,), bytes(16)),
        Array("numpy", "float64", (-1,), bytes(8)),
        Array("numpy", "float64", (1 << 62, 1 << 62), b""),
        Array("numpy", "float64", (0, 1 << 62), b""),
        Array("numpy", "object", (1,), bytes(8)),
        Array("pickle", "float64", (1,), bytes(8)),
        Array("numpy", "float64", (1,) * 17, bytes(8)),
    ],
    ids=["too short", "negative", "huge", "huge and empty", "object", "unknown kind", "too many axes"],
)
def test_an_array_that_does_not_fit_its_bytes_is_refused(array: Array) -> None:
    with pytest.raises(WireError):
        Codec().decode(*split(Answer(1, array)))


def test_arrays_fill_the_body_exactly() -> None:
    """No byte belongs to two arrays, or one frame could claim the same memory ten thousand times."""
    header, body = split(Answer(1, Array("numpy", "float64", (2,), bytes(16))))
    for damaged in (body[:8], body + b"x"):
        with pytest.raises(WireError):
            Codec().decode(header, damaged)


def test_a_frame_over_the_limit_is_not_built() -> None:
    with pytest.raises(WireError):
        Codec().encode(Answer(1, "x" * (HEADER_LIMIT + 1)))
    with pytest.raises(WireError):
        Codec().encode(Answer(1, Array("numpy", "uint8", (BODY_LIMIT + 1,), bytes(BODY_LIMIT + 1))))


def answer_with(value: Any) -> bytes:
    """The header of an answer whose value is forged: any msgpack, with the containers of the wire or without."""
    return msgspec.msgpack.encode({"type": "answer", "number": 1, "value": value})


def decoded(header: bytes) -> Any:
    """The value of an answer, None where it is refused."""
    try:
        frame = Codec().decode(header, b"")
    except WireError:
        return None
    assert isinstance(frame, Answer)
    return frame.value


LIST, TUPLE, MAP = 4, 5, 6


@pytest.mark.parametrize("tag", [LIST, TUPLE, MAP])
def test_containers_in_each_other_are_refused_below_a_depth(tag: int) -> None:
    def nested(depth: int) -> Any:
        value: Any = None
        for _ in range(depth):
            value = [tag, {"": value} if tag == MAP else [value]]
        return value

    assert decoded(answer_with(nested(DEPTH_LIMIT))) is not None
    assert decoded(answer_with(nested(DEPTH_LIMIT + 1))) is None
    container = b"\x92" + bytes([tag]) + (b"\x81\xa0" if tag == MAP else b"\x91")
    assert decoded(answer_with(None)[:-1] + container * 100_000 + b"\xc0") is None


@pytest.mark.parametrize("tag", [LIST, TUPLE, MAP])
def test_more_containers_than_a_frame_may_hold_are_refused(tag: int) -> None:
    def value(count: int) -> Any:
        empty = [tag, {} if tag == MAP else []]
        return [LIST, [empty] * (count - 1)]

    assert decoded(answer_with(value(CONTAINER_LIMIT))) is not None
    assert decoded(answer_with(value(CONTAINER_LIMIT + 1))) is None


def test_what_is_nested_too_deep_is_not_sent() -> None:
    value: Any = []
    for _ in range(DEPTH_LIMIT):
        value = [value]
    with pytest.raises(ValueError, match="32 deep"):
        seal(value, refuse)


@pytest.mark.parametrize("key", [b"a", 1, None, True, 1.5, ("a",), ((-1, -2),)], ids=repr)
def test_keys_must_be_text(key: Any) -> None:
    assert decoded(answer_with([MAP, {"a": 1}])) == {"a": 1}
    assert decoded(answer_with([MAP, {key: 1}])) is None


FOREIGN = {
    "map": {"a": 1},
    "no map": {},
    "list": [1, 2],
    "no list": [],
    "bytes": b"a",
    "type 1": Ext(1, b""),
    "type 3": Ext(3, b"\x90"),
}


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN)
def test_a_value_that_is_none_of_ours_is_refused(value: Any) -> None:
    assert decoded(answer_with(value)) is None
    assert decoded(answer_with([LIST, [value]])) is None


@pytest.mark.parametrize("tag", [LIST, TUPLE])
def test_a_container_with_too_much_in_it_is_refused(tag: int) -> None:
    assert decoded(answer_with([tag, [None] * ITEM_LIMIT])) is not None
    assert decoded(answer_with([tag, [None] * (ITEM_LIMIT + 1)])) is None
    assert decoded(answer_with([MAP, {f"{n:x}": None for n in range(ITEM_LIMIT + 1)}])) is None


def test_keys_with_equal_hashes_are_refused_without_comparison() -> None:
    """Tuples of -1 and -2: in a map they would be compared each with all before it, so that four times as many would take
    sixteen times as long."""

    def seconds(count: int, head: bytes) -> float:
        """The least CPU time of several."""
        keys = [tuple(-1 - (n >> bit & 1) for bit in range(16)) for n in range(count)]
        pairs = b"".join(msgspec.msgpack.encode(key) + b"\xc0" for key in keys)
        frame, times = answer_with(None)[:-1] + head + b"\xde" + struct.pack(">H", count) + pairs, []
        for _ in range(5):
            start = time.process_time()
            assert decoded(frame) is None
            times.append(time.process_time() - start)
        return min(times)

    for head in (b"", b"\x92\x06"):
        assert seconds(20_000, head) < 9 * max(seconds(5_000, head), 1e-3), "decoding is not linear"


forged = st.recursive(
    st.none() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats() | st.text(max_size=3) | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(st.integers(-1, 8), inner).map(list)
        | st.dictionaries(st.text(max_size=2) | st.integers(-2, 2) | st.tuples(st.just(-1), st.just(-2)), inner, max_size=3)
        | st.builds(Ext, st.integers(0, 5), st.binary(max_size=5))
    ),
    max_leaves=20,
)


@settings(max_examples=400)
@given(forged)
def test_decoding_gives_plain_data_with_text_keys(value: Any) -> None:
    waiting = [decoded(answer_with(value))]
    while waiting:
        item = waiting.pop()
        assert type(item) in (type(None), bool, int, float, str, bytes, list, tuple, dict, Opaque)
        if type(item) is dict:
            assert all(type(key) is str for key in item)
            waiting += item.values()
        elif type(item) in (list, tuple):
            waiting += item


@given(st.binary(max_size=300), st.binary(max_size=40))
def test_no_bytes_do_anything_but_decode_or_fail(header: bytes, body: bytes) -> None:
    try:
        Codec().decode(header, body)
    except WireError:
        return


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_frame_decodes_or_fails(data: st.DataObject) -> None:
    value = [Array("numpy", "float64", (2,), bytes(16)), (1, 2), 1 << 80, "text", {"a": None}]
    header, body = split(Ask(3, "call", "f", [seal(item, refuse) for item in value]))
    damaged = bytearray(header)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        Codec().decode(bytes(damaged), body)
    except WireError:
        return


def test_what_was_raised_keeps_its_lines() -> None:
    frame = Codec().decode(*split(Raised(2, "ask", "ValueError", "no", [])))
    assert frame == Raised(2, "ask", "ValueError", "no", [])
