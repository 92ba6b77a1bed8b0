import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { quotedPath } from "../../lib/own-files.ts";
import { problem, type Finding } from "./finding.ts";

/**
 * Files of the data folder that others must not read: current and old master keys, the database
 * with its -wal, -shm and copies.
 */
const privateFile = /^(?:master\.key|authsvc\.db)/u;

/** Finds the data folder and our files in it if other users of the machine can read them. */
export function fileFindings(dataDir: string): Finding[] {
  // Windows has no such mode bits; Node invents them.
  if (process.platform === "win32") return [];
  const open = (path: string): boolean => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat !== undefined && (stat.mode & 0o077) !== 0;
  };
  const names = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => privateFile.test(name)) : [];
  const files = names
    .toSorted()
    .map((name) => join(dataDir, name))
    .filter(open);
  return [
    ...(open(dataDir)
      ? [
          problem(
            "files",
            `${dataDir} is accessible to other users of this machine.`,
            `chmod 700 ${quotedPath(dataDir)}`,
          ),
        ]
      : []),
    ...files.map((path) =>
      problem("files", `${path} is readable by other users of this machine.`, `chmod 600 ${quotedPath(path)}`),
    ),
  ];
}
