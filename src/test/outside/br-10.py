# O_PATH, a FIFO and a symbolic link that are held and were removed were ESTALE. The data of a file that only O_PATH holds goes with its name, as the guide says.
# caches: none metadata full
import os

os.chdir(os.environ["A"])
for by in ".", os.environ["B"]:
    open("r", "w").write("still")
    os.symlink("to", "s")
    os.mkfifo("p")
    held = os.open("r", os.O_PATH), os.open("s", os.O_PATH | os.O_NOFOLLOW), os.open("p", os.O_RDWR)
    for n in "rsp":
        os.unlink(f"{by}/{n}")
    for fd in held:
        assert os.fstat(fd).st_nlink == 0, by
    assert os.readlink("", dir_fd=held[1]) == "to"
    os.write(held[2], b"through")
    assert os.read(held[2], 7) == b"through"
    for fd in held:
        os.close(fd)
