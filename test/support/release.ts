import { chmodSync } from "node:fs";
import { thisMachine } from "../../scripts/build/target.ts";
import { makeShare } from "../../scripts/release/share.ts";
import type { Release } from "../../scripts/release/release.ts";
import { emptyFolder } from "../cli/command.ts";

/** For a package or platform of which the executable does not matter. */
export const smallProgram = "/usr/bin/true";

/** A release into a folder of its own, with this file as the executable of this machine. */
export function testRelease(version: string, executable: string): Release {
  const [folder, share] = [emptyFolder(), emptyFolder()];
  chmodSync(folder, 0o755);
  const epoch = Date.UTC(2026, 10, 20) / 1000;
  makeShare(share, epoch);
  const executables = { "linux-x64": smallProgram, "linux-arm64": smallProgram, [thisMachine]: executable };
  return { version, epoch, folder, share, executables };
}
