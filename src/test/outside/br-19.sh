# A carriage return in a mount point, and other characters.
# seconds: 400
. "$LIB"
for name in $'a\rb' $'sp ace\tn\nl\\s#x,y\u00fc' $'\xff'; do
  d=$T/$name
  mkdir -p "$d"
  weft pvfs mount "$d" > "$T/mount.log" 2>&1 &
  mount=$!
  ended() { mountpoint -q "$d" || ! kill -0 $mount; }
  await ended
  if mountpoint -q "$d"; then
    touch "$d/in"
    [ -e "$A/in" ] || fail "$(printf %q "$name") is mounted and shows another directory"
    rm "$A/in"
    weft pvfs umount "$d" || { umount -l "$d"; fail "$(printf %q "$name") cannot be unmounted"; }
    wait $mount || fail "$(printf %q "$name"): the mount ended with $?: $(cat "$T/mount.log")"
  else
    [ "$(wc -l < "$T/mount.log")" = 1 ] || fail "$(printf %q "$name"): $(cat "$T/mount.log")"
    [ "$name" = $'\xff' ] || fail "$(printf %q "$name") was refused: $(cat "$T/mount.log")"
  fi
done
refused "no mount of type fuse.pvfs: nothing is mounted there" weft pvfs umount "$T"
refused "no mount of type fuse.pvfs: what is mounted there is of type proc" weft pvfs umount --lazy /proc
