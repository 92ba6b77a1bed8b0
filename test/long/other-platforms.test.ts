import { execFile, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emptyFolder, finish, outputOf } from "../cli/command.ts";
import { newEmail, signIn } from "../support/person.ts";
import type { TestApp, TestService } from "../support/service.ts";

const run = promisify(execFile);
const script = join(import.meta.dirname, "../../scripts/build.ts");
const out = join(emptyFolder(), "authsvc");

/**
 * The first bytes of an executable of each platform: ELF for AArch64, Mach-O of 64 bits, and DOS's,
 * with which Windows' begin.
 */
const beginnings: [target: string, isOfPlatform: (head: Buffer) => boolean][] = [
  ["linux-arm64", (head) => head.toString("latin1", 0, 4) === "\x7fELF" && head.readUInt16LE(18) === 183],
  ["darwin-arm64", (head) => head.readUInt32LE(0) === 0xfeedfacf && head.readUInt32LE(4) === 0x0100000c],
  ["darwin-x64", (head) => head.readUInt32LE(0) === 0xfeedfacf && head.readUInt32LE(4) === 0x01000007],
  ["win32-x64", (head) => head.toString("latin1", 0, 2) === "MZ"],
];

// One after the other: each build uses the same staging folder.
describe("executables for other platforms", () => {
  afterAll(() => rmSync(out, { force: true }));

  test.each(beginnings)("the build for %s holds every native module", async (target, isOfPlatform) => {
    await run(process.execPath, [script, "--target", target, "--out", out]);
    const executable = readFileSync(out);
    expect(isOfPlatform(executable)).toBe(true);
    const parts = JSON.parse(readFileSync(`${out}.cdx.json`, "utf8")) as { components: { name: string }[] };
    const names = parts.components.map(({ name }) => name);
    expect(names).toContain("better-sqlite3");
    expect(names.filter((name) => name.includes("argon2-"))).toHaveLength(1);
  });
});

const qemu = "qemu-aarch64-static";
const libraries = "/usr/aarch64-linux-gnu";
const canEmulate = !spawnSync(qemu, ["--version"]).error && existsSync(join(libraries, "lib/libstdc++.so.6"));

// Debian: apt-get install qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross.
describe.skipIf(!canEmulate)(
  "the executable for linux-arm64, emulated (skipped without qemu and the arm64 C library)",
  () => {
    const cwd = emptyFolder();
    const command = ["-L", libraries, out];
    const env = {
      PATH: process.env["PATH"],
      AUTHSVC_PASSWORDS__MEMORY_KIB: "8",
      AUTHSVC_NATIVE_DIR: join(cwd, "native"),
    };

    beforeAll(async () => {
      await run(process.execPath, [script, "--target", "linux-arm64", "--out", out]);
    });
    afterAll(() => rmSync(out, { force: true }));

    test("a user who was imported with a bcrypt hash signs in", async () => {
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
