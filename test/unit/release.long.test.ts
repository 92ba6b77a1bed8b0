import { execFileSync, spawnSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeArchives } from "../../scripts/release/archives.ts";
import { makeFormula } from "../../scripts/release/formula.ts";
import { makeNpmPackages } from "../../scripts/release/npm.ts";
import { obstacles, platforms, replaceFolder, version, type Release } from "../../scripts/release/release.ts";
import { makeManualAndCompletions } from "../../scripts/release/share.ts";
import { filesOf, makeBillsOfMaterials, makeSums, sha256 } from "../../scripts/release/sums.ts";
import { makeWheel } from "../../scripts/release/wheel.ts";
import { filesInFolder } from "../../src/upkeep/updates/release-files.ts";
import { verifiedArchive, verifiedRelease } from "../../src/upkeep/updates/release.ts";
import { fileInTarGz } from "../../src/upkeep/updates/tar-gz.ts";
import { allCommands, newProgram } from "../cli/program-commands.ts";
import { emptyFolder } from "../cli/command.ts";
import { root } from "../docs/pages.ts";
import { smallRelease } from "../support/release.ts";
import { noProgram } from "../support/left-out.ts";

const parts = [
  makeArchives,
  makeNpmPackages,
  makeWheel,
  makeFormula,
  makeManualAndCompletions,
  makeBillsOfMaterials,
  makeSums,
];

async function makeAll(release: Release): Promise<Record<string, string>> {
  for (const part of parts) await part(release);
  const digest = (name: string): string => sha256(readFileSync(join(release.folder, name)));
  return Object.fromEntries(filesOf(release.folder).map((name) => [name, digest(name)]));
}

const release = smallRelease(emptyFolder());
const made = await makeAll(release);
const inFolder = { cwd: release.folder, encoding: "utf8" } as const;
const read = (file: string): string => readFileSync(join(root, file), "utf8");

describe("a release", () => {
  test("has the same bytes when it is made again, in another time zone and of files with other times", async () => {
    const again = smallRelease(emptyFolder());
    for (const file of filesOf(again.share)) utimesSync(join(again.share, file), 1, 1);
    const zone = process.env["TZ"];
    process.env["TZ"] = "Pacific/Kiritimati";
    try {
      expect(await makeAll({ ...again, key: release.key })).toEqual(made);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  test("has archives with the executable, the licence, the manual page and completions, and nothing else", () => {
    const inAll = [
      "LICENSE",
      "authsvc.1",
      "completions/authsvc.bash",
      "completions/_authsvc",
      "completions/authsvc.fish",
    ];
    for (const platform of ["linux-x64", "linux-arm64", "darwin-arm64"]) {
      const lines = execFileSync(
        "tar",
        ["--numeric-owner", "-tvzf", `authsvc-${version}-${platform}.tar.gz`],
        inFolder,
      );
      const entries = lines
        .trimEnd()
        .split("\n")
        .map((line) => line.split(/\s+/u));
      const top = `authsvc-${version}-${platform}`;
      expect(entries.map((fields) => fields.at(-1))).toEqual(["authsvc", ...inAll].map((name) => `${top}/${name}`));
      const rights = entries.map(([mode, owner]) => `${mode} ${owner}`);
      expect(rights).toEqual(["-rwxr-xr-x 0/0", ...inAll.map(() => "-rw-r--r-- 0/0")]);
    }
    const zip = readFileSync(join(release.folder, `authsvc-${version}-win-x64.zip`));
    const names = ["authsvc.exe", ...inAll].map((name) => `authsvc-${version}-win-x64/${name}`);
    for (const name of names) expect(zip.includes(name), name).toBe(true);
    // The number of entries in the record at the end.
    expect(zip.readUInt16LE(zip.length - 12)).toBe(names.length);
  });

  test("has sums of every file, and openssl verifies their signature", () => {
    const listed = readFileSync(join(release.folder, "SHA256SUMS"), "utf8").trimEnd().split("\n");
    const others = Object.entries(made).filter(([name]) => !name.startsWith("SHA256SUMS"));
    expect(listed).toEqual(others.map(([name, digest]) => `${digest}  ${name}`));
    const publicKey = execFileSync("openssl", ["pkey", "-in", release.key, "-pubout"]);
    writeFileSync(join(release.folder, "../public.pem"), publicKey);
    const verify = (): number | null =>
      spawnSync(
        "openssl",
        "pkeyutl -verify -pubin -inkey ../public.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig".split(" "),
        inFolder,
      ).status;
    expect(verify()).toBe(0);
    appendFileSync(join(release.folder, "SHA256SUMS"), "\n");
    expect(verify()).toBe(1);
    writeFileSync(join(release.folder, "SHA256SUMS"), `${listed.join("\n")}\n`);
  });

  test.each(["linux-x64", "linux-arm64", "darwin-arm64"])(
    "is what an update verifies and unpacks (%s)",
    async (platform) => {
      const files = filesInFolder(release.folder);
      const found = await verifiedRelease(files, platform, createPublicKey(readFileSync(release.key)));
      const executable = fileInTarGz(await verifiedArchive(files, found), "authsvc");
      expect([found.version, executable]).toEqual([version, readFileSync(release.executables[platform] ?? "")]);
    },
  );

  test("is not signed without a key", async () => {
    const unsigned = { ...smallRelease(emptyFolder()), key: undefined };
    expect(Object.keys(await makeAll(unsigned))).toEqual(Object.keys(made).filter((name) => name !== "SHA256SUMS.sig"));
  });

  test("has a formula with the digests of its archives", async () => {
    const formula = async (): Promise<string[]> =>
      [...readFileSync(join(release.folder, "authsvc.rb"), "utf8").matchAll(/url "(.*)"\n\s+sha256 "(.*)"/gu)].map(
        ([, url = "", digest = ""]) => `${url.replace(/.*\//u, "")} ${digest}`,
      );
    const archives = ["darwin-arm64", "linux-x64", "linux-arm64"].map((each) => `authsvc-${version}-${each}.tar.gz`);
    expect(await formula()).toEqual(archives.map((name) => `${name} ${made[name]}`));
    const other = smallRelease(emptyFolder());
    await makeArchives(other);
    await makeFormula({ ...other, url: "https://files.example.com/v1" });
    const text = readFileSync(join(other.folder, "authsvc.rb"), "utf8");
    expect(text).toContain(`url "https://files.example.com/v1/${archives[0]}"`);
  });

  test("has packages of npm without scripts, each for its platform and with the digest of its executable", () => {
    for (const platform of Object.keys(platforms)) {
      const [os, cpu] = platform.split("-");
      const executable = release.executables[platform] ?? "";
      expect(manifestOf(`npm/authsvc-${platform}-${version}.tgz`)).toEqual({
        name: `@authsvc/${platform}`,
        version,
        description: expect.any(String) as string,
        license: "Apache-2.0",
        os: [os],
        cpu: [cpu],
        ...(os === "linux" ? { libc: ["glibc"] } : {}),
        preferUnplugged: true,
        sha256: { [executable.replace(/.*\//u, "")]: sha256(readFileSync(executable)) },
      });
    }
    const launcher = manifestOf(`npm/authsvc-${version}.tgz`);
    expect(launcher).not.toHaveProperty("scripts");
    expect(launcher["optionalDependencies"]).toEqual(
      Object.fromEntries(Object.keys(platforms).map((each) => [`@authsvc/${each}`, version])),
    );
  });

  test("appears when it is complete: if a part fails, the one before stays", async () => {
    const finished = join(emptyFolder(), "release");
    const make =
      (name: string) =>
      async (folder: string): Promise<void> =>
        writeFileSync(join(folder, name), "");
    await replaceFolder(finished, make("first"));
    const failing = replaceFolder(finished, async (folder) => {
      await make("second")(folder);
      throw new Error("the disk is full");
    });
    await expect(failing).rejects.toThrow("the disk is full");
    expect(filesOf(join(finished, ".."))).toEqual(["release/first"]);
    await replaceFolder(finished, make("third"));
    expect(filesOf(join(finished, ".."))).toEqual(["release/third"]);
  });

  test.each([
    ["that is not there", undefined, /not a readable private key in PEM/u],
    ["without a key", "no key\n", /not a readable private key in PEM/u],
    [
      "of RSA",
      pemOf(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey),
      /must be Ed25519; this one is rsa/u,
    ],
    [
      "with another key",
      pemOf(generateKeyPairSync("ed25519").privateKey),
      /not the private half of deploy\/release-key\.pem/u,
    ],
    ["with the public key", read("deploy/release-key.pem"), /not a readable private key in PEM/u],
  ])("is refused with a key file %s", (_, text, sentence) => {
    const key = join(emptyFolder(), "key.pem");
    if (text !== undefined) writeFileSync(key, text);
    expect(obstacles({ key, allowDirty: true })).toEqual([expect.stringMatching(sentence)]);
  });
});

describe("authsvc.1", () => {
  const page = join(release.folder, "authsvc.1");

  test("names every command and option", () => {
    const text = readFileSync(page, "utf8").replaceAll(String.raw`\-`, "-");
    for (const { path, command } of allCommands(newProgram())) {
      if (command.commands.length > 0) continue;
      expect(text).toContain(`.SS "authsvc ${path.join(" ")}`);
      for (const { flags } of command.createHelp().visibleOptions(command)) expect(text).toContain(flags);
    }
  });

  test("renders at 80 columns without a warning", ({ skip }) => {
    const missing = noProgram("man");
    skip(missing !== undefined, missing);
    const env = { PATH: process.env["PATH"], MANWIDTH: "80", LC_ALL: "C.UTF-8" };
    const { status, stdout, stderr } = spawnSync("man", ["--warnings=all", "-l", page], { env, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^COMMANDS$/mu);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });
});

describe("the command of the package authsvc", () => {
  const folder = emptyFolder();
  const platform = `${process.platform}-${process.arch}`;
  const executable = join(folder, "node_modules/@authsvc", platform, "authsvc");
  const command = join(folder, "node_modules/authsvc/authsvc.mjs");
  unpack(`npm/authsvc-${version}.tgz`, join(folder, "node_modules/authsvc"));
  unpack(`npm/authsvc-${platform}-${version}.tgz`, join(folder, "node_modules/@authsvc", platform));
  // Node before 22.15 cannot replace itself by another program.
  const ways: [string, string[]][] = [
    ["in place of Node", []],
    ["beside an older Node", ["--import", "data:text/javascript,delete process.execve"]],
  ];
  const run = (flags: string[], input = ""): object => {
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...flags, command, "one", "two words"], {
      input,
      encoding: "utf8",
      timeout: 60_000,
    });
    return { status, signal, stdout, stderr };
  };

  test.each(ways)("passes arguments, input, output and exit code through, %s", (_, flags) => {
    writeFileSync(executable, '#!/bin/sh\nread line; printf "%s|" "$@" "$line"; echo trouble >&2; exit 7\n');
    expect(run(flags, "hello\n")).toEqual({
      status: 7,
      signal: null,
      stdout: "one|two words|hello|",
      stderr: "trouble\n",
    });
  });

  test.each(ways)("passes signals on, %s", (_, flags) => {
    const receiver = flags.length === 0 ? "$$" : "$PPID";
    writeFileSync(
      executable,
      `#!/bin/sh\ntrap 'echo stopped; exit 0' TERM\nkill -TERM ${receiver}\nwhile :; do sleep 0.1; done\n`,
    );
    expect(run(flags)).toEqual({ status: 0, signal: null, stdout: "stopped\n", stderr: "" });
  });

  test("says what to do where the package of the platform is missing", () => {
    const alone = join(emptyFolder(), "node_modules/authsvc");
    unpack(`npm/authsvc-${version}.tgz`, alone);
    const { status, stderr } = spawnSync(process.execPath, [join(alone, "authsvc.mjs")], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toContain(`Install it: npm install @authsvc/${platform}@${version}`);
  });

  test.each([
    [
      "a platform without an executable",
      "Object.defineProperty(process, 'platform', { value: 'sunos' })",
      /no authsvc for sunos-\w+, only for linux-x64/u,
    ],
    ["a Linux with musl", "process.report.getReport = () => ({ header: {} })", /needs glibc.*container image/u],
  ])("says that %s cannot run it", (_, change, sentence) => {
    const code = `data:text/javascript,${encodeURIComponent(change)}`;
    const { status, stderr } = spawnSync(process.execPath, ["--import", code, command], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(sentence);
    expect(existsSync(executable)).toBe(true);
  });
});

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" });
}

function manifestOf(archive: string): Record<string, unknown> {
  const text = execFileSync("tar", ["-xzOf", archive, "package/package.json"], inFolder);
  return JSON.parse(text) as Record<string, unknown>;
}

function unpack(archive: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", join(release.folder, archive), "--strip-components=1", "-C", folder]);
}
