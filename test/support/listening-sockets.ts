import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The ports on which a process listens (Linux). */
export function portsOf(pid: number): number[] {
  const sockets = listeningSockets();
  return inodesOf(pid).flatMap((inode) => sockets.get(inode) ?? []);
}

/** The process that listens on a port (Linux), which may be a grandchild: npm starts a shell. */
export function processListeningOn(port: number): number {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number);
  const found = pids.find((pid) => portsOf(pid).includes(port));
  if (found === undefined) throw new Error(`nobody listens on port ${port}`);
  return found;
}

/**
 * The ports of all listening TCP sockets, by their inodes:
 * https://docs.kernel.org/networking/proc_net_tcp.html
 */
function listeningSockets(): Map<string, number> {
  const listening = "0A";
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
  return new Map(
    rows
      .map((row) => row.trim().split(/\s+/u))
      .filter(([, , , state]) => state === listening)
      .map(([, address = "", , , , , , , , inode = ""]) => [inode, Number.parseInt(address.split(":")[1] ?? "", 16)]),
  );
}

function inodesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return namesIn(folder).flatMap((name) => {
    try {
      const [, inode] = /^socket:\[(\d+)\]$/u.exec(readlinkSync(`${folder}/${name}`)) ?? [];
      return inode ?? [];
    } catch {
      // It closed this file in this moment.
      return [];
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The process has ended, or belongs to somebody else.
    return [];
  }
}
