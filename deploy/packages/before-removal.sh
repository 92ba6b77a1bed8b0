#!/bin/sh
# Of the deb and the rpm: `remove`, or 0 remaining versions. An upgrade leaves the service running.
set -eu
case "$1" in
  remove | 0) ;;
  *) exit 0 ;;
esac

if command -v systemctl >/dev/null; then
  if [ -d /run/systemd/system ]; then
    systemctl stop 'authsvc.*'
  fi
  for unit in /usr/lib/systemd/system/authsvc.*; do
    systemctl disable --quiet "${unit##*/}"
  done
fi
