import { execFile, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emptyFolder, finish, outputOf } from "../cli/command.ts";
import { root } from "../docs/pages.ts";
import { newEmail, signIn } from "../support/person.ts";
import { releaseExecutables } from "../support/release.ts";
import type { TestApp, TestService } from "../support/service.ts";
import { leftOut } from "../support/left-out.ts";

const run = promisify(execFile);
/**
 * The first bytes of an executable of each platform: ELF for x86-64 and AArch64, Mach-O of 64 bits,
 * and DOS's, with which Windows' begin.
 */
const beginnings: Record<string, (head: Buffer) => boolean> = {
  "linux-x64": (head) => head.toString("latin1", 0, 4) === "\x7fELF" && head.readUInt16LE(18) === 62,
  "linux-arm64": (head) => head.toString("latin1", 0, 4) === "\x7fELF" && head.readUInt16LE(18) === 183,
  "darwin-arm64": (head) => head.readUInt32LE(0) === 0xfeedfacf && head.readUInt32LE(4) === 0x0100000c,
  "darwin-x64": (head) => head.readUInt32LE(0) === 0xfeedfacf && head.readUInt32LE(4) === 0x01000007,
  "win32-x64": (head) =>
    head.toString("latin1", 0, 2) === "MZ" &&
    head.toString("latin1", head.readUInt32LE(60), head.readUInt32LE(60) + 4) === "PE\0\0",
};

let executables: Record<string, string> = {};
beforeAll(async () => {
  executables = await releaseExecutables();
}, 1_800_000);

describe("executables for other platforms", () => {
  // No release has it, and it is built all the same.
  const [again, intel] = [join(emptyFolder(), "authsvc"), join(emptyFolder(), "authsvc")];

  beforeAll(async () => {
    await buildFor("darwin-x64", intel);
  });
  afterAll(() => {
    for (const file of [again, intel]) rmSync(file, { force: true });
  });

  test.each(Object.entries(beginnings))("the build for %s holds every native module", (target, isOfPlatform) => {
    const file = executables[target] ?? intel;
    expect(isOfPlatform(readFileSync(file))).toBe(true);
    const parts = JSON.parse(readFileSync(`${file}.cdx.json`, "utf8")) as { components: { name: string }[] };
    const names = parts.components.map(({ name }) => name);
    expect(names).toContain("better-sqlite3");
    expect(names.filter((name) => name.includes("argon2-"))).toHaveLength(1);
  });

  // That of linux-x64: test/long/builds.test.ts.
  test.each(["linux-arm64", "darwin-arm64", "win32-x64"])(
    "the build for %s has the same bytes again",
    async (target) => {
      await buildFor(target, again);
      expect(readFileSync(again).equals(readFileSync(executables[target] ?? ""))).toBe(true);
    },
  );

  test("those for macOS have the digests of all their pages, and a changed byte is noticed", () => {
    for (const file of [executables["darwin-arm64"] ?? "", intel]) {
      const program = readFileSync(file);
      expect(wrongPages(program)).toEqual([]);
      const place = Math.floor(program.length / 2);
      program.writeUInt8(program.readUInt8(place) ^ 1, place);
      expect(wrongPages(program)).toEqual([Math.floor(place / 4096)]);
    }
  });
});

async function buildFor(target: string, out: string): Promise<void> {
  await run(process.execPath, [join(root, "scripts/build.ts"), "--target", target, "--out", out]);
}

/**
 * Reads the signature as macOS does, and returns the pages with another digest. Throws if it does
 * not cover the file up to itself.
 */
function wrongPages(program: Buffer): number[] {
  let command = 32;
  while (program.readUInt32LE(command) !== 0x1d) command += program.readUInt32LE(command + 4);
  const [start, size] = [program.readUInt32LE(command + 8), program.readUInt32LE(command + 12)];
  expect(start + size).toBe(program.length);
  // LC_CODE_SIGNATURE is the last command.
  expect(command + 16).toBe(32 + program.readUInt32LE(20));
  const blob = program.subarray(start);
  expect([blob.readUInt32BE(0), blob.readUInt32BE(8), blob.readUInt32BE(12)]).toEqual([0xfade0cc0, 1, 0]);
  const directory = blob.subarray(blob.readUInt32BE(16));
  expect(directory.readUInt32BE(0)).toBe(0xfade0c02);
  // Ad hoc; the digests are SHA-256 of pages of 4096 bytes.
  expect(directory.readUInt32BE(12) & 2).toBe(2);
  expect([...directory.subarray(36, 40)]).toEqual([32, 2, 0, 12]);
  const name = directory.readUInt32BE(20);
  expect(directory.toString("latin1", name, directory.indexOf(0, name))).toBe("authsvc");
  const [digests, count, end] = [directory.readUInt32BE(16), directory.readUInt32BE(28), directory.readUInt32BE(32)];
  expect([count, end]).toEqual([Math.ceil(start / 4096), start]);
  return Array.from({ length: count }, (_, page) => page).filter((page) => {
    const digest = createHash("sha256")
      .update(program.subarray(page * 4096, Math.min((page + 1) * 4096, end)))
      .digest();
    return !digest.equals(directory.subarray(digests + page * 32, digests + (page + 1) * 32));
  });
}

const qemu = "qemu-aarch64-static";
const libraries = "/usr/aarch64-linux-gnu";
const canEmulate = !spawnSync(qemu, ["--version"]).error && existsSync(join(libraries, "lib/libstdc++.so.6"));

const noEmulator =
  "there is no qemu for arm64 here (Debian: apt-get install qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross)";
describe.skipIf(!canEmulate)(
  `the executable for linux-arm64, emulated${leftOut(canEmulate ? undefined : noEmulator)}`,
  () => {
    const cwd = emptyFolder();
    const env = {
      PATH: process.env["PATH"],
      AUTHSVC_PASSWORDS__MEMORY_KIB: "8",
      AUTHSVC_NATIVE_DIR: join(cwd, "native"),
    };

    test("a user who was imported with a bcrypt hash signs in", async () => {
      const command = ["-L", libraries, executables["linux-arm64"] ?? ""];
      const service = spawn(qemu, [...command, "serve", "--dev", "--port", "0", "--json"], { cwd, env });
      const ended = finish(service);
      try {
        const { url, appId, apiKey, demoUrl } = JSON.parse(await outputOf(service, /\}/u)) as Record<string, string>;
        const app = { id: appId, apiKey, redirectUri: `${demoUrl}/callback` } as TestApp;
        const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": String(appId) };
        const [email, password] = [newEmail(), "correct horse"];
        const hash = "$2b$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2";
        const importing = spawn(qemu, [...command, "user", "import", "--app", String(appId)], { cwd, env });
        const imported = finish(importing);
        importing.stdin.end(JSON.stringify({ email, password: { hash } }));
        expect(await imported).toMatchObject({ code: 0 });
        const signedIn = await signIn({ url } as TestService, { ...app, headers }, { email, password });
        expect(signedIn.code).not.toBe("");
      } finally {
        service.kill("SIGTERM");
      }
      expect(await ended).toMatchObject({ code: 0 });
    });
  },
);
