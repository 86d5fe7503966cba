"""SQLite with a write-ahead log, whose index is mapped, used by two programs: wal.py FILE FILE COUNT."""
import os
import sqlite3
import sys

COUNT = int(sys.argv[3])


def write(path, to):
    done = 0
    try:
        db = sqlite3.connect(path, timeout=60)
        for i in range(COUNT):
            db.execute("insert into t values(?)", (i,))
            db.commit()
            done += 1
            os.write(to, b".")
    except sqlite3.Error as refused:
        print(refused, file=sys.stderr)


db = sqlite3.connect(sys.argv[1], timeout=60)
db.execute("pragma journal_mode=wal")
db.execute("create table t(x)")
db.commit()
db.close()
from_children, to_parent = os.pipe()
children = []
for path in sys.argv[1:3]:
    child = os.fork()
    if child == 0:
        write(path, to_parent)
        os._exit(0)
    children.append(child)
os.close(to_parent)
acknowledged = 0
while read := os.read(from_children, 65536):
    acknowledged += len(read)
for child in children:
    os.waitpid(child, 0)
db = sqlite3.connect(sys.argv[1], timeout=60)
sound = db.execute("pragma integrity_check").fetchone()[0]
found = db.execute("select count(*) from t").fetchone()[0]
print(f"{sound}: {acknowledged} acknowledged, {found} found")
if sound != "ok" or found < acknowledged:
    sys.exit(1)
