# Names were trimmed on the way: another file was removed.
# seconds: 400
. "$LIB"
echo 1 > "$A/a"
echo 2 > "$A/a "
weft pvfs rm '/a '
[ -e "$A/a" ] && [ ! -e "$A/a " ] || fail "rm '/a ' left $(ls -b "$A")"
echo 1 > "$A/t"
echo 2 > "$A/u"
weft pvfs mv /u $'/t\u3000'
[ "$(cat "$A/t")" = 1 ] && [ -e "$A/t"$'\u3000' ] || fail "mv to a name with a wide blank left $(ls -b "$A")"

name=$' \t\n\r\xff\\@\u00fc\u3000\e '
shown=$' \\t\\n\\r\\377\\\\@\u00fc\u3000\\033 '
echo odd > "$A/$name"
[ "$(weft pvfs ls / | grep @)" = "$shown" ] || fail "ls shows $(weft pvfs ls /)"
weft pvfs stat "/$name" > "$T/stat"
weft pvfs cp "pvfs:/$name" "$T/odd"
same "$A/$name" "$T/odd"
weft pvfs mv "/$name" "/$name$name"
[ "$(cat "$A/$name$name")" = odd ] || fail "mv left $(ls -b "$A")"
weft pvfs rm --tcp "$TCP" "/$name$name"
[ ! -e "$A/$name$name" ] || fail "rm over TCP left $(ls -b "$A")"

refused "(ENOENT)" weft pvfs stat $'/x\ty\nz'
refused "long" weft pvfs stat "/$(printf 'n/%.0s' {1..2100})x"
refused "may have 32768" weft pvfs stat "/$(printf 'n/%.0s' {1..21000})x"
cd "$T"
echo /a > args
refused "(ENOENT)" weft pvfs rm @args
[ -e "$A/a" ] || fail "rm @args read the file args"
refused "cannot be opened on this host" weft pvfs cp pvfs:/a "$T/"$'\xff'
refused "cannot be opened on this host" weft pvfs cp "$T/"$'\xfe' pvfs:/a
[ "$(cat "$A/a")" = 1 ] || fail "a has $(cat "$A/a")"
