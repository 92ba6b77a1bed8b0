"""Stands in for systemd: listens on sockets that it keeps, starts a program with them, and hears
what the program says of its state (sd_listen_fds(3), sd_notify(3)).

python3 supervisor.py SOCKETS COMMAND…   SOCKETS: NAME,NAME… or "", each a TCP socket ("unix": one of
files). Standard input: "start", or the name of a signal for the program. Standard output: one JSON
document a line: the ports, what it says, and how it ends.
"""

import array
import json
import os
import signal
import socket
import sys
import tempfile
import threading

names = [name for name in sys.argv[1].split(",") if name]
command = sys.argv[2:]
folder = tempfile.mkdtemp()
lock = threading.Lock()
process = None


def say(**document):
    with lock:
        print(json.dumps(document), flush=True)


def listening(name):
    if name == "unix":
        made = socket.socket(socket.AF_UNIX)
        made.bind(os.path.join(folder, "socket"))
    else:
        made = socket.socket()
        made.bind(("127.0.0.1", 0))
    made.listen(4096)
    return made


sockets = [listening(name) for name in names]
ports = [0 if made.family == socket.AF_UNIX else made.getsockname()[1] for made in sockets]


def hear():
    while True:
        text, ancillary, _, _ = notified.recvmsg(4096, socket.CMSG_SPACE(16))
        # systemd-notify waits until the other end of its pipe is closed.
        for _, _, data in ancillary:
            descriptors = array.array("i")
            descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
            for descriptor in descriptors:
                os.close(descriptor)
        if text != b"BARRIER=1":
            say(says=text.decode())


def start():
    global process
    process = os.fork()
    if process == 0:
        for place, made in enumerate(sockets):
            os.dup2(made.fileno(), 100 + place)
        for place in range(len(sockets)):
            os.dup2(100 + place, 3 + place)
        os.closerange(3 + len(sockets), 200)
        environment = dict(os.environ, NOTIFY_SOCKET=os.path.join(folder, "notify"))
        if names:
            environment.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(names)), LISTEN_FDNAMES=":".join(names))
        if "WATCHDOG_USEC" in environment:
            environment["WATCHDOG_PID"] = str(os.getpid())
        # Standard input is ours.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        os.execve(command[0], command, environment)
    threading.Thread(target=wait, args=(process,), daemon=True).start()


def wait(child):
    _, status = os.waitpid(child, 0)
    say(ended=os.waitstatus_to_exitcode(status))


notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notified.bind(os.path.join(folder, "notify"))
threading.Thread(target=hear, daemon=True).start()
os.environ.update(
    {variable: str(ports[names.index(name)]) if name != "console" else f"127.0.0.1:{ports[names.index(name)]}"
     for name, variable in (("authsvc.socket", "AUTHSVC_LISTEN__PORT"), ("metrics", "AUTHSVC_METRICS__PORT"),
                            ("console", "AUTHSVC_CONSOLE__LISTEN")) if name in names}
)
say(ports=ports)
for line in sys.stdin:
    if line.strip() == "start":
        start()
    else:
        os.kill(process, getattr(signal, line.strip()))
# Whoever started this is gone.
try:
    os.kill(process, signal.SIGKILL)
except (ProcessLookupError, TypeError):
    pass
