import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import packageFile from "../../package.json" with { type: "json" };
import { root } from "../build/target.ts";
import { platforms, type Release } from "./release.ts";
import { filesOf, sha256 } from "./sums.ts";
import { tarOf } from "./tar.ts";

type Files = Record<string, Buffer | string>;

const { description, license, engines } = packageFile;

/** `authsvc`, which starts the executable, and a package with the executable for each platform. */
export async function makeNpmPackages(release: Release): Promise<void> {
  const { version, executables, share } = release;
  const common = { version, description, license };
  const licence = readFileSync(path.join(share, "LICENSE"));
  const launcher = path.join(root, "packages", "npm");
  await pack(release, {
    "package.json": json({
      name: "authsvc",
      ...common,
      bin: { authsvc: "authsvc.mjs" },
      man: "./authsvc.1",
      engines,
      optionalDependencies: Object.fromEntries(Object.keys(platforms).map((each) => [`@authsvc/${each}`, version])),
    }),
    "authsvc.mjs": readFileSync(path.join(launcher, "authsvc.mjs")),
    "README.md": readFileSync(path.join(launcher, "README.md")),
    "authsvc.1": readFileSync(path.join(share, "authsvc.1")),
    LICENSE: licence,
  });
  for (const platform of Object.keys(platforms)) {
    const [os = "", cpu = ""] = platform.split("-");
    const name = path.basename(executables[platform] ?? "");
    const executable = readFileSync(executables[platform] ?? "");
    await pack(release, {
      "package.json": json({
        name: `@authsvc/${platform}`,
        ...common,
        os: [os],
        cpu: [cpu],
        ...(os === "linux" ? { libc: ["glibc"] } : {}),
        preferUnplugged: true,
        sha256: { [name]: sha256(executable) },
      }),
      [name]: executable,
      "README.md": `The executable of the package authsvc for ${platform}.\n`,
      LICENSE: licence,
    });
  }
}

/** `@authsvc/sdk`, for applications. */
export async function makeSdk(release: Release): Promise<void> {
  execFileSync(process.execPath, [path.join(root, "scripts", "build-sdk.ts")], { stdio: "pipe" });
  const folder = path.join(root, "packages", "sdk");
  const read = (name: string): Buffer => readFileSync(path.join(folder, name));
  // Its scripts are about this repository.
  const manifest = { ...(JSON.parse(read("package.json").toString()) as object), scripts: undefined };
  await pack(release, {
    "package.json": json(manifest),
    "README.md": read("README.md"),
    LICENSE: readFileSync(path.join(release.share, "LICENSE")),
    ...Object.fromEntries(filesOf(path.join(folder, "dist")).map((name) => [`dist/${name}`, read(`dist/${name}`)])),
  });
}

/** As `npm pack` names it: npm/authsvc-linux-x64-1.0.0.tgz. */
async function pack({ epoch, folder }: Release, files: Files): Promise<void> {
  const { name, version } = JSON.parse(String(files["package.json"])) as { name: string; version: string };
  const entries = Object.entries(files).map(([file, content]) => ({
    name: `package/${file}`,
    mode: /^authsvc(?:\.mjs|\.exe)?$/u.test(file) ? 0o755 : 0o644,
    content,
  }));
  const archive = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  mkdirSync(path.join(folder, "npm"), { recursive: true });
  writeFileSync(path.join(folder, "npm", archive), gzipSync(await tarOf(entries, epoch), { level: 9 }));
}

function json(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
