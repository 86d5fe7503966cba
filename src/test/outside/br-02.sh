# The JVM of up opened /dev/stdout, /dev/fd/63 and pipes in the place of the command.
# seconds: 400
. "$LIB"
temporary() { ls -A "$A" | grep -q weft-cp; }
gone() { ! temporary; }
echo hello > "$A/h"
[ "$(weft pvfs cp pvfs:/h /dev/stdout)" = hello ] || fail "nothing on standard output"
echo first > "$T/log"
weft pvfs cp pvfs:/h /dev/stdout >> "$T/log"
[ "$(cat "$T/log")" = $'first\nhello' ] || fail "appended: $(cat "$T/log")"
weft pvfs cp pvfs:/h >(cat > "$T/out")
await cmp -s "$A/h" "$T/out"
weft pvfs cp <(seq 1000) pvfs:/s
seq 1000 | cmp - "$A/s"
seq 2000 | weft pvfs cp --tcp "$TCP" /dev/stdin pvfs:/s
seq 2000 | cmp - "$A/s"
exec 5> "$T/five"
refused "is an open file" weft pvfs cp pvfs:/h /dev/fd/5
exec 5>&-
# What the command's own JVM has open is not its user's.
for fd in 3 4 5 9 10; do
  eval "exec $fd>&-"
  refused "descriptor $fd is not open" weft pvfs cp /dev/fd/$fd pvfs:/own
  refused "descriptor $fd is not open" weft pvfs cp pvfs:/h /dev/fd/$fd
done
refused "standard input is closed" weft pvfs cp /dev/stdin pvfs:/own <&-
[ ! -e "$A/own" ] || fail "a descriptor that is not open gave $(wc -c < "$A/own") bytes"

mkfifo "$T/pipe"
rc=0
timeout 10 weft pvfs cp "$T/pipe" pvfs:/x || rc=$?
[ $rc = 124 ] || fail "a pipe that nobody writes: exit code $rc"
[ ! -e "$A/x" ] || fail "a pipe that nobody wrote made a file"
seq 3000 > "$T/pipe" &
weft pvfs cp "$T/pipe" pvfs:/x
seq 3000 | cmp - "$A/x"
cat "$T/pipe" > "$T/got" &
weft pvfs cp pvfs:/x "$T/pipe"
wait $!
same "$A/x" "$T/got"

# A command that is killed in the middle leaves the target whole, and nothing else.
for signal in KILL INT; do
  mkfifo "$T/$signal"
  echo whole > "$A/w"
  env --default-signal=INT weft pvfs cp "$T/$signal" pvfs:/w & # A shell in the background ignores it.
  exec 7> "$T/$signal"
  head -c 10000000 /dev/zero >&7
  await temporary
  kill -s $signal $!
  await gone
  exec 7>&-
  wait $! || true
  [ "$(cat "$A/w")" = whole ] || fail "after SIG$signal the target has $(wc -c < "$A/w") bytes"
done
[ "$(weft pvfs cp pvfs:/h /dev/stdout)" = hello ] || fail "nothing on standard output behind all this"
