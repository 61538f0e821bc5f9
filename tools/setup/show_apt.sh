#!/bin/sh
# show_apt.sh WORD: reads what `apt-get -q -o APT::Status-Fd=1` says and shows which package of how
# many it is at. On a terminal that is one line, written over; elsewhere a line when apt-get begins
# something else, and one every ten seconds. The caller appends a line "apt-get ended: STATUS", and
# that is the exit status.
word=$1 name= total= unpacked=0 installed=0 phase= shown=0 width=79
is_terminal=
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then
  exec 3>&1
  is_terminal=yes columns=$(stty size <&3 2>/dev/null | sed 's/.* //')
  [ "${columns:-0}" -lt 20 ] || width=$((columns - 1))
fi

say() { # PHASE TEXT
  line="./dev $word: $1 $2"
  if [ -n "$is_terminal" ]; then
    printf '\r\033[K%.*s' "$width" "$line"
    phase=$1
    return
  fi
  now=$(date +%s)
  [ "$1" = "$phase" ] && [ $((now - shown)) -lt 10 ] || { echo "$line" && shown=$now; }
  phase=$1
}

while IFS= read -r line; do
  case $line in
    "apt-get ended: "*) status=${line##* } ;;
    *" newly installed,"*)
      total=${line% newly installed,*}
      total=$((${line%% *} + ${total##* })) ;;
    "Get:"*)
      number=${line%% *} name=$(echo "$line" | sed -E 's/^([^ ]+ ){4}([^ ]+) .*/\2/')
      [ -z "$total" ] || say downloading "${number#Get:} of $total: $name" ;;
    "dlstatus:"*)
      percent=${line#dlstatus:*:}
      if [ -z "$total" ]; then say "reading the lists of packages:" "${line##*:}"
      elif [ -n "$name" ]; then say downloading "${number#Get:} of $total: $name, ${percent%%[.:]*} % of all"; fi ;;
    "pmstatus:"*":Unpacking "*)
      unpacked=$((unpacked + 1))
      name=${line#*:Unpacking }
      say unpacking "$unpacked of $total: ${name%%[ :]*}" ;;
    "pmstatus:"*":Configuring "*)
      installed=$((installed + 1))
      name=${line#*:Configuring }
      name=${name%%[ :]*}
      say installing "$installed of $total: $name" ;;
    "pmstatus:"*) # a step within a package, or a trigger
      [ "$phase" != installing ] || say installing "$installed of $total: $name" ;;
  esac
done
[ -z "$is_terminal" ] || printf '\r\033[K'
[ "$installed" = 0 ] || echo "./dev $word: $installed packages installed"
exit "${status:-1}"
