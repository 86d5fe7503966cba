# What measures weft up as an NBD server shares; sourced after common.sh, with $root, $size_mb and $seconds set before use.

export WEFT_STATE_DIR=$work/state # a user's running fabric is neither seen nor ended
ours_up=
memory=$work # where images lie; another directory is removed at the end

stop_ours() { # also called at the end, by clean_up
  [ -z "$ours_up" ] || WEFT_NO_BUILD=1 "$root/weft" down >/dev/null 2>&1 </dev/null || true
  ours_up=
  [ "$memory" = "$work" ] || [ -n "${keep_memory:-}" ] || rm -rf "$memory"
}

address() { # SIDE SOCKET
  if [ "$2" = unix ]; then socket=$work/$1.sock; at="nbd+unix:///?socket=$socket"; else pick_port; at="nbd://127.0.0.1:$port"; fi
}

start_ours() { # JVMS SOCKET
  local where servers=1 each
  address "weft-$1" "$2"
  if [ "$2" = unix ]; then where=unix:$socket; else where=127.0.0.1:$port; fi
  [ "$1" -lt 2 ] || servers=$(($1 - 1))
  each=$((size_mb / servers))
  local nbd_port=${port:-}
  pick_port
  ours_up=1
  : >"$work/weft.log" # What the last one said must not be taken for this one's.
  WEFT_NO_BUILD=1 start "$work/weft.log" 3600 "$root/weft" up --jvms "$1" --servers "$servers" --memory "${each}M" --nbd "$where" --http "127.0.0.1:$port"
  port=$nbd_port
  local i
  for ((i = 0; i < 600; i++)); do
    grep -q '^Ready' "$work/weft.log" && return 0
    kill -0 "$started" 2>/dev/null || break
    sleep 0.1
  done
  note "weft up --jvms $1 did not start: $(tail -n 2 "$work/weft.log.err")"
  return 1
}

# Clients. Each leaves a number, or -, in $value.

fio_run() { # URI RW BLOCK DEPTH KEY: IOPS, or bandwidth in bytes
  value=-
  run "$work/fio" $((seconds + 30)) fio --name=weft --ioengine=nbd --uri="$1" --rw="$2" --bs="$3" --iodepth="$4" --size="${size_mb}M" \
    --time_based --runtime="$seconds" --ramp_time=0.3 --randseed=7 --output-format=json || { note "fio $2 $3 on $1: $(tail -n 1 "$work/fio.err")"; return 0; }
  # The first job's section of the direction; its sections come in the order read, write, trim.
  awk -v section="\"${2#rand}\"" '$1 == section {on = 1} on {print}' "$work/fio" >"$work/fio.part"
  value=$(json_number "$work/fio.part" "$5")
}
