# 3,000 requests at once, to a JVM that has hardly run, overflowed the stack of Akka HTTP's parser; the fabric ended with its JVM.
# seconds: 300
. "$LIB"
export WEFT_STATE_DIR=$T/state
mkdir -p "$WEFT_STATE_DIR"
ended() { weft down > /dev/null 2>&1 || true; }
trap ended EXIT
weft up --servers 1 --memory 8M --nbd "unix:$T/nbd" --http 127.0.0.1:0 --detach > "$T/up.log" 2>&1 || fail "$(cat "$T/up.log")"
port=$(sed -n 's|^HTTP .*http://127.0.0.1:\([0-9]*\)/.*|\1|p' "$T/up.log")
python3 - "$port" <<'PYTHON'
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60) as connection:
    connection.sendall(b"GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2999 + b"GET /alive HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    answers = b"".join(iter(lambda: connection.recv(65536), b""))
assert answers.count(b"HTTP/1.1 200") == 3000, answers[-300:]
PYTHON
healthy() { weft status | tee /dev/stderr | grep -q ^HEALTHY; }
await healthy
