# SQLite in WAL mode lost half of what two programs had committed, each through its own mount.
import os
import sqlite3
import subprocess
import sys

COMMITS = 100
WRITER = f"""
import sqlite3, sys
base = sqlite3.connect(sys.argv[1], timeout=60)
for i in range({COMMITS}):
    base.execute("insert into t values(?)", (i,))
    base.commit()
    print("committed", flush=True)
"""


def committed(*paths):
    """What as many programs say they have committed, and whether all of them ended well."""
    base = sqlite3.connect(paths[0], timeout=60)
    base.execute("pragma journal_mode=wal")
    base.execute("create table t(x)")
    base.commit()
    base.close()
    programs = [subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for path in paths]
    said = [program.communicate()[0] for program in programs]
    return sum(one.count(b"committed") for one in said), all(program.returncode == 0 for program in programs)


def found(path):
    base = sqlite3.connect(path, timeout=60)
    assert base.execute("pragma integrity_check").fetchone() == ("ok",)
    return base.execute("select count(*) from t").fetchone()[0]


a, b = os.environ["A"], os.environ["B"]
count, well = committed(f"{a}/one.db", f"{a}/one.db")
assert (count, well, found(f"{a}/one.db")) == (2 * COMMITS, True, 2 * COMMITS), (count, well, found(f"{a}/one.db"))
count, well = committed(f"{a}/two.db", f"{b}/two.db")
assert found(f"{a}/two.db") == count, f"{count} commits were acknowledged, {found(f'{a}/two.db')} are there"
