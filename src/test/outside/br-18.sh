# The state directory is emptied while the fabric runs, as systemd-tmpfiles does with files that are days old; then it is removed.
. "$LIB"
answers() { [ "$(weft status | grep -c ' answers ')" = 2 ]; }
for gone in "$WEFT_STATE_DIR"/* "$WEFT_STATE_DIR"; do rm -rf "$gone"; done
answers || fail "status does not find the fabric: $(weft status 2>&1 | head -n 3)"
refused "a fabric is up already" weft up --http 127.0.0.1:0 --nbd "unix:$T/nbd"
rm -rf "${WEFT_STATE_DIR:?}"/*
answers || fail "status does not find the fabric: $(weft status 2>&1 | head -n 3)"
flock --exclusive --nonblock "$WEFT_STATE_DIR" true && fail "the state directory is not locked against those who clean up"
weft pvfs ls / >"$T/ls" || fail "commands do not find the fabric"
touch "$A/x" || fail "the mount does not serve any more"
