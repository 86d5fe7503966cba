# A one-byte file took 64 KiB: few such files filled a daemon.
# seconds: 300
. "$LIB"
export WEFT_STATE_DIR=$T/state
mkdir "$WEFT_STATE_DIR" "$T/m"
driver=$(mktemp -d /dev/shm/weft-br-22-XXXXXX)
export WEFT_JAVA_OPTS="-XX:TieredStopAtLevel=1 -Dweft.fabric.cluster.media-driver.directory=$driver/driver"
end() {
  weft pvfs umount "$T/m" || true
  weft down || true
  rm -rf "$driver"
}
trap end EXIT
weft up --pvfs 2 --pvfs-memory 1M --memory 16M --nbd "unix:$T/nbd" --http 127.0.0.1:0 --detach > "$T/up"
weft pvfs mount "$T/m" > "$T/mount.log" 2>&1 &
await mountpoint -q "$T/m"
python3 - "$T/m" <<'END' || fail "$(tail -n 3 "$T/mount.log")"
import errno, os, sys
directory = sys.argv[1]
first = None
for number in range(5):
    files = 0
    while True:
        assert files < 1000, "no ENOSPC"
        file = os.open(f"{directory}/{files}", os.O_CREAT | os.O_WRONLY)
        try:
            assert os.write(file, b"x") == 1
        except OSError as full:
            assert full.errno == errno.ENOSPC, full
            assert os.fstat(file).st_size == 0
            break
        finally:
            os.close(file)
        files += 1
    first = first or files
    free = os.statvfs(directory).f_bavail
    print(f"round {number}: {files} files, {free} blocks free", file=sys.stderr)
    assert files == first, f"{files} files in round {number}, {first} in the first"
    assert files > 300, f"{files} files filled 2 MiB"
    assert os.stat(f"{directory}/0").st_blocks == 8, os.stat(f"{directory}/0")
    for name in os.listdir(directory):
        os.unlink(f"{directory}/{name}")
END
