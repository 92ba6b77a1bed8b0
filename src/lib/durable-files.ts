import {
  closeSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { outputProblem } from "./output-path.ts";

/** Renames a finished file and makes file and name durable. Replaces an existing file. */
export function replaceDurably(finished: string, file: string): void {
  syncOpened(openSync(finished, "r+"));
  replaceSynced(finished, file);
}

function replaceSynced(finished: string, file: string): void {
  const problem = outputProblem(file);
  if (problem !== undefined) throw new Error(`${file} ${problem}`);
  renameSync(finished, file);
  syncFolder(dirname(file));
}

/** Like `replaceDurably`, but throws EEXIST if the name is taken. */
export function placeDurably(finished: string, file: string): void {
  syncOpened(openSync(finished, "r+"));
  placeSynced(finished, file);
}

function placeSynced(finished: string, file: string): void {
  // Unlike rename, link fails if the target exists.
  linkSync(finished, file);
  rmSync(finished, { force: true });
  syncFolder(dirname(file));
}

/**
 * Atomically writes a file that only its owner can read (0600). Throws EEXIST for `new` if the name
 * is taken. Changes mode and owner through the open descriptor: root also writes into other users'
 * folders, and those users could replace the name by a link.
 */
export function writePrivately(file: string, text: string, how: "new" | "replace"): void {
  const temporary = `${file}.${randomBytes(6).toString("hex")}.partial`;
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeFileSync(descriptor, text);
      const replaced = how === "replace" ? lstatSync(file, { throwIfNoEntry: false }) : undefined;
      if (replaced === undefined) giveToOwnerOf(dirname(file), descriptor);
      else if (process.getuid?.() === 0) fchownSync(descriptor, replaced.uid, replaced.gid);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (how === "new") placeSynced(temporary, file);
    else replaceSynced(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Creates an empty file that only its owner can read. Root makes it for the owner of the folder,
 * such as the service's own user, who could not use it otherwise. Throws EEXIST.
 */
export function createPrivateFile(file: string): void {
  const descriptor = openSync(file, "wx", 0o600);
  try {
    giveToOwnerOf(dirname(file), descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A file that root creates in another user's folder must be readable for that user. */
function giveToOwnerOf(folder: string, descriptor: number): void {
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  try {
    fchownSync(descriptor, uid, gid);
  } catch (error) {
    // Root of a container may not.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}

/** A new file name is durable only after its folder is synced. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  syncOpened(openSync(folder, "r"));
}

function syncOpened(descriptor: number): void {
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
