import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import packageFile from "../../package.json" with { type: "json" };
import { root } from "../build/target.ts";
import type { Release } from "./release.ts";

/** What a deb and an rpm have in common. */
export type LinuxPackage = {
  /** As both write it: a release candidate (1.0.0~rc.1) is older than the release. */
  version: string;
  executable: Buffer;
  /** Sorted by path; folders are only those of authsvc itself. */
  files: PackageFile[];
};

export type PackageFile = {
  path: string;
  mode: number;
  /** Undefined for a folder. */
  content: Buffer | undefined;
  /** Keeps its edits when the package is replaced. */
  isConfiguration?: boolean;
};

export const { license } = packageFile;

export const summary = packageFile.description.replace(/\.$/, "");

export const description = [
  "authsvc signs people in: passwords, passkeys, Google and other providers,",
  "OpenID Connect for several applications. It needs no other service; SQLite",
  "is part of it, and PostgreSQL serves several nodes.",
];

/** The platforms of packages, with the names that Debian and RPM have for them. */
export const architectures = [
  { platform: "linux-x64", debian: "amd64", rpm: "x86_64" },
  { platform: "linux-arm64", debian: "arm64", rpm: "aarch64" },
] as const;

export function deployed(file: string): string {
  return readFileSync(path.join(root, "deploy", file), "utf8");
}

/** `own` is what only this kind of package has. */
export function linuxPackage(release: Release, platform: string, own: PackageFile[]): LinuxPackage {
  const executable = readFileSync(release.executables[platform] ?? "");
  const shared = (file: string): Buffer => readFileSync(path.join(release.share, file));
  const units = ["authsvc.service", "authsvc.socket"].filter((name) =>
    existsSync(path.join(root, "deploy/systemd", name)),
  );
  const files: PackageFile[] = [
    folder("/etc/authsvc"),
    { ...text("/etc/authsvc/config.yaml", deployed("packages/config.yaml")), mode: 0o640, isConfiguration: true },
    { path: "/usr/bin/authsvc", mode: 0o755, content: executable },
    { path: "/usr/bin/authsvcctl", mode: 0o755, content: packaged("systemd/authsvcctl") },
    ...units.map((name) => text(`/usr/lib/systemd/system/${name}`, packaged(`systemd/${name}`))),
    text("/usr/lib/sysusers.d/authsvc.conf", packaged("systemd/authsvc.sysusers")),
    text("/usr/share/bash-completion/completions/authsvc", shared("completions/authsvc.bash")),
    text("/usr/share/fish/vendor_completions.d/authsvc.fish", shared("completions/authsvc.fish")),
    text("/usr/share/man/man1/authsvc.1.gz", gzipSync(shared("authsvc.1"), { level: 9 })),
    text("/usr/share/man/man1/authsvcctl.1.gz", gzipSync(".so man1/authsvc.1\n", { level: 9 })),
    ...own,
  ];
  const isBefore = (a: PackageFile, b: PackageFile): number => (a.path < b.path ? -1 : 1);
  return { version: release.version.replace("-", "~"), executable, files: files.toSorted(isBefore) };
}

export function folder(at: string): PackageFile {
  return { path: at, mode: 0o755, content: undefined };
}

export function text(at: string, content: Buffer | string): PackageFile {
  return { path: at, mode: 0o644, content: Buffer.from(content) };
}

/** The files of deploy/ are for an executable that somebody installs by hand. */
function packaged(file: string): Buffer {
  return Buffer.from(deployed(file).replaceAll("/usr/local/bin/authsvc", "/usr/bin/authsvc"));
}
