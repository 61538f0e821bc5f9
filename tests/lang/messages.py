"""Messages between Tascell's nodes, as (type, body): docs/protocols/N.md."""

import struct

ASK, NONE, GIVE, RESULT, CANCEL, BACK, HINT, END = 64, 65, 66, 67, 68, 69, 70, 71
PUBLISH, BROADCAST, HEARD, PUBLISHED, READY, FETCH, DATA = 72, 73, 74, 75, 76, 77, 78
RETURNED, THREW, CANCELLED = 0, 1, 2  # how a task ends


def ask(wanted=0, asker=0):
    return ASK, struct.pack("<QII", wanted, asker, 0)


def none(wanted=0, is_busy=0, asker=0):
    return NONE, struct.pack("<QII", wanted, is_busy, asker)


def give(number, size, wanted=0, asker=0, kind=0):
    """The task of fib(size): its second call."""
    return GIVE, struct.pack("<QQIIq", number, wanted, asker, kind, size)


def result(number, value=None, reason=RETURNED, tag=0):
    return RESULT, struct.pack("<QqII", number, tag, reason, 0) + (b"" if value is None else struct.pack("<q", value))


def numbered(kind, number):
    """Of CANCEL, BACK, HEARD and PUBLISHED."""
    return kind, struct.pack("<Q", number)


def end_with(status):
    return END, struct.pack("<iI", status, 0)


def publish(ticket, kind=0, size=5):
    return PUBLISH, struct.pack("<QIIq", ticket, kind, 0, size)


def broadcast(index, kind=0, publisher=1, size=5):
    return BROADCAST, struct.pack("<QIIq", index, kind, publisher, size)


def fetch(stamp=0, low=0, size=0, users=0):
    return FETCH, struct.pack("<QQQQ", stamp, low, size, users)


def data(stamp=0, low=0, size=0, users=0, values=b""):
    return DATA, struct.pack("<QQQQ", stamp, low, size, users) + values
