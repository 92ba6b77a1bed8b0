import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no room at all. */
  fill(): void;
  makeRoom(): void;
  /** Works only while nobody has a file on it open for writing. */
  setReadOnly(isReadOnly: boolean): void;
  remove(): void;
}

export const noSmallDisk = "this process may not mount a small disk";

/**
 * Mounts a disk of a few megabytes; undefined where this process may not (only root of a Linux
 * machine may).
 */
export function mountSmallDisk(
  megabytes: number,
  folder: string = mkdtempSync(join(tmpdir(), "authsvc-disk-")),
): SmallDisk | undefined {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill() {
      try {
        writeFileSync(ballast, Buffer.alloc((megabytes + 1) * 1024 * 1024));
      } catch {
        // Until nothing fits any more.
      }
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    setReadOnly: (isReadOnly) =>
      void execFileSync("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, folder], { stdio: "ignore" }),
    remove: () => void execFileSync("umount", ["-l", folder]),
  };
}
