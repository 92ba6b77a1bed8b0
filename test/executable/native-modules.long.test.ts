import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { authsvc, emptyFolder, finish, outputOf, start, type Finished } from "../cli/command.ts";
import { newEmail, signIn, signUp } from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { program } from "../support/program.ts";
import type { TestApp, TestService } from "../support/service.ts";

const isRoot = process.getuid?.() === 0;

/** Creates an app in a database of its own: needs SQLite. */
async function useSqlite(env: Record<string, string>): Promise<Finished> {
  return await authsvc(["app", "create", "--name", "Shop", "--quiet"], { cwd: emptyFolder(), env });
}

/** The service and the app that `serve --dev --json` tells of. */
function served(output: string): [TestService, TestApp] {
  const { url, appId = "", apiKey = "", demoUrl } = JSON.parse(output) as Record<string, string>;
  const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": appId };
  return [{ url } as TestService, { id: appId, apiKey, redirectUri: `${demoUrl}/callback`, headers }];
}

function nativeFile(folder: string): string {
  const [name] = readdirSync(folder);
  return join(folder, name ?? "");
}

describe("native modules", () => {
  test("are unpacked by those commands that need them, and by nothing else", async () => {
    const cwd = emptyFolder();
    const folder = join(cwd, "native");
    const env = { AUTHSVC_NATIVE_DIR: folder };
    expect((await authsvc(["version"], { cwd, env })).code).toBe(0);
    expect((await authsvc(["config", "check"], { cwd, env })).code).toBe(0);
    expect(existsSync(folder)).toBe(false);
    expect((await authsvc(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd, env })).code).toBe(0);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^better-sqlite3-[0-9a-f]{16}\.node$/u)]);
    const user = ["user", "create", "--app", "app_shop", "--email", "ada@example.com", "--password-stdin", "--quiet"];
    expect((await authsvc(user, { cwd, env, input: "correct horse battery" })).stderr).toBe("");
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("are nobody else's to read or change", async () => {
    const folder = join(emptyFolder(), "a", "native");
    expect((await useSqlite({ AUTHSVC_NATIVE_DIR: folder })).code).toBe(0);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(nativeFile(folder)).mode & 0o777).toBe(0o500);
  });

  test.each([
    ["XDG_CACHE_HOME", "authsvc/native"],
    ["CACHE_DIRECTORY", "authsvc/native"],
    ["HOME", ".cache/authsvc/native"],
  ])("go below %s", async (variable, folder) => {
    const home = emptyFolder();
    expect((await useSqlite({ [variable]: home })).code).toBe(0);
    expect(readdirSync(join(home, folder))).toHaveLength(1);
  });

  test.each<[string, (file: string) => void]>([
    ["cut off", (file) => truncateSync(file, 1000)],
    ["a byte too short", (file) => truncateSync(file, statSync(file).size - 1)],
    ["a byte too long", (file) => appendFileSync(file, "\0")],
    ["empty", (file) => truncateSync(file, 0)],
    [
      "changed in one byte",
      (file) => {
        const content = readFileSync(file);
        content[content.length - 100] = (content.at(-100) ?? 0) ^ 1;
        writeFileSync(file, content);
      },
    ],
    [
      "a link to a file of somebody",
      (file) => {
        const elsewhere = join(emptyFolder(), "evil.node");
        writeFileSync(elsewhere, readFileSync(file));
        rmSync(file);
        symlinkSync(elsewhere, file);
      },
    ],
    ["writable by others", (file) => chmodSync(file, 0o777)],
  ])("are made anew when the file is %s", async (_, spoil) => {
    const folder = join(emptyFolder(), "native");
    const env = { AUTHSVC_NATIVE_DIR: folder };
    await useSqlite(env);
    const file = nativeFile(folder);
    const content = readFileSync(file);
    const before = statSync(file).ino;
    chmodSync(file, 0o700);
    spoil(file);
    expect((await useSqlite(env)).code).toBe(0);
    expect(readFileSync(file).equals(content)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o500);
    // A new file in its place: writing into one that runs would end the program that runs it.
    expect(statSync(file).ino).not.toBe(before);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("are not unpacked from an executable that is damaged there", async () => {
    const folder = join(emptyFolder(), "native");
    await useSqlite({ AUTHSVC_NATIVE_DIR: folder });
    const module = readFileSync(nativeFile(folder));
    const executable = readFileSync(program[0]);
    const start = executable.indexOf(module);
    expect(start).toBeGreaterThan(0);
    executable.writeUInt8(executable.readUInt8(start + module.length - 100) ^ 1, start + module.length - 100);
    const damaged = join(emptyFolder(), "authsvc");
    writeFileSync(damaged, executable, { mode: 0o700 });
    const other = join(emptyFolder(), "native");
    const { status, stderr } = spawnSync(damaged, ["app", "list"], {
      cwd: emptyFolder(),
      env: { AUTHSVC_NATIVE_DIR: other },
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stderr).toContain("this executable is damaged");
    expect(readdirSync(other)).toEqual([]);
  });

  test("stay as they are when nothing is wrong", async () => {
    const folder = join(emptyFolder(), "native");
    await useSqlite({ AUTHSVC_NATIVE_DIR: folder });
    const { ino, mtimeMs } = statSync(nativeFile(folder));
    await useSqlite({ AUTHSVC_NATIVE_DIR: folder });
    expect(statSync(nativeFile(folder))).toMatchObject({ ino, mtimeMs });
  });

  test("do no harm to each other when many start at once for the first time", async () => {
    const folder = join(emptyFolder(), "native");
    const env = { AUTHSVC_NATIVE_DIR: folder };
    const finished = await Promise.all(Array.from({ length: 8 }, () => useSqlite(env)));
    expect(finished.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(Array.from({ length: 8 }, () => "0 "));
    expect(readdirSync(folder)).toHaveLength(1);
  });
});

describe("a folder that will not do", () => {
  const sentence = (problem: string): RegExp =>
    new RegExp(
      `^authsvc: The native module better-sqlite3 cannot be unpacked: \\S+ ${problem}. Set AUTHSVC_NATIVE_DIR to a folder`,
      "u",
    );

  test("others may write to it", async () => {
    const folder = emptyFolder();
    chmodSync(folder, 0o777);
    const { code, stderr } = await useSqlite({ AUTHSVC_NATIVE_DIR: folder });
    expect(code).toBe(2);
    expect(stderr).toMatch(sentence("is not usable \\(another user may write to it\\)"));
    expect(readdirSync(folder)).toEqual([]);
  });

  test("it is somebody else's", async ({ skip }) => {
    skip(!isRoot, "only root may give a folder away");
    const folder = emptyFolder();
    chmodSync(folder, 0o755);
    chownSync(folder, 65_534, 65_534);
    expect((await useSqlite({ AUTHSVC_NATIVE_DIR: folder })).stderr).toMatch(
      sentence("is not usable \\(another user may write to it\\)"),
    );
  });

  test("it is a file", async () => {
    const file = join(emptyFolder(), "file");
    writeFileSync(file, "");
    expect((await useSqlite({ AUTHSVC_NATIVE_DIR: file })).stderr).toMatch(sentence("is not a folder"));
    expect((await useSqlite({ AUTHSVC_NATIVE_DIR: `${file}/below` })).stderr).toMatch(sentence("is not a folder"));
  });

  test("the next one is tried, unless the operator named it", async () => {
    const [cache, home] = [emptyFolder(), emptyFolder()];
    writeFileSync(join(cache, "authsvc"), "");
    const { code, stderr } = await useSqlite({ XDG_CACHE_HOME: cache, HOME: home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(readdirSync(join(home, ".cache/authsvc/native"))).toHaveLength(1);
  });

  // Root of its own making is enough for a mount that only this process sees.
  const mounting = ["unshare", ...(isRoot ? [] : ["--user", "--map-root-user"]), "--mount"];
  const canMount =
    spawnSync(mounting[0] ?? "", [...mounting.slice(1), "sh", "-c", "mount -t tmpfs none /mnt"]).status === 0;
  const mayNotMount = "this process may not mount anything";

  async function onMount(options: string, args: string[]): Promise<string> {
    const cwd = emptyFolder();
    const folder = mkdtempSync(join(cwd, "mount-"));
    const script = `mount -t tmpfs -o ${options} none '${folder}' && cd '${cwd}' && env -i AUTHSVC_NATIVE_DIR='${folder}' '${program[0]}' ${args.join(" ")}`;
    const { stderr } = await promisify(execFile)(mounting[0] ?? "", [
      ...mounting.slice(1),
      "sh",
      "-c",
      `${script} || true`,
    ]);
    return stderr;
  }

  test("it is mounted noexec", async ({ skip }) => {
    skip(!canMount, mayNotMount);
    expect(await onMount("noexec,mode=700", ["app", "list"])).toMatch(sentence("is mounted noexec"));
  });

  test("it is read-only", async ({ skip }) => {
    skip(!canMount, mayNotMount);
    expect(await onMount("ro,mode=700", ["app", "list"])).toMatch(sentence("is read-only"));
  });

  test("passwords are still verified, by Node's own argon2 and with one warning", async () => {
    const cwd = emptyFolder();
    const file = join(cwd, "file");
    writeFileSync(file, "");
    const env = {
      AUTHSVC_NATIVE_DIR: file,
      AUTHSVC_DATABASE__URL: await createTestDatabase(),
      AUTHSVC_MASTER_KEY: randomBytes(32).toString("base64url"),
      AUTHSVC_PASSWORDS__MEMORY_KIB: "8",
    };
    const process = start(["serve", "--dev", "--port", "0", "--json"], { cwd, env });
    const ended = finish(process);
    try {
      const [service, app] = served(await outputOf(process, /\}/u));
      const email = newEmail();
      await signUp(service, app, { email });
      expect((await signIn(service, app, { email })).code).not.toBe("");
    } finally {
      process.kill("SIGTERM");
    }
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr.match(/using Node's argon2/gu)).toHaveLength(1);
  });
});
