#!/bin/sh
# An emulated program that raises its limit of stacks is told that it succeeded, and reads the old
# limit afterwards: qemu-user takes setrlimit(RLIMIT_STACK) and hands nothing on. A program that
# sizes stacks by its limit has to read the limit again after it has set it.
#
# Version: qemu-aarch64 7.2 of Debian 12 (its version is printed). A kernel without emulation takes the limit.
# Seen: set: 0, emulated limit is the new one: no, native limit is the new one: yes
# Needs: gcc libc6-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
qemu-aarch64 --version | head -n 1
cat > "$folder/limit.c" <<'C'
#include <stdio.h>
#include <sys/resource.h>
int main(void) {
  struct rlimit before, after;
  if (getrlimit(RLIMIT_STACK, &before) != 0) return 1;
  const rlim_t wanted = before.rlim_cur == 4 << 20 ? 5 << 20 : 4 << 20; /* another one, within the hard limit */
  const int set = setrlimit(RLIMIT_STACK, &(struct rlimit){wanted, before.rlim_max});
  if (getrlimit(RLIMIT_STACK, &after) != 0) return 1;
  printf("%d %s\n", set, after.rlim_cur == wanted ? "yes" : "no");
  return 0;
}
C
gcc -o "$folder/native" "$folder/limit.c"
aarch64-linux-gnu-gcc -static -o "$folder/emulated" "$folder/limit.c"
read -r set emulated <<EOF
$(qemu-aarch64 "$folder/emulated")
EOF
read -r _ native <<EOF
$("$folder/native")
EOF
seen="set: $set, emulated limit is the new one: $emulated, native limit is the new one: $native"
echo "seen: $seen"
[ "$seen" = "set: 0, emulated limit is the new one: no, native limit is the new one: yes" ]
