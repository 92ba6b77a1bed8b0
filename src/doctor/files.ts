import { statSync } from "node:fs";
import { join } from "node:path";
import { problem, type Finding } from "./finding.ts";

/** What others must not read, in the data folder. */
const privateFiles = ["master.key", "authsvc.db", "authsvc.db-wal", "authsvc.db-shm"];

/** The data folder and what of ours is in it, where other users of the machine can read it. */
export function fileFindings(dataDir: string): Finding[] {
  // Windows has no such bits; node makes them up.
  if (process.platform === "win32") return [];
  const open = (path: string): boolean => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat !== undefined && (stat.mode & 0o077) !== 0;
  };
  const files = privateFiles.map((name) => join(dataDir, name)).filter(open);
  return [
    ...(open(dataDir)
      ? [problem("files", `${dataDir} can be entered by other users of this machine.`, `chmod 700 ${quoted(dataDir)}`)]
      : []),
    ...files.map((path) =>
      problem("files", `${path} can be read by other users of this machine.`, `chmod 600 ${quoted(path)}`),
    ),
  ];
}

function quoted(path: string): string {
  return /^[\w./@:-]+$/u.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
