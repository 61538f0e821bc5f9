"""Writes zip files, of which a wheel is one, as small as can be: by zopfli, which the Python package of that name has, where it is
installed. The same entries give the same bytes."""

import struct
import zlib

try:
    import zopfli.zlib as zopfli
except ImportError:
    zopfli = None

DEFLATED = 8
WORTH_THE_TIME = 1_000  # bytes; of a shorter file zopfli takes a few bytes off
ROUNDS = 5  # of zopfli; more take less than a thousandth off
DATE_1980 = (1 << 5) | 1


def deflated(data):
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    best = compressor.compress(data) + compressor.flush()
    if zopfli is not None and len(data) > WORTH_THE_TIME:
        best = min(best, zopfli.compress(data, numiterations=ROUNDS)[2:-4], key=len)  # without zlib's header and sum
    return best


class Zip:
    """A zip file of files alone, without folders, that is smaller than 4 GB."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.index = b""
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        begin = self.file.tell()
        self.file.write(self.index + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, self.count, self.count, len(self.index), begin, 0))
        self.file.close()

    def add(self, name, data, mode):
        packed, name = deflated(data), name.encode()
        begin = self.file.tell()
        common = struct.pack("<5H3L2H", 20, 0x800, DEFLATED, 0, DATE_1980, zlib.crc32(data), len(packed), len(data), len(name), 0)
        self.file.write(b"PK\3\4" + common + name + packed)
        unix = 3 << 8  # the system whose modes these are
        self.index += b"PK\1\2" + struct.pack("<H", unix | 20) + common + struct.pack("<3H2L", 0, 0, 0, (0o100000 | mode) << 16, begin) + name
        self.count += 1
