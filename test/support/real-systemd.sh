#!/bin/sh
# Starts systemd as process 1 of namespaces of its own (by real-systemd.ts): it sees this machine's
# programs, and changes nothing outside of memory and STATE.
# real-systemd.sh FOLDER STATE   FOLDER: etc/ and bin/ are put over /etc and /usr/local/bin; STATE: its /var
set -e
folder=$1
state=$2
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
cp -a /etc /mnt/etc
mkdir /mnt/bin
cp "$folder"/bin/* /mnt/bin/
rm -rf /mnt/etc/systemd/system
cp -r "$folder"/etc/. /mnt/etc/
mount --bind /mnt/etc /etc
mount --bind /mnt/bin /usr/local/bin
chmod 755 "$state"
mount --bind "$state" /var
for path in /run /tmp /dev/shm /home /root; do mount -t tmpfs tmpfs $path; done
# Nothing of an ordinary start: it would empty /tmp and write settings of the kernel.
for unit in /lib/systemd/system/*.wants/*; do ln -sf /dev/null "/etc/systemd/system/$(basename "$unit")"; done
mkdir -p /run/lock /var/lib /var/cache /var/log
mount -t proc proc /proc
umount -R /sys/fs/cgroup
if [ -n "$AUTHSVC_CGROUP_V1" ]; then
  mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
  mkdir /sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
else
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
fi
# As at an ordinary start: credentials are mounted elsewhere and propagate.
mount --make-rshared /
exec env -i container=authsvc-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=test.target \
  --log-target=console --show-status=no
