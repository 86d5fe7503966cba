# A copy of a file onto itself emptied it, and so did a copy of what cannot be read.
# seconds: 400
. "$LIB"
head -c 1000000 /dev/urandom > "$T/data"
cp "$T/data" "$A/f"
cp "$T/data" "$A/g"
ln "$A/f" "$A/h"
ln -s f "$A/l"
refused "are the same file" weft pvfs cp "$A/f" pvfs:/f
refused "are the same file" weft pvfs cp pvfs:/g "$B/g"
refused "are the same file" weft pvfs cp "$A/h" pvfs:/f
refused "are the same file" weft pvfs cp pvfs:/l "$B/h"
refused "are the same file" weft pvfs cp --tcp "$TCP" "$B/f" pvfs:/l
refused "are the same file" weft pvfs cp --tcp "$TCP" pvfs:/g "$A/g"
same "$T/data" "$A/f"
same "$T/data" "$A/g"

echo keep > "$A/k"
chmod 640 "$A/k"
chown 1000:1001 "$A/k"
refused "is a directory" weft pvfs cp "$T" pvfs:/k
refused "no such file" weft pvfs cp "$T/none" pvfs:/k
refused "Input/output error" weft pvfs cp /proc/self/mem pvfs:/k
refused "Input/output error" weft pvfs cp --tcp "$TCP" /proc/self/mem pvfs:/k
[ "$(cat "$A/k")" = keep ] || fail "the target of a copy that failed has $(head -c 100 "$A/k")"
weft pvfs cp "$T/data" pvfs:/k
same "$T/data" "$A/k"
[ "$(stat -c '%a %u %g' "$A/k")" = "640 1000 1001" ] || fail "the copy has $(stat -c '%a %u %g' "$A/k")"

echo mine > "$T/l"
chmod 604 "$T/l"
refused "no such file" weft pvfs cp pvfs:/none "$T/l"
[ "$(cat "$T/l")" = mine ] || fail "the target of a copy that failed has $(head -c 100 "$T/l")"
weft pvfs cp pvfs:/f "$T/l"
same "$T/data" "$T/l"
[ "$(stat -c %a "$T/l")" = 604 ] || fail "the copy has mode $(stat -c %a "$T/l")"
left=$(ls -A "$A" "$T" | grep weft-cp || true)
[ -z "$left" ] || fail "$left was left"
