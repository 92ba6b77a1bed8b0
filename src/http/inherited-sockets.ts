import { Socket } from "node:net";
import { AppError } from "../lib/errors.ts";
import { inUrl } from "../lib/loopback.ts";

type Address = { host: string; port: number };
type ListenerName = "public" | "metrics" | "console" | "forward-auth";
/** By the listener that each is for. */
export type InheritedSockets = { [Name in ListenerName]?: Socket };

/** The first descriptor that systemd passes. */
const firstDescriptor = 3;
/** Connections that wait while the service restarts; the kernel may allow fewer. */
export const inheritedBacklog = 4096;

/**
 * The listening sockets that systemd opened and keeps over a restart (sd_listen_fds(3)). One named
 * `metrics`, `console` or `forward-auth` is for that listener, any other is the public one. Each
 * must have the address of its setting, because other rules depend on it. Throws INVALID_CONFIG.
 */
export function inheritedSockets(
  env: Record<string, string | undefined>,
  settings: { [Name in ListenerName]: Address | undefined },
): InheritedSockets {
  // Otherwise the variables are for a parent process.
  if (env["LISTEN_PID"] !== String(process.pid)) return {};
  const sockets: InheritedSockets = {};
  const names = env["LISTEN_FDNAMES"]?.split(":") ?? [];
  for (let index = 0; index < Number(env["LISTEN_FDS"]); index += 1) {
    const given = names[index] ?? "";
    const name = Object.hasOwn(keys, given) ? (given as ListenerName) : "public";
    if (sockets[name]) throw refused(`two sockets for the ${name} listener: leave one ListenStream=`);
    sockets[name] = socketAt(firstDescriptor + index, name, settings[name]);
  }
  return sockets;
}

const keys = {
  public: "listen",
  metrics: "metrics",
  console: "console.listen",
  "forward-auth": "forwardAuth.listen",
};

function socketAt(fd: number, name: ListenerName, wanted: Address | undefined): Socket {
  const socket = opened(fd);
  const { address, port } = socket.address() as { address?: string; port?: number };
  if (address === undefined || port === undefined)
    throw refused("a socket that is not TCP: ListenStream= must be an address and a port");
  if (wanted && isSame(wanted, { host: address, port })) return socket;
  const set = wanted ? `${inUrl(wanted.host)}:${wanted.port}` : "not set";
  throw refused(
    `a socket at ${inUrl(address)}:${port}, but ${keys[name]} is ${set}: make ListenStream= and the setting the same address and port`,
  );
}

function opened(fd: number): Socket {
  try {
    return new Socket({ fd, readable: false, writable: false });
  } catch (cause) {
    throw refused(`descriptor ${fd}, which is not a socket`, cause);
  }
}

function isSame(one: Address, other: Address): boolean {
  const hostOf = ({ host }: Address): string => new URL(`http://${inUrl(host)}`).hostname;
  return one.port === other.port && hostOf(one) === hostOf(other);
}

function refused(what: string, cause?: unknown): AppError {
  return new AppError("INVALID_CONFIG", `systemd passes ${what}.`, { cause });
}
