import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { chmodSync, cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { emptyFolder } from "../cli/command.ts";

/** Libc, libstdc++ and libgcc: what docs/deploying.md says that a machine needs. */
const promised =
  /^(?:(?:libc|libm)\.so\.6|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1|libstdc\+\+\.so\.6|libgcc_s\.so\.1)$/u;

/** Libc's loader, where every program looks for it. */
const loader = process.arch === "x64" ? "/lib64/ld-linux-x86-64.so.2" : "/lib/ld-linux-aarch64.so.1";

/** Why a test cannot have a root of its own here; undefined if it can. */
export function noBareRoot(): string | undefined {
  if (process.platform !== "linux") return "only Linux has chroot";
  return process.getuid?.() === 0 ? undefined : "only root may chroot";
}

/** A root folder with the promised libraries of this machine, an empty /tmp, and nothing else. */
export function bareRoot(): string {
  const root = emptyFolder();
  // The user of the program goes through it.
  chmodSync(root, 0o755);
  mkdirSync(join(root, "tmp"));
  chmodSync(join(root, "tmp"), 0o1777);
  put(root, loader, loader);
  // "libc.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libc.so.6"
  const known = execFileSync("/sbin/ldconfig", ["-p"], { encoding: "utf8" });
  for (const [, name = "", path = ""] of known.matchAll(/^\t(\S+) \(libc6,(?:x86-64|AArch64)\b.* => (\S+)$/gmu))
    if (promised.test(name)) put(root, path, path);
  return root;
}

/** Copies a file of this machine to a path below `root`. */
export function put(root: string, file: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  cpSync(file, join(root, path), { dereference: true, recursive: true });
}

/** Starts a program of the root, in which it finds nothing else, with this environment only. */
export function startIn(
  root: string,
  command: string[],
  { user = "65532:65532", env = {} }: { user?: string; env?: Record<string, string> } = {},
): ChildProcessWithoutNullStreams {
  return spawn("/usr/sbin/chroot", [`--userspec=${user}`, root, ...command], { env });
}
