#!/bin/sh
# Stands before ssh and ssh-keygen in the image. Both end at once for a user without a name ("No user
# exists for uid ..."), and a cluster may run the image as any user: here that one gets a name.
set -eu
program=/usr/bin/${0##*/}
uid=$(id -u)
if getent passwd "$uid" >/dev/null; then
  exec "$program" "$@"
fi
folder=/tmp/.ipam-$uid
mkdir -m 700 "$folder" 2>/dev/null || true
# Whoever made it before us could say who we are.
if [ -L "$folder" ] || [ ! -O "$folder" ]; then
  echo "$folder is no folder of user $uid, so ${0##*/} has no name for that user" >&2
  exit 255
fi
if [ ! -s "$folder/passwd" ]; then
  printf 'ipam:x:%s:%s::/tmp:/usr/sbin/nologin\n' "$uid" "$(id -g)" >"$folder/passwd.$$"
  mv "$folder/passwd.$$" "$folder/passwd"
fi
LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD=$folder/passwd NSS_WRAPPER_GROUP=/etc/group
export LD_PRELOAD NSS_WRAPPER_PASSWD NSS_WRAPPER_GROUP
exec "$program" "$@"
