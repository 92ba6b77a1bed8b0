import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Reads the files that come with the program, by their path from the top of the project: `migrations/sqlite/0001_….sql`. */
export type ProgramFiles = {
  /** The names of what lies in a folder. */
  list(folder: string): string[];
  /** Throws when there is no such file. What it answers is not to be written to. */
  read(path: string): Buffer;
  /** The SHA-256 of a migration in hex. */
  digest(path: string): string;
};

export function filesBelow(folder: string): ProgramFiles {
  return {
    list: (below) => readdirSync(join(folder, below)),
    read: (path) => readFileSync(join(folder, path)),
    digest: (path) => hash("sha256", readFileSync(join(folder, path))),
  };
}

/** The files of the project. In the executable, which holds them in itself, others are in this place (scripts/build/bundle.ts). */
export const programFiles = filesBelow(join(import.meta.dirname, "../.."));
