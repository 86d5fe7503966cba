# A caller with a capability in place of root was refused.
. "$LIB"
as() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps="+$1" --ambient-caps="+$1" "${@:2}"; }
echo s >"$A/s"
chmod 0 "$A/s"
[ "$(as dac_read_search cat "$A/s")" = s ] || fail "CAP_DAC_READ_SEARCH does not read"
if as chown cat "$A/s" 2>/dev/null; then fail "CAP_CHOWN reads"; fi
as dac_override sh -c 'echo more >>"$1"' sh "$A/s" || fail "CAP_DAC_OVERRIDE does not write"
as fowner chmod 640 "$A/s" || fail "CAP_FOWNER does not change the mode"
as chown chown 7:8 "$A/s" || fail "CAP_CHOWN does not change the owner"
[ "$(stat -c %u:%g:%a "$B/s")" = 7:8:640 ] || fail "the other mount shows $(stat -c %u:%g:%a "$B/s")"
mkdir -m 777 "$A/open"
as mknod mknod "$A/open/null" c 1 3 || fail "CAP_MKNOD makes no device"
[[ $(weft pvfs ls -l /open) == c*"1, 3"*null ]] || fail "ls says $(weft pvfs ls -l /open)"
