"""Parsers that a test runs in a process of its own. The argument says what one does."""

import os
import time


def parse(file, argument):
    """Yield the first bytes of the file, and then behave in the way that the argument names."""
    yield file.read(10).decode()
    if argument == "wrong":
        raise ValueError("The file is wrong.")
    if argument == "fault":
        raise KeyError("a fault of the parser")
    if argument == "memory":
        bytearray(300_000_000)
    if argument == "much memory in small pieces":
        list(range(100_000_000))
    if argument == "mapped files do not count":
        import mmap

        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    while argument == "cpu":
        pass
    if argument == "killed":
        os.kill(os.getpid(), 9)
    if argument == "hang":
        time.sleep(60)
    if argument == "closed and hang":
        os.close(1)
        time.sleep(60)
    if argument == "exit":
        os._exit(0)
    if argument == "garbage":
        os.write(1, b"Traceback\n\xff\xfe")
    if argument == "garbage without end":
        while True:
            os.write(1, b"x" * 65536)
    if argument == "other JSON":
        os.write(1, b'{"done": ')
    if argument == "descriptors":
        yield sorted(
            os.readlink(f"/proc/self/fd/{number}")
            for number in os.listdir("/proc/self/fd")
            if os.path.exists(f"/proc/self/fd/{number}")
        )
    if argument == "environment":
        yield dict(os.environ)
