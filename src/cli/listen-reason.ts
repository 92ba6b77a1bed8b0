import { AppError } from "../lib/errors.ts";

type Address = { host: string; port: number };

/** Why an address cannot be listened on, naming the setting; undefined for other failures. */
export function listenReason(
  error: unknown,
  { host, port }: Address,
  name: { host: string; port: string },
): AppError | undefined {
  const reasons: Record<string, string> = {
    EADDRINUSE: `${name.port}: port ${port} on ${host} is in use by another program; choose another, or 0 for a free one`,
    EACCES: `${name.port}: this user may not listen on port ${port}; choose one above 1023`,
    EADDRNOTAVAIL: `${name.host}: ${host} is not an address of this machine`,
    ENOTFOUND: `${name.host}: ${host} cannot be resolved: no such host`,
    EAI_AGAIN: `${name.host}: ${host} cannot be resolved right now`,
  };
  const reason = reasons[codeOf(error)];
  return reason === undefined ? undefined : new AppError("SERVER_ERROR", reason, { cause: error });
}

/** The port that is not available. */
export function portOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return "port" in error ? error.port : portOf(error.cause);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  // EACCES also comes from files; only a failed listen or lookup concerns the address.
  const isNetwork =
    "syscall" in error && (error.syscall === "listen" || error.syscall === "getaddrinfo" || error.syscall === "bind");
  return isNetwork && "code" in error ? String(error.code) : codeOf(error.cause);
}
