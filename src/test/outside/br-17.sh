# A user of number 4294967294 was shown as -2.
. "$LIB"
touch "$A/u"
chown 4294967294:3000000000 "$A/u"
[ "$(stat -c '%u %g' "$A/u")" = "4294967294 3000000000" ] || fail "the mount says $(stat -c '%u %g' "$A/u")"
line=$(weft pvfs ls -l /)
[[ $line =~ 4294967294\ +3000000000\ .*u$ ]] || fail "ls says $line"
line=$(weft pvfs stat /u)
[[ $line == *"uid 4294967294, gid 3000000000,"* ]] || fail "stat says $line"
