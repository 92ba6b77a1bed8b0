import { execFileSync, spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { outputProblem } from "../../src/lib/output-path.ts";
import { barestEnvironment, program } from "../support/program.ts";
import { authsvc as startProcess, emptyFolder, finish, start } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

const isUnix = process.platform !== "win32";

/** Commands that write a file whose name they are told, with the name of that argument. */
const writing: [name: string, args: (path: string) => string[], env?: (path: string) => Record<string, string>][] = [
  ["FILE", (path) => ["db", "backup", path, "--yes"]],
  ["--to", (path) => ["db", "copy", "--to", `sqlite:${path}`]],
  ["--report", (path) => ["user", "import", "--app", "app_shop", "--report", path]],
  ["FILE", (path) => ["breached-passwords", "build", path, "--yes"]],
  ["FILE", (path) => ["breached-passwords", "fetch", path, "--yes"]],
  ["--config", (path) => [...init, "--config", path]],
  ["AUTHSVC_CONFIG", () => init, (path) => ({ AUTHSVC_CONFIG: path })],
];
const init = "init --force --base-url http://localhost:8080 --app-name X --redirect-uri http://localhost:3000/cb".split(
  " ",
);

describe.skipIf(!isUnix)("a path that is no regular file", () => {
  let cwd = "";
  const folder = emptyFolder();
  beforeAll(async () => {
    cwd = folder;
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    symlinkSync("pipe", join(cwd, "link"));
    mkdirSync(join(cwd, "folder"));
    if (process.getuid?.() === 0) execFileSync("mknod", [join(cwd, "device"), "c", "1", "3"]);
  });

  test.each(
    writing.flatMap(([name, args, env]) =>
      ["pipe", "link", "folder", "device", "socket"].map((path) => ({ name, args, env, path })),
    ),
  )("is refused where a command writes: $name, $args, $path", async ({ name, args, env, path }) => {
    if (path === "device" && process.getuid?.() !== 0) return;
    if (path === "socket") {
      const server = createServer().listen(join(cwd, "socket"));
      onTestFinished(() => void server.close());
      await new Promise((listening) => server.once("listening", listening));
    }
    const before = [lstatSync(join(cwd, path)).ino, lstatSync(join(cwd, path)).mode];
    const refused = await authsvc(args(path), { cwd, env: env?.(path) ?? {} });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    const what = path === "folder" ? "is a folder" : "is a device, pipe or socket, not a regular file";
    const shown = name === "AUTHSVC_CONFIG" ? join(cwd, path) : path;
    expect(refused.stderr).toBe(`authsvc: ${name}: ${shown} ${what}; name a file to write\n`);
    expect([lstatSync(join(cwd, path)).ino, lstatSync(join(cwd, path)).mode]).toEqual(before);
  });

  // Not run with a name in /dev: without the rule, root would replace it for the whole machine.
  test("is refused in a folder of the system, whatever the name leads to", () => {
    const child = spawnSync(
      "/bin/sh",
      ["-c", 'exec "$@" > regular', "sh", ...program, "db", "backup", "/proc/self/fd/1", "--yes"],
      { cwd, env: barestEnvironment(cwd) },
    );
    expect(child.stderr.toString()).toMatch(
      /^authsvc: FILE: \/proc\/self\/fd\/1 is (?:in a folder of the system|a device, pipe or socket.*); name a file to write\n$/u,
    );
    expect(outputProblem("/dev/authsvc.backup")).toBe("is in a folder of the system");
    expect(outputProblem("/dev/shm/authsvc.backup")).toBeUndefined();
  });

  test.each(writing.filter(([name]) => name !== "AUTHSVC_CONFIG").filter(([, args]) => args("-")[1] !== "backup"))(
    "- makes no file of that name: %s",
    async (name, args) => {
      const refused = await authsvc(args("-"), { cwd });
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toBe(`authsvc: ${name}: - is standard output for db backup only; name a file to write\n`);
      expect(readdirSync(cwd)).not.toContain("-");
    },
  );

  test.each([
    [["db", "restore", "pipe", "--yes"], /The file pipe is not a backup of authsvc/u],
    [["db", "restore", "folder", "--yes"], /The file folder is not a backup of authsvc/u],
    [["breached-passwords", "check", "pipe"], /FILE: \S+pipe is a pipe, not a regular file/u],
    [["breached-passwords", "status", "pipe"], /FILE: \S+pipe is a pipe, not a regular file/u],
    [["breached-passwords", "status", "folder"], /FILE: the file \S+folder is a folder/u],
    [["apply", "folder"], /FILE: the file folder cannot be read \(EISDIR\)/u],
    [["user", "import", "--app", "app_shop", "folder"], /FILE: the file folder cannot be opened \(EISDIR\)/u],
    [["config", "check", "--config", "folder"], /--config: the file \S+folder is a folder, not a file/u],
    [["app", "list", "--data", "pipe"], /The folder \S+pipe is not a folder/u],
  ])("is refused in a sentence where a command reads: %j", async (args, sentence) => {
    const refused = await authsvc(args, { cwd });
    expect(refused.stdout).toBe("");
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/^authsvc: [^\n]*\n$/u);
    expect(refused.stderr).toMatch(sentence);
  });

  test.each([["mkfifo"], ["mkdir"]])("a database made by %s is refused", async (make) => {
    const place = emptyFolder();
    mkdirSync(join(place, "data"), { mode: 0o700 });
    execFileSync(make, [join(place, "data/authsvc.db")]);
    for (const command of [
      ["app", "list"],
      ["db", "status"],
      ["serve", "--port", "0"],
    ]) {
      const refused = await authsvc(command, { cwd: place });
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toMatch(
        /The database \S+authsvc\.db is a folder, device or pipe, not a regular file\.\n$/u,
      );
    }
  });

  test("a file of the service itself is never written over, nor by a report its source", async () => {
    symlinkSync("data/authsvc.db", join(cwd, "current"));
    writeFileSync(join(cwd, "service.yaml"), "data: data\n");
    const own = ["data/authsvc.db", "current", "data/master.key", "data/authsvc.db-wal", "service.yaml"];
    const contents = () => own.map((file) => (file.endsWith("-wal") ? "" : readFileSync(join(cwd, file), "base64")));
    const before = contents();
    for (const file of own)
      for (const args of writing.slice(0, 4).flatMap(([name, of]) => (name === "--to" ? [] : [of(file)]))) {
        if (args[0] === "breached-passwords" && file.endsWith("-wal")) continue;
        const refused = await authsvc([...args, "--config", "service.yaml"], { cwd });
        expect([args, refused.code, refused.stdout]).toEqual([args, 2, ""]);
        expect(refused.stderr).toMatch(/ is a file of the service itself; name another file\n$/u);
      }
    expect(contents()).toEqual(before);
    writeFileSync(join(cwd, "users.jsonl"), "{}\n");
    const refused = await authsvc(["user", "import", "users.jsonl", "--app", "app_shop", "--report", "./users.jsonl"], {
      cwd,
    });
    expect(refused.stderr).toBe("authsvc: --report: it would overwrite FILE; name another file\n");
    expect(readFileSync(join(cwd, "users.jsonl"), "utf8")).toBe("{}\n");
  });
});

describe.skipIf(!isUnix)("db backup -", () => {
  test("sends the backup to standard output, and leaves nothing behind", async () => {
    const cwd = emptyFolder();
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    const before = readdirSync(join(cwd, "data"));
    const child = start(["db", "backup", "-"], { cwd });
    const parts: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => parts.push(part));
    const finished = await new Promise<number | null>((done) => child.on("close", done));
    expect(finished).toBe(0);
    expect(readdirSync(join(cwd, "data")).filter((name) => !/-(?:wal|shm)$/u.test(name))).toEqual(before);
    const elsewhere = emptyFolder();
    mkdirSync(join(elsewhere, "data"), { mode: 0o700 });
    const file = join(elsewhere, "authsvc.backup");
    writeFileSync(file, Buffer.concat(parts), { mode: 0o600 });
    writeFileSync(join(elsewhere, "data/master.key"), readFileSync(join(cwd, "data/master.key")), { mode: 0o600 });
    await answer(["db", "restore", file], { cwd: elsewhere });
    expect(await answer(["app", "list"], { cwd: elsewhere })).toMatchObject([{ id: "app_shop" }]);
  });

  test("says so when nobody reads it, and refuses --json", async () => {
    const cwd = emptyFolder();
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    const child = start(["db", "backup", "-"], { cwd });
    const finished = finish(child);
    child.stdout.destroy();
    const { code, stderr } = await finished;
    expect([code, stderr]).toEqual([1, "authsvc: The backup could not be written to standard output.\n"]);
    expect(readdirSync(join(cwd, "data")).filter((name) => name.includes("backup"))).toEqual([]);
    const refused = await startProcess(["db", "backup", "-", "--json"], { cwd });
    expect(refused).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "authsvc: --json: with -, standard output is the backup\n",
    });
  });
});
