# SPDX-License-Identifier: MIT
"""Reads and writes the few kinds of pictures that the tests of the game deal with: BMP as SDL writes
it, and PNG, both with 8 bits for each of red, green and blue.

`images.py IN.bmp OUT.png` turns one into the other.
"""

import pathlib
import struct
import sys
import zlib

PNG_HEAD = b"\x89PNG\r\n\x1a\n"
CHANNELS = 3


class Image:
    """Rows of bytes, red, green and blue for each pixel, from the top."""

    def __init__(self, width, height, rows):
        self.width, self.height, self.rows = width, height, rows

    def __getitem__(self, place):
        x, y = place
        return tuple(self.rows[y][CHANNELS * x:CHANNELS * x + CHANNELS])

    def colours(self, left, top, right, bottom):
        """The different colours in a box; right and bottom are outside of it."""
        found = set()
        for row in self.rows[top:bottom]:
            part = row[CHANNELS * left:CHANNELS * right]
            found.update(zip(part[0::CHANNELS], part[1::CHANNELS], part[2::CHANNELS]))
        return found

    def difference(self, other):
        """The mean of the absolute differences of all bytes."""
        total = sum(abs(a - b) for mine, theirs in zip(self.rows, other.rows)
                    for a, b in zip(mine, theirs))
        return total / (CHANNELS * self.width * self.height)


def read_bmp(path):
    data = pathlib.Path(path).read_bytes()
    start, = struct.unpack_from("<I", data, 10)
    width, height, _, bits = struct.unpack_from("<iiHH", data, 18)
    assert data[:2] == b"BM" and bits == 8 * CHANNELS and height > 0, path
    stride = (CHANNELS * width + 3) // 4 * 4
    rows = []
    for y in reversed(range(height)): # the lowest row comes first
        row = bytearray(data[start + y * stride:][:CHANNELS * width])
        row[0::CHANNELS], row[2::CHANNELS] = row[2::CHANNELS], row[0::CHANNELS]
        rows.append(bytes(row))
    return Image(width, height, rows)


def _predictions(row, above):
    """What each of PNG's filters foretells of a row."""
    left = bytes(CHANNELS) + row[:-CHANNELS]
    corner = bytes(CHANNELS) + above[:-CHANNELS]

    def paeth(a, b, c):
        p = a + b - c
        return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]

    yield bytes(len(row))
    yield left
    yield above
    yield bytes((a + b) // 2 for a, b in zip(left, above))
    yield bytes(map(paeth, left, above, corner))


def write_png(path, image):
    """Filters each row by the rule of thumb of the least sum of absolute differences."""
    packed, above = bytearray(), bytes(CHANNELS * image.width)
    for row in image.rows:
        filtered = [bytes((a - b) & 255 for a, b in zip(row, guess))
                    for guess in _predictions(row, above)]
        kind = min(range(5), key=lambda k: sum(min(byte, 256 - byte) for byte in filtered[k]))
        packed += bytes([kind]) + filtered[kind]
        above = row
    head = struct.pack(">IIBBBBB", image.width, image.height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(packed), 9)), (b"IEND", b""))
    pathlib.Path(path).write_bytes(PNG_HEAD + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks))


def _unfilter(kind, row, above):
    row = bytearray(row)
    for i, byte in enumerate(row):
        a = row[i - CHANNELS] if i >= CHANNELS else 0
        b = above[i]
        c = above[i - CHANNELS] if i >= CHANNELS else 0
        p = a + b - c
        nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        row[i] = (byte + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
    return bytes(row)


def read_png(path):
    """Reads what write_png writes."""
    data = pathlib.Path(path).read_bytes()
    assert data.startswith(PNG_HEAD), path
    at, packed = len(PNG_HEAD), b""
    while at < len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + size]
        if name == b"IHDR":
            width, height, *kind = struct.unpack(">IIBBBBB", body)
            assert kind == [8, 2, 0, 0, 0], path
        elif name == b"IDAT":
            packed += body
        at += size + 12
    packed = zlib.decompress(packed)
    rows, stride, above = [], CHANNELS * width, bytes(CHANNELS * width)
    for y in range(height):
        start = y * (stride + 1)
        above = _unfilter(packed[start], packed[start + 1:start + 1 + stride], above)
        rows.append(above)
    return Image(width, height, rows)


if __name__ == "__main__":
    write_png(sys.argv[2], read_bmp(sys.argv[1]))
