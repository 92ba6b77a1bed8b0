import { spawnSync } from "node:child_process";
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import { root, thisMachine } from "../build/target.ts";

/** What every part of a release is made of and where it is written (docs/decisions/0065). */
export type Release = {
  version: string;
  /** Seconds: the time of the commit, and of every file in every archive. */
  epoch: number;
  /** Becomes dist/release when everything is made. */
  folder: string;
  /** The executable of each platform: "linux-x64" and so on. */
  executables: Record<string, string>;
  /** A folder with LICENSE, authsvc.1 and completions/: authsvc.bash, _authsvc, authsvc.fish. */
  share: string;
  /** The file with the private key that signs. */
  key?: string;
  /** Where the files will be published. */
  url?: string;
  /** The base of the container image: an OCI layout in a tar file. */
  imageBase?: string;
};

/** The platforms of a release, by Node's names, and their names in file names. */
export const platforms = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "darwin-arm64": "darwin-arm64",
  "win32-x64": "win-x64",
} as const;

const publicKeyFile = path.join(root, "deploy", "release-key.pem");

export const { version } = packageFile;

/** Only there the build makes the bytecode of linux-x64, so that the bytes are always the same. */
const releaseMachine = "linux-x64";
const tools = ["git", "npm", "tar"];

/** What prevents a release, as sentences. Nothing is written before. */
export function obstacles(given: { key?: string; imageBase?: string; allowDirty: boolean }): string[] {
  const { key, imageBase, allowDirty } = given;
  const missing = tools.filter((tool) => spawnSync(tool, ["--version"]).error !== undefined);
  const found = missing.map((tool) => `${tool} is needed and was not found.`);
  if (thisMachine !== releaseMachine) found.push(`A release is made on ${releaseMachine}; this is ${thisMachine}.`);
  if (key !== undefined) found.push(...problemsOfKey(key));
  if (imageBase !== undefined && !existsSync(imageBase))
    found.push(`--image-base ${imageBase}: there is no such file.`);
  if (!missing.includes("git") && !allowDirty) found.push(...uncommitted());
  return found;
}

/** Fills a folder beside, which takes the place of `finished` when `make` has succeeded. */
export async function replaceFolder(finished: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = `${finished}.unfinished`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    await make(folder);
    rmSync(finished, { recursive: true, force: true });
    renameSync(folder, finished);
    return finished;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function readPrivateKey(file: string): KeyObject {
  return createPrivateKey(readFileSync(file));
}

export function commitTime(): number {
  return Number(git("log", "-1", "--no-show-signature", "--format=%ct"));
}

function problemsOfKey(file: string): string[] {
  let key: KeyObject;
  try {
    key = readPrivateKey(file);
  } catch (error) {
    return [`--key ${file}: not a readable private key in PEM (${(error as Error).message}).`];
  }
  if (key.asymmetricKeyType !== "ed25519")
    return [`--key ${file}: the key must be Ed25519; this one is ${key.asymmetricKeyType}.`];
  if (createPublicKey(key).equals(createPublicKey(readFileSync(publicKeyFile)))) return [];
  const place = path.relative(root, publicKeyFile);
  return [`--key ${file}: not the private half of ${place}, with which everybody verifies.`];
}

function uncommitted(): string[] {
  const lines = git("status", "--porcelain", "--untracked-files=all").split("\n").filter(Boolean);
  if (lines.length === 0) return [];
  const [first = ""] = lines.map((line) => line.slice(3));
  const what = lines.length === 1 ? `${first} is` : `${first} and ${lines.length - 1} more are`;
  return [`A release is made of committed files; ${what} not committed as it is. Commit or remove it: git status`];
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr.trim()}`);
  return stdout;
}
