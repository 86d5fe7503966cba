# A caller in more than 32 groups was refused.
. "$LIB"
echo mine >"$A/g"
chgrp 5600 "$A/g"
chmod 640 "$A/g"
for last in 5040 5600; do
  chgrp $last "$A/g"
  [ "$(setpriv --reuid 65534 --regid 65534 --groups "$(seq -s, 5001 $last)" cat "$A/g")" = mine ] || fail "refused in $((last - 5000)) groups"
done
if setpriv --reuid 65534 --regid 65534 --groups "$(seq -s, 5001 5599)" cat "$A/g" 2>/dev/null; then fail "not refused without the group"; fi
