#!/bin/sh
# Of the deb and the rpm: `configure OLD-VERSION`, or the number of installed versions.
set -e

# Debian registers the question of after-removal.sh now. This starts the script again.
if [ "$1" = configure ] && [ -e /usr/share/debconf/confmodule ]; then
  . /usr/share/debconf/confmodule
fi

case "$1 ${2:-}" in
  "configure " | "1 ") upgrade=no ;;
  "configure "* | "2 ") upgrade=yes ;;
  *) exit 0 ;;
esac

# Without systemd there is nothing that would run it as this user.
if command -v systemd-sysusers >/dev/null; then
  systemd-sysusers /usr/lib/sysusers.d/authsvc.conf
  install -d -m 0700 -o authsvc -g authsvc /var/lib/authsvc
  # It may hold secrets. Gone if somebody deleted it.
  [ ! -e /etc/authsvc/config.yaml ] || chgrp authsvc /etc/authsvc/config.yaml
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi

if [ "$upgrade" = no ] && ! command -v systemd-sysusers >/dev/null; then
  cat >&2 <<'TEXT'

authsvc is installed. There is no systemd here, so nothing starts it. Next, as a user of your own, who can read FILE and
write to FOLDER:
  1. authsvc config example > FILE, and set baseUrl in it.
  2. authsvc serve --config FILE --data FOLDER
  3. authsvc app create --config FILE --data FOLDER --name "My shop" --redirect-uri https://shop.example.com/callback
HTTPS, options and the rest: man authsvc

TEXT
elif [ "$upgrade" = no ]; then
  cat >&2 <<'TEXT'

authsvc is installed, and does not run yet. Next:
  1. Set baseUrl in /etc/authsvc/config.yaml.
  2. systemctl enable --now authsvc
  3. authsvcctl app create --name "My shop" --redirect-uri https://shop.example.com/callback
HTTPS, options and the rest: man authsvc

TEXT
elif [ -d /run/systemd/system ] && ! systemctl try-restart authsvc.service; then
  # The package is complete: what is wrong is the configuration or the database.
  echo "authsvc is installed but does not start. The reason: journalctl -u authsvc -n 20" >&2
fi
