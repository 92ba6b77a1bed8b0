#!/bin/sh
# Of the deb. A removal keeps data and configuration; a purge asks, and without an answer keeps the data.
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi
[ "$1" = purge ] || exit 0

answer=false
if [ -e /usr/share/debconf/confmodule ]; then
  . /usr/share/debconf/confmodule
  if [ -e /var/lib/authsvc ] && db_fset authsvc/delete-data seen false; then
    db_input high authsvc/delete-data || true
    db_go || true
    db_get authsvc/delete-data && answer=$RET
  fi
  db_purge
fi
rm -rf /var/cache/authsvc
if [ "$answer" = true ]; then
  rm -rf /var/lib/authsvc
elif [ -e /var/lib/authsvc ]; then
  echo "The data of authsvc, with its master key, is still in /var/lib/authsvc." >&2
fi
