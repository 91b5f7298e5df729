"""Frames: what goes in comes out, and whatever else arrives is refused without harm."""

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.wire import (
    BODY_LIMIT,
    HEADER_LIMIT,
    INTEGER_BYTES,
    LENGTHS,
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
    assert through(1 << (8 * INTEGER_BYTES + 8)) == Opaque("int")


def test_a_subclass_of_a_number_is_not_a_number() -> None:
    class Sly(float):
        pass

    with pytest.raises(TypeError):
        seal(Sly(1.0), refuse)


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


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(WireError):
        Codec().decode(b"\x91" * 100_000, b"")


def test_tuples_nested_without_end_are_refused() -> None:
    payload = b"\x90"
    for _ in range(3000):
        payload = msgspec.msgpack.encode([msgspec.msgpack.Ext(3, payload)])
    header = msgspec.msgpack.encode({"t": "answer", "number": 1, "value": msgspec.msgpack.Ext(3, payload)})
    with pytest.raises(WireError):
        Codec().decode(header, b"")


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
