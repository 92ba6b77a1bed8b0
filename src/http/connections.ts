import type { Server, Socket } from "node:net";
import { minute, second } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";

const stallLimit = 12 * second;
const stallCheckMilliseconds = 1_000;
const refusalLoggedEvery = minute;
/** Used if the system sets no limit. */
const maxByDefault = 10_000;
/** Database files, event loop and channel to the main thread: nine, and a reserve. */
const descriptorsOfThread = 16;

/** `at`: a time of `performance.now()`, which is monotonic. */
type Progress = { sentBytes: number; at: number };

/**
 * Ends connections whose client reads nothing of its answers for 12 seconds, and closes those
 * beyond `maxConnections`. `event`: `secureConnection` for a TLS server.
 */
export function guardConnections(
  server: Server,
  event: "connection" | "secureConnection",
  { maxConnections, log }: { maxConnections: number; log: Log },
): void {
  const connections = new Map<Socket, Progress>();
  server.on(event, (socket: Socket) => {
    connections.set(socket, { sentBytes: 0, at: performance.now() });
    socket.once("close", () => connections.delete(socket));
  });

  const checking = setInterval(() => {
    const now = performance.now();
    for (const [socket, progress] of connections) {
      const sentBytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || sentBytes !== progress.sentBytes)
        connections.set(socket, { sentBytes, at: now });
      else if (now - progress.at >= stallLimit) socket.destroy();
    }
  }, stallCheckMilliseconds);
  checking.unref();
  server.once("close", () => clearInterval(checking));

  let refused = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = maxConnections;
  server.on("drop", () => {
    refused += 1;
    if (performance.now() - loggedAt < refusalLoggedEvery) return;
    log.warn("connections refused: listen.maxConnections reached", { maxConnections, refused });
    loggedAt = performance.now();
    refused = 0;
  });
}

/**
 * How many connections may be open: as requested, but not more than the file descriptors allow.
 * Beyond those, the system silently closes connections, and no file can be opened either.
 */
export function allowedConnections(wanted: number | undefined, threads: number, log: Log): number {
  const possible = possibleConnections(threads);
  if (wanted === undefined) return possible === Number.POSITIVE_INFINITY ? maxByDefault : possible;
  if (wanted <= possible) return wanted;
  log.warn("listen.maxConnections exceeds the open-file limit; raise that limit", {
    maxConnections: wanted,
    allowed: possible,
  });
  return possible;
}

/**
 * Three quarters of the open file limit; the rest is for the database, outgoing calls and the log.
 * Several HTTP threads need more: without a free descriptor, one that cannot accept spins.
 */
function possibleConnections(threads: number): number {
  // Otherwise the report resolves host names for seconds. Node's types lack this option.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const files = userLimits?.open_files?.soft;
  if (typeof files !== "number") return Number.POSITIVE_INFINITY;
  const ofThreads = threads > 1 ? threads * descriptorsOfThread : 0;
  return Math.max(threads, Math.floor((files * 3) / 4) - ofThreads);
}
