# Without a locale, mounts of others stopped ours, two names became one, and a checkout below Zürich did not start.
# seconds: 400
. "$LIB"
mkdir "$T/Müller" "$T/C"
mount -t tmpfs none "$T/Müller"
trap 'umount "$T/Müller"; umount -l "$T/C" 2>/dev/null || true' EXIT
LC_ALL=C weft pvfs mount "$T/C" &
await mountpoint -q "$T/C"
LC_ALL=C weft pvfs umount "$T/C"
wait $!

echo one > "$T/1"
echo two > "$T/2"
LC_ALL=C weft pvfs cp "$T/1" pvfs:/Zürich
LC_ALL=C weft pvfs cp "$T/2" pvfs:/Zörich
[ "$(cat "$A/Zürich") $(cat "$A/Zörich")" = "one two" ] || fail "$(ls -b "$A")"
[ "$(LC_ALL=C weft pvfs ls /)" = $'Zörich\nZürich' ] || fail "ls shows $(LC_ALL=C weft pvfs ls /)"
LC_ALL=C weft pvfs cp pvfs:/Zürich "$T/Zürich.out"
same "$A/Zürich" "$T/Zürich.out"

root=$(dirname "$(command -v weft)")
mkdir -p "$T/Zürich/launcher/target"
ln -s "$root"/launcher/target/{lib,launcher-*.jar} "$T/Zürich/launcher/target/"
cp "$root"/{weft,pom.xml,application.conf} "$T/Zürich/"
for locale in "" LANG=C LANG=xx_YY.UTF-8 LC_ALL=C.UTF-8; do
  env -i $locale PATH="$PATH" WEFT_STATE_DIR="$WEFT_STATE_DIR" WEFT_NO_BUILD=1 "$T/Zürich/weft" pvfs ls / > "$T/said" 2>&1 \
    || fail "env -i $locale weft: $(cat "$T/said")"
  grep -q Zörich "$T/said" || fail "env -i $locale weft: $(cat "$T/said")"
done
