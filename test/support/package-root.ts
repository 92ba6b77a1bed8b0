import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder } from "../cli/command.ts";
import { noBareRoot } from "./bare-root.ts";

/** What installs packages and runs their scripts, of the machine of the test. */
const tools = ["coreutils", "dash", "debconf", "diffutils", "dpkg", "libc-bin", "perl-base", "systemd", "tar"];

/** The packages that ours may need. dpkg there knows of no others. */
const libraries = ["libc6", "libgcc-s1", "libstdc++6"];

/** Why packages cannot be installed here; undefined if they can. */
export function noPackageRoot(tool: string): string | undefined {
  const reason = noBareRoot();
  if (reason !== undefined) return reason;
  if (spawnSync("dpkg-query", ["-W", ...tools, ...libraries]).status !== 0)
    return "only a Debian with systemd has what the root is made of";
  return spawnSync(tool, ["--version"]).error === undefined ? undefined : `there is no ${tool} here`;
}

/** A root folder with dpkg, debconf and systemd's tools, in which nothing runs. */
export function packageRoot(): string {
  const root = emptyFolder();
  chmodSync(root, 0o755);
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    mkdirSync(join(root, "usr", name), { recursive: true });
    symlinkSync(`usr/${name}`, join(root, name));
  }
  for (const name of ["dev", "etc", "tmp", "var/log", "var/cache/debconf", "var/lib/dpkg/info", "var/lib/dpkg/updates"])
    mkdirSync(join(root, name), { recursive: true });
  chmodSync(join(root, "tmp"), 0o1777);
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\n");
  writeFileSync(join(root, "dev/null"), "");

  const owned = lines("dpkg-query", "-L", ...tools, ...libraries).filter(
    (file) => !/^\/usr\/share\/(?:doc|man|locale)\//u.test(file),
  );
  const programs = owned.filter((file) => /^(?:\/usr)?\/s?bin\//u.test(file));
  const linked = spawnSync("ldd", programs, { encoding: "utf8" }).stdout.matchAll(/(\/\S+) \(0x/gu);
  const files = [...owned, ...[...linked].flatMap(([, file = ""]) => [file, realpathSync(file)])];
  copy(
    files.filter((file) => file.startsWith("/") && existsSync(file)),
    root,
  );
  appendFileSync(join(root, "var/lib/dpkg/status"), execFileSync("dpkg-query", ["-s", ...libraries]));
  return root;
}

/** Through tar, which keeps links, and follows those of the root's own folders. */
function copy(files: string[], root: string): void {
  const input = [...new Set(files)].map((file) => `${file.slice(1)}\n`).join("");
  const create = ["--create", "--no-recursion", "--directory=/", "--files-from=-", "--file=-"];
  const archive = execFileSync("tar", create, { input, maxBuffer: 1e9 });
  execFileSync("tar", ["--extract", "--keep-directory-symlink", `--directory=${root}`, "--file=-"], { input: archive });
}

function lines(command: string, ...args: string[]): string[] {
  return execFileSync(command, args, { encoding: "utf8" }).split("\n");
}
