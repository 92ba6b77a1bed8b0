import { join } from "node:path";
import { repairOf } from "../lib/own-files.ts";

/**
 * The maximum length of a socket's address: 108 bytes on Linux, 104 on macOS and BSD, including
 * NUL.
 */
const maxBytes = process.platform === "linux" ? 107 : 103;

/** The live socket of a data folder, and why there can be none. */
export function liveSocketIn(dataDir: string): { path: string; problem: string | undefined } {
  const path = join(dataDir, "live.sock");
  const isLong = Buffer.byteLength(path) > maxBytes;
  return { path, problem: isLong ? `${path} is longer than a socket's ${maxBytes} bytes` : problemOf(dataDir) };
}

/** A user who can change the folder could put a socket of their own there. */
function problemOf(dataDir: string): string | undefined {
  if (process.platform === "win32") return "this platform has no Unix sockets";
  const repair = repairOf(dataDir);
  return repair && `other users can change the data folder: ${repair}`;
}
