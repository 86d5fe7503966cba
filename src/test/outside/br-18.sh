# The state directory is emptied while the fabric runs, as systemd-tmpfiles does with files that are days old; then it is removed.
. "$LIB"
# A busy machine may take its time, but nobody may be told that there is no fabric.
answers() {
  weft status >"$T/status" 2>&1
  cat "$T/status"
  [ "$(grep -c ' answers ' "$T/status")" = 2 ] || grep -q 'no fabric is up' "$T/status"
}
found() {
  await answers
  ! grep 'no fabric is up' "$T/status" || fail "status does not find the fabric: $(cat "$T/status")"
}
remove() { until rm -rf "$@" 2> "$T/rm"; do :; done; } # A record that is put back meanwhile keeps its directory.
for gone in "$WEFT_STATE_DIR"/* "$WEFT_STATE_DIR"; do remove "$gone"; done
found
refused "a fabric is up already" weft up --http 127.0.0.1:0 --nbd "unix:$T/nbd"
remove "${WEFT_STATE_DIR:?}"/*
found
locked() { ! flock --exclusive --nonblock "$WEFT_STATE_DIR" true; } # Against those who clean up.
await locked
weft pvfs ls / >"$T/ls" || fail "commands do not find the fabric"
touch "$A/x" || fail "the mount does not serve any more"
weft status > /dev/full 2> "$T/full" && fail "status says that all is well, though its output is lost"
grep -qx 'weft: standard output cannot be written: No space left on device' "$T/full" || fail "status > /dev/full said $(cat "$T/full")"
