"""UTF-8 by ranges: a range of code points becomes a few sequences of byte ranges.

A machine on bytes cannot ask "is this code point in [lo, hi]?"; it sees one byte at a time. But
UTF-8 keeps order, so the code points that share all bytes but the last form one range of last
bytes, and so on upwards: every range is divided into few boxes, each a product of byte ranges.

>>> print(show(byte_boxes(0x61, 0x7A)))            # a-z: one byte, nothing to split
61-7a
>>> print(show(byte_boxes(0x3B1, 0x3C9)))          # alpha to omega: the first byte changes on the way
ce b1-bf
cf 80-89
>>> print(show(byte_boxes(0, LAST_CODE_POINT)))    # everything, but no overlong forms and no surrogates
00-7f
c2-df 80-bf
e0 a0-bf 80-bf
e1-ec 80-bf 80-bf
ed 80-9f 80-bf
ee-ef 80-bf 80-bf
f0 90-bf 80-bf 80-bf
f1-f3 80-bf 80-bf 80-bf
f4 80-8f 80-bf 80-bf

Shapes and units: code points in, bytes out; a box is a tuple of 1 to 4 pairs `(lo, hi)`, both ends
included.

See also: RFC 3629, section 4, which lists the nine boxes above.
"""

ByteRange = tuple[int, int]
Box = tuple[ByteRange, ...]

SURROGATES = (0xD800, 0xDFFF)
LAST_CODE_POINT = 0x10FFFF


def byte_boxes(first: int, last: int) -> list[Box]:
    """Split code points `first` to `last` into boxes of byte ranges, in byte order.

    Cut where the number of bytes changes and around the surrogates, which are no characters. Within one
    length cut so that each box varies freely: if two code points differ above their last six bits,
    the last byte must run through all of 80-bf.
    """
    if first > last:
        return []
    for end in (0x7F, 0x7FF, SURROGATES[0] - 1, SURROGATES[1], 0xFFFF):
        if first <= end < last:
            return byte_boxes(first, end) + byte_boxes(end + 1, last)
    if SURROGATES[0] <= first <= SURROGATES[1]:
        return []
    low, high = chr(first).encode(), chr(last).encode()
    for n_trailing in range(1, len(low)):
        rest = (1 << 6 * n_trailing) - 1  # the bits that the trailing bytes carry
        if first | rest != last | rest:  # the bytes before them differ ...
            if first & rest:  # ... so the trailing bytes must start at 80
                return byte_boxes(first, first | rest) + byte_boxes((first | rest) + 1, last)
            if last & rest != rest:  # ... and end at bf
                return byte_boxes(first, (last & ~rest) - 1) + byte_boxes(last & ~rest, last)
    return [tuple(zip(low, high, strict=True))]


def complement(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """All code points that are in none of `ranges`.

    >>> complement([(1, 0x10FFFE), (5, 9)])
    [(0, 0), (1114111, 1114111)]
    """
    result: list[tuple[int, int]] = []
    free = 0
    for low, high in sorted(ranges):
        if free < low:
            result.append((free, low - 1))
        free = max(free, high + 1)
    if free <= LAST_CODE_POINT:
        result.append((free, LAST_CODE_POINT))
    return result


def show(boxes: list[Box]) -> str:
    """Boxes in hexadecimal, one a line."""
    return "\n".join(
        " ".join(f"{low:02x}" if low == high else f"{low:02x}-{high:02x}" for low, high in box) for box in boxes
    )
