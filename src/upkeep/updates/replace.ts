import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { second } from "../../lib/clock.ts";
import { syncFolder } from "../../lib/durable-files.ts";
import { AppError } from "../../lib/errors.ts";

const patienceMilliseconds = 60 * second;

/**
 * Replaces an executable by one that reports `version`, and keeps the old one as `….previous`. At
 * any moment, also after a crash, `file` is the old one or the new one. Throws CONFLICT.
 */
export async function replaceExecutable(file: string, content: Buffer, version: string): Promise<string> {
  removeAbandoned(file);
  const like = statSync(file);
  const previous = `${file}.previous`;
  const next = writeBeside(file, content, like);
  try {
    // Before the kept one is replaced: a new one that does not run here changes nothing.
    await demandVersion(next, version);
    renameDurably(writeBeside(file, readFileSync(file), like), previous);
    renameDurably(next, file);
  } finally {
    rmSync(next, { force: true });
  }
  return previous;
}

const unfinished = /^\.[\da-f]{12}\.partial$/u;

/** Of a call that was killed. */
function removeAbandoned(file: string): void {
  const [folder, start] = [dirname(file), basename(file)];
  for (const name of readdirSync(folder))
    if (name.startsWith(start) && unfinished.test(name.slice(start.length)))
      rmSync(join(folder, name), { force: true });
}

/** A durable file with the mode and owner of the old one. */
function writeBeside(file: string, content: Buffer, { mode, uid, gid }: Stats): string {
  const name = `${file}.${randomBytes(6).toString("hex")}.partial`;
  const descriptor = openSync(name, "wx", 0o700);
  try {
    writeFileSync(descriptor, content);
    if (process.getuid?.() === 0) fchownSync(descriptor, uid, gid);
    fchmodSync(descriptor, mode & 0o777);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return name;
}

function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
}

async function demandVersion(file: string, version: string): Promise<void> {
  let said: string;
  try {
    const { stdout } = await promisify(execFile)(file, ["version", "--json"], { timeout: patienceMilliseconds });
    said = (JSON.parse(stdout) as { version: string }).version;
  } catch (cause) {
    throw new AppError("CONFLICT", `The new executable does not run here: ${reasonOf(cause)}. Nothing was changed.`, {
      cause,
    });
  }
  if (said !== version)
    throw new AppError(
      "CONFLICT",
      `The archive of ${version} contains an executable of version ${said}. Nothing was changed.`,
    );
}

/** The output of a failed program, or why it could not be run. */
export function reasonOf(failure: unknown): string {
  const { stderr = "", message } = failure as Error & { stderr?: string };
  return stderr === "" ? message : stderr.trim();
}
