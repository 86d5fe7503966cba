"""Changes files by one path and looks by another: each change is to be seen by the next look, whatever either has cached."""
import os
import sys

A, B, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
seen = 0


def look(condition, what):
    global seen
    assert condition, f"{what} in round {step}"
    seen += 1


def get(path):
    with open(path, "rb") as file:
        return file.read()


def put(path, content):
    with open(path, "wb") as file:
        file.write(content)


for step in range(rounds):
    A, B = B, A
    a, b = os.path.join(A, "f"), os.path.join(B, "f")
    text = f"round {step} ".encode() * (step * 700 + 1)
    put(a, text)
    look(get(b) == text, "content")
    look(os.stat(b).st_size == len(text), "length")
    with open(a, "r+b") as file:
        file.write(b"R")
        file.truncate(5)
    look(get(b) == b"Round"[:5], "a changed byte")
    look(os.stat(b).st_size == 5, "a cut")
    os.chmod(a, 0o600 + step)
    look(os.stat(b).st_mode & 0o777 == 0o600 + step, "a mode")
    os.utime(a, ns=(step, step + 1))
    look(os.stat(b).st_mtime_ns == step + 1, "a time")
    os.link(a, os.path.join(A, "link"))
    look(os.stat(b).st_nlink == 2, "a link")
    look(os.path.exists(os.path.join(B, "link")), "its name")
    os.unlink(os.path.join(A, "link"))
    look(not os.path.exists(os.path.join(B, "link")), "no name")
    look(os.stat(b).st_nlink == 1, "one link")
    look(not os.path.exists(os.path.join(B, "new")), "nothing new")
    put(os.path.join(A, "new"), b"new")
    look(get(os.path.join(B, "new")) == b"new", "a new file")
    os.rename(os.path.join(A, "new"), a)
    look(get(b) == b"new", "a file in the place of another")
    look(not os.path.exists(os.path.join(B, "new")), "no old name")
    os.mkdir(os.path.join(A, "d"))
    look(os.listdir(os.path.join(B, "d")) == [], "a directory")
    put(os.path.join(B, "d", "x"), b"x")
    look(os.listdir(os.path.join(A, "d")) == ["x"], "its entry")
    look(get(os.path.join(A, "d", "x")) == b"x", "what is in it")
    os.unlink(os.path.join(A, "d", "x"))
    os.rmdir(os.path.join(A, "d"))
    look(not os.path.exists(os.path.join(B, "d")), "no directory")
    os.setxattr(a, "user.n", str(step).encode())
    look(os.getxattr(b, "user.n") == str(step).encode(), "an attribute")
    os.unlink(a)
    look(not os.path.exists(b), "no file")
print(f"{seen} changes seen")
