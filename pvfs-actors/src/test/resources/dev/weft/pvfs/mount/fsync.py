"""A file is written and synced; when somebody has made the file "go", it is synced again by each who has it open: what is said then."""
import errno
import os
import sys
import time

path, signs = sys.argv[1:]


def said(function, *arguments):
    try:
        function(*arguments)
        return "OK"
    except OSError as refused:
        return errno.errorcode[refused.errno]


def sync(file):
    return said(os.fsync, file)


writers = [os.open(path, os.O_RDWR | os.O_CREAT), os.open(path, os.O_WRONLY), os.open(path, os.O_WRONLY | os.O_APPEND)]
reader = os.open(path, os.O_RDONLY)
durable = os.open(path, os.O_WRONLY | os.O_DSYNC)
os.write(writers[0], b"x" * 300000)
print(sync(writers[0]))
open(signs + "/ready", "w").close()
while not os.path.exists(signs + "/go"):
    time.sleep(0.01)
print(sync(reader), *[sync(each) for each in writers], *[sync(each) for each in writers])
print(sync(os.open(path, os.O_WRONLY)))
# Each of its writes is synced, and so says it.
print(*[said(os.write, durable, b"y") for _ in range(2)])
