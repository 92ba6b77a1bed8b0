import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { AppError } from "../lib/errors.ts";
import { maxSecretBytes, tooLarge } from "../lib/read-file.ts";
import type { Environment } from "./environment.ts";
import { unreadable } from "./read-text.ts";
import { invalidConfig } from "./settings.ts";

/**
 * The files that a state file may read: `file:` references are limited to its own folder and
 * `secretsDir`.
 */
export type ReferenceSources = {
  folder: string;
  secretsDir?: string | undefined;
  env: Environment;
  /** Never read: the data folder and the files that the configuration names. */
  protectedPaths: readonly string[];
};

/**
 * The secret behind `env:NAME` or `file:PATH` at `origin`. Refuses the service's own secrets, which
 * the author of a state file could send to their own host. Throws INVALID_CONFIG.
 */
export function resolveReference(reference: string, sources: ReferenceSources, origin: string): string {
  const rest = reference.slice(reference.indexOf(":") + 1);
  return reference.startsWith("env:") ? variable(rest, sources, origin) : file(rest, sources, origin);
}

function variable(name: string, { env }: ReferenceSources, origin: string): string {
  // Case-insensitive, because Windows variables are.
  if (/^AUTHSVC_/iu.test(name))
    throw invalidConfig(`${origin}: ${name} configures authsvc itself: use another variable`);
  const value = env[name];
  if (value === undefined || value === "") throw invalidConfig(`${origin}: the variable ${name} is not set`);
  return value;
}

function file(path: string, sources: ReferenceSources, origin: string): string {
  const value = readReferenced(path, sources, origin, { most: maxSecretBytes, read: decoded }).replace(/[\r\n]+$/u, "");
  if (value === "") throw invalidConfig(`${origin}: the file is empty`);
  return value;
}

function decoded(content: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(content);
}

/** What `read` makes of a file below the allowed folders. Throws INVALID_CONFIG. */
export function readReferenced<Content>(
  path: string,
  { folder, secretsDir, protectedPaths }: ReferenceSources,
  origin: string,
  limits: Limits<Content>,
): Content {
  const named = resolve(folder, path);
  const real = realPathOf(named, origin);
  const allowed = [folder, ...(secretsDir === undefined ? [] : [secretsDir])];
  if (!allowed.some((base) => isBelow(real, realPath(base))))
    throw invalidConfig(
      `${origin}: the file ${named} is not below ${allowed.join(" or ")}: allow its folder with --secrets-dir`,
    );
  if (isProtected(real, protectedPaths))
    throw invalidConfig(`${origin}: the file ${named} belongs to authsvc itself: use another file`);
  return readSmallFile(real, named, origin, limits);
}

function realPathOf(named: string, origin: string): string {
  try {
    return realpathSync(named);
  } catch (cause) {
    throw unreadable(named, origin, cause);
  }
}

/** Resolves symbolic links; undefined if the path does not exist or cannot be read. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isBelow(path: string, base: string | undefined): boolean {
  if (base === undefined) return false;
  const way = relative(base, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && resolve(base, way) === path;
}

/** Also finds hard links to the same file. */
function isProtected(real: string, paths: readonly string[]): boolean {
  const { dev, ino } = statSync(real);
  return paths.some((path) => {
    const target = realPath(path);
    if (target === undefined) return false;
    if (target === real || isBelow(real, target)) return true;
    const files = statSync(target).isDirectory() ? readdirSync(target).map((name) => join(target, name)) : [target];
    return files.some((each) => {
      const one = statSync(each, { throwIfNoEntry: false });
      return one?.dev === dev && one.ino === ino;
    });
  });
}

type Limits<Content> = { most: number; read(content: Uint8Array): Content };

/** Reads only regular files: reading a pipe or /dev/zero might never end. */
function readSmallFile<Content>(real: string, named: string, origin: string, { most, read }: Limits<Content>): Content {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (!fstatSync(descriptor).isFile()) throw invalidConfig(`${origin}: ${named} is not a regular file`);
    const content = Buffer.alloc(most + 1);
    const bytes = readSync(descriptor, content);
    if (bytes > most) throw tooLarge(most);
    return read(content.subarray(0, bytes));
  } catch (cause) {
    throw cause instanceof AppError ? cause : unreadable(named, origin, cause);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
