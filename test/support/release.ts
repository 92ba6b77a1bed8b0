import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildExecutables } from "../../scripts/release/executables.ts";
import { platforms, version, type Release } from "../../scripts/release/release.ts";
import { root, thisMachine } from "../../scripts/build/target.ts";
import { makeShare } from "../../scripts/release/share.ts";
import { emptyFolder } from "../cli/command.ts";

/** The time of the commit in releases of tests: 2026-11-26T12:34:56Z. */
const epoch = 1_795_696_496;

/** A release with short texts in place of the executables, signed by a key of its own. */
export function smallRelease(folder: string): Release & { key: string } {
  const put = (name: string, text: string | Buffer): string => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const executables: Record<string, string> = {};
  for (const platform of Object.keys(platforms)) {
    const name = platform.startsWith("win32-") ? "authsvc.exe" : "authsvc";
    executables[platform] = put(`${platform}/${name}`, `#!/bin/sh\necho "${platform}: $*"\n`);
    put(`${platform}/${name}.cdx.json`, "{}\n");
  }
  const { privateKey } = generateKeyPairSync("ed25519");
  const key = put("key.pem", privateKey.export({ type: "pkcs8", format: "pem" }));
  const share = join(folder, "share");
  makeShare(share, epoch);
  mkdirSync(join(folder, "release"));
  return { version, epoch, folder: join(folder, "release"), executables, share, key };
}

/** For a package or platform of which the executable does not matter. */
export const smallProgram = "/usr/bin/true";

/** A release of packages for Linux, with this file as the executable of this machine. */
export function packageRelease(version: string, executable: string): Release {
  const [folder, share] = [emptyFolder(), emptyFolder()];
  chmodSync(folder, 0o755);
  makeShare(share, epoch);
  const executables = { "linux-x64": smallProgram, "linux-arm64": smallProgram, [thisMachine]: executable };
  return { version, epoch, folder, share, executables };
}

let built: Promise<Record<string, string>> | undefined;

/** The executables of a release, built once for all files of a worker. */
export async function releaseExecutables(): Promise<Record<string, string>> {
  return await (built ??= buildExecutables(
    join(root, `build/release-of-tests-${process.env["VITEST_POOL_ID"] ?? ""}`),
  ));
}
