# What the cases share; a shell script begins with: . "$LIB"
# A case ends with 0 if Weft does right, and says on its output what was wrong otherwise. It finds in its variables:
#   A, B              two mounts of one file system, empty; CACHE: their --cache; MOUNT_A, MOUNT_B: the processes that serve them
#   T                 a directory of its own, removed after it
#   TCP               HOST:PORT of the file system for clients outside of the fabric (--tcp "$TCP")
#   MMU               the directory of a 'dsm serve --nodes 2', with "# needs: dsm" at the top of the file
#   PATH              has this checkout's weft; WEFT_STATE_DIR is the fabric's; PYTHONPATH has weft_dsm
# At its top, a case may say "# caches: none metadata full" to run with each, and "# seconds: 300" to take longer than 240 s.
# A case that harms the fabric starts one of its own: WEFT_STATE_DIR=$T/state weft up --http 127.0.0.1:0 --nbd unix:$T/nbd ..., and ends it.

fail() { echo "WRONG: $*" | cut -c 1-1000 >&2; exit 1; }

# Runs a command that must be refused: exit code not 0, one line of error, which has the text $1.
refused() {
  local text=$1 rc=0; shift
  "$@" >"$T/refused.out" 2>"$T/refused.err" || rc=$?
  [ $rc != 0 ] || fail "$(printf '%q ' "$@") was not refused"
  [ "$(wc -l <"$T/refused.err")" = 1 ] || fail "$(printf '%q ' "$@") gave more than one line: $(head -n 20 "$T/refused.err")"
  grep -qF -e "$text" "$T/refused.err" || fail "$(printf '%q ' "$@") gave '$(cat "$T/refused.err")', not '$text'"
}

# Waits until a command succeeds, at most 60 s, and shows what its last try printed if none does.
await() {
  local end=$((SECONDS + 60))
  until "$@" >"$T/await.out" 2>&1; do
    [ $SECONDS -lt $end ] || fail "60 s were not enough for $(printf '%q ' "$@"): $(tail -n 20 "$T/await.out")"
    sleep 0.1
  done
}

# Whether two files have the same bytes.
same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }
