# What the scripts beside it share; sourced, not run.
# Every process is started in the background and its id kept, so that an interrupt ends exactly what was started.

pids=()
work=$(mktemp -d "${TMPDIR:-/tmp}/weft-bench.XXXXXX")

die() { echo "$(basename "$0"): $*" >&2; exit 2; }
note() { echo "$*" >&2; }

clean_up() {
  local pid
  trap - EXIT INT TERM
  keep_memory=
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  declare -F stop_ours >/dev/null && stop_ours
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# start OUT SECONDS COMMAND...: in the background, ended after so long; its id is in $started.
start() {
  local out=$1 seconds=$2; shift 2
  timeout -k 2 "$seconds" "$@" >"$out" 2>"$out.err" </dev/null &
  started=$!
  pids+=("$started")
}

forget() {
  local pid kept=()
  for pid in "${pids[@]}"; do [ "$pid" = "$1" ] || kept+=("$pid"); done
  pids=("${kept[@]}")
}

# finish PID: waits; the exit code is the process's.
finish() {
  local rc=0
  wait "$1" 2>/dev/null || rc=$?
  forget "$1"
  return "$rc"
}

stop() { kill "$1" 2>/dev/null || true; finish "$1" || true; }

# run OUT SECONDS COMMAND...
run() { start "$@"; finish "$started"; }

port_is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# A port of 127.0.0.1 that nobody listens on, in $port.
pick_port() {
  local tries
  for ((tries = 0; tries < 100; tries++)); do
    port=$((20000 + RANDOM % 10000))
    port_is_taken "$port" || return 0
  done
  die "found no free port of 127.0.0.1 between 20000 and 29999"
}

# await_port PORT PID, await_socket PATH PID: until it listens, the process ends, or 10 s.
await_port() { local i; for ((i = 0; i < 100; i++)); do port_is_taken "$1" && return 0; kill -0 "$2" 2>/dev/null || return 1; sleep 0.1; done; return 1; }
await_socket() { local i; for ((i = 0; i < 100; i++)); do [ -S "$1" ] && return 0; kill -0 "$2" 2>/dev/null || return 1; sleep 0.1; done; return 1; }

# median: of the numbers on standard input, one per line; "-" and empty lines do not count; "-" when there are none.
median() {
  awk '$1 != "-" && $1 != ""' | sort -g | awk '{v[NR] = $1} END {
    if (NR == 0) print "-"; else if (NR % 2) print v[(NR + 1) / 2]; else print (v[NR / 2] + v[NR / 2 + 1]) / 2}'
}

# ratios A B: quotient of the lines of two files, line by line, where both have a number.
ratios() { [ -f "$2" ] && paste "$1" "$2" | awk '$1 != "-" && $2 != "-" && $2 > 0 {print $1 / $2}' || true; }

pretty() { if [ "$1" = - ]; then echo -; else awk -v v="$1" 'BEGIN {f = (v >= 100) ? "%.0f" : (v >= 10) ? "%.1f" : (v >= 1) ? "%.2f" : "%.3f"; printf f, v}'; fi; }

# json_number FILE KEY: the number after the first "KEY": of a JSON text, also of one that is printed over many lines.
json_number() {
  tr -d '\n' <"$1" | awk -v key="\"$2\"" '{
    at = index($0, key); if (!at) {print "-"; exit}
    rest = substr($0, at + length(key)); sub(/^[ \t]*:[ \t]*/, "", rest)
    if (match(rest, /^-?[0-9.]+([eE][-+]?[0-9]+)?/)) print substr(rest, 1, RLENGTH); else print "-"} END {if (NR == 0) print "-"}'
}

# values FILE: as the inside of a JSON array.
values() { awk '{printf "%s%s", (NR > 1) ? "," : "", ($1 == "-") ? "null" : $1}' "$1"; }
json_or_null() { if [ "$1" = - ]; then echo null; else echo "$1"; fi; }

# What this machine is like just now: beside its load also how long its processors take to hand each other a cache line, below which no message can be.
machine_line() {
  local round=- java load
  load=$(awk '{print $1, $2, $3}' /proc/loadavg 2>/dev/null || uptime | sed 's/.*average[s]*: *//')
  java=$("$root/weft" --jdk 2>/dev/null | tail -n 1)/bin/java
  if [ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] && [ -x "$java" ] && run "$work/line" 20 "$java" "$here/src/main/java/dev/weft/bench/CacheLine.java" 1; then
    round=$(json_number "$work/line" roundNs)
  fi
  echo "$(date -u +%Y-%m-%dT%H:%MZ), $(uname -sr), $(getconf _NPROCESSORS_ONLN) CPUs$([ "$round" = - ] ||
    echo ", a cache line there and back in $(pretty "$round") ns"), load average $load"
}

# What was measured, so that a figure can be found again.
commit_line() {
  local commit
  commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null) || { echo "no git checkout"; return; }
  if [ -z "$(git -C "$root" status --porcelain --untracked-files=no 2>/dev/null)" ]; then echo "commit $commit"; else echo "commit $commit, changed since"; fi
}

# The result as docs/internals/benchmarks.md has it: a line for each side beside which ours was measured.
# table_line ROW OURS PEER-AND-VALUE RATIO MUST VERDICT
table_line() { printf '| %s | %s | %s | %s | %s | %s |\n' "$@" >>"$work/table"; }
print_table() {
  [ -s "$work/table" ] || return 0
  printf '\n`%s`; %s; %s\n\n| row | ours | peer | ratio | must | verdict |\n|---|---|---|---|---|---|\n' "$command_line" "$commit" "$machine"
  cat "$work/table"
}

# want COMMAND PACKAGE WHAT: says by name what is missing; false when it is.
want() {
  command -v "$1" >/dev/null && return 0
  note "missing: $1 ($3); install the Debian package $2. Rows that need it are not judged."
  return 1
}
