"""Processes append lines to one file, each by its own path; then every line has to be there, whole, and those of each process in their order."""
import os
import sys

count = int(sys.argv[1])
paths = sys.argv[2:]


def line(writer, number):
    return f"{writer} {number} {'x' * (number * 37 % 200)}\n".encode()


children = []
for writer, path in enumerate(paths):
    child = os.fork()
    if child == 0:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for number in range(count):
            text = line(writer, number)
            assert os.write(fd, text) == len(text)
        os.close(fd)
        os._exit(0)
    children.append(child)
assert all(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 for child in children)
for path in paths:
    found = [[] for _ in paths]
    with open(path, "rb") as file:
        for text in file:
            found[int(text.split(b" ", 1)[0])].append(text)
    for writer, lines in enumerate(found):
        assert lines == [line(writer, number) for number in range(count)], f"lines of writer {writer} in {path}"
print(f"{len(paths)} writers, {count * len(paths)} lines")
