import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { shellProgram } from "../support/program.ts";
import { authsvc, emptyFolder } from "./command.ts";
import { authsvc as inProcess } from "./in-process.ts";

const cwd = emptyFolder();
const isPosix = process.platform !== "win32";

describe("wrong usage ends with exit code 2 and one line that names what is wrong", () => {
  const cases: [args: string[], line: RegExp][] = [
    [["crate"], /^authsvc: unknown command 'crate'/],
    [["ap", "list"], /^authsvc: unknown command 'ap'; did you mean app\?$/],
    [["app", "lst"], /^authsvc: unknown command 'lst'; did you mean list\?$/],
    [["app", "list", "extra"], /^authsvc: too many arguments for 'list'/],
    [["app", "create", "--nam", "X"], /^authsvc: unknown option '--nam'; did you mean --name\?$/],
    [["serve", "--prot=80"], /^authsvc: unknown option '--prot'; did you mean --port\?$/],
    [["app", "list", "--jsn"], /^authsvc: unknown option '--jsn'; did you mean --json\?$/],
    [
      ["user", "create", "--password", "x"],
      /^authsvc: unknown option '--password'; did you mean --password-stdin or --password-file\?$/,
    ],
    [
      ["webhook", "create", "--secret=x"],
      /^authsvc: unknown option '--secret'; did you mean --secret-stdin or --secret-file\?$/,
    ],
    [["app", "create", "--name"], /^authsvc: option '--name <name>' argument missing$/],
    [["app", "create", "--name", "X", "--methods", "passky"], /--methods .*did you mean passkey\?$/],
    [
      ["app", "create", "--name", "X", "--api-key-stdin", "--api-key-file", "k"],
      /'--api-key-stdin' cannot be used with .*'--api-key-file/,
    ],
    [["app", "create"], /^authsvc: --name is missing$/],
    [["app", "show"], /^authsvc: ID is missing: App ID$/],
    [["key", "create"], /^authsvc: --app is missing$/],
    [
      ["key", "create", "--app", "a", "--api-key-stdin"],
      /^authsvc: --api-key-stdin is missing: standard input is empty$/,
    ],
    [
      ["key", "create", "--app", "a", "--api-key-file", "nowhere"],
      /^authsvc: --api-key-file: the file does not exist$/,
    ],
    [["token", "verify"], /^authsvc: TOKEN is missing: standard input is empty$/],
    [["bench", "--seconds", "3600"], /--seconds is not valid\. It must be a whole number from 1 to 60\.$/],
    [["serve", "--port", "http"], /^authsvc: --port must be a whole number from 0 to 65535; it is "http"$/],
    [["serve", "--host", "0.0.0.0"], /^authsvc: baseUrl is missing: --host/],
    [["serve", "--dev", "--host", "0.0.0.0"], /^authsvc: --host must be 127\.0\.0\.1, ::1 or localhost with --dev$/],
    [["app", "list", "--config", "nowhere.yaml"], /^authsvc: --config: the file .*nowhere\.yaml does not exist$/],
    [["app", "list", "--data", ""], /^authsvc: --data must be the path of a folder; it is ""$/],
  ];

  test.each(cases)("%j", async (args, line) => {
    const { code, stdout, stderr } = await inProcess(args, { cwd });
    expect(stderr).toMatch(/^[^\n]*\n$/);
    expect(stderr.trim()).toMatch(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  test("and never repeats what may be a secret in the wrong place", async () => {
    const secret = `ak_${"s".repeat(40)}`;
    const asFlag = await authsvc(["app", "create", "--name", "X", `--api-key=${secret}`], { cwd });
    const asArgument = await authsvc(["app", "list", secret], { cwd });
    expect(asFlag.code).toBe(2);
    expect(asArgument.code).toBe(2);
    expect(asFlag.stderr + asArgument.stderr).not.toContain(secret);
  });

  test("and leaves nothing behind", () => {
    expect(existsSync(join(cwd, "data"))).toBe(false);
  });

  test("a group without a command shows its help on standard error", async () => {
    const { code, stdout, stderr } = await authsvc(["app"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: authsvc app");
  });
});

describe("a wrong configuration ends with exit code 2 and the key's name", () => {
  test("shown harmless when the name itself is hostile", async () => {
    const { code, stderr } = await authsvc(["app", "list"], { cwd, env: { "AUTHSVC_\u001b]0;x\u0007": "1" } });
    expect(code).toBe(2);
    expect(stderr).toBe("authsvc: AUTHSVC_\\u001b]0;x\\u0007 is not a setting\n");
  });
});

describe("help and version", () => {
  test.each([
    [],
    ["serve"],
    ["app"],
    ["app", "create"],
    ["app", "list"],
    ["app", "show"],
    ["key", "create"],
    ["token", "verify"],
    ["version"],
  ])("help of %j has two examples and the flags that go with every command", async (...command) => {
    const { code, stdout, stderr } = await inProcess([...command, "--help"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.match(/^ {2}\$ authsvc /gm)).toHaveLength(2);
    for (const flag of ["--config", "--data", "--json", "--quiet", "--yes", "--help", "--version"])
      expect(stdout).toContain(flag);
  });

  test("help names a command below a group as --help does, and says a default once", async () => {
    const { code, stdout } = await inProcess(["help", "key", "rotate"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("Usage: authsvc key rotate [options]");
    expect(stdout.match(/\bdefault: "?24h|default: 86400000/g)).toHaveLength(1);
    expect(stdout).toContain("(default: 24h)");
  });

  test("the version is the package's, by flag and by command", async () => {
    expect((await authsvc(["--version"], { cwd })).stdout).toBe(`${packageFile.version}\n`);
    expect((await authsvc(["version"], { cwd })).stdout).toMatch(`authsvc ${packageFile.version} `);
    const { stdout } = await authsvc(["version", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ version: packageFile.version, node: process.versions.node });
  });
});

describe("output", () => {
  test.skipIf(!isPosix)("a reader who leaves early is no error", async () => {
    const line = `${shellProgram} --help | true; echo "exit \${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await promisify(execFile)("bash", ["-c", line], { cwd });
    expect(stdout).toBe("exit 0\n");
    expect(stderr).toBe("");
  });

  test.skipIf(!existsSync("/dev/full"))("a full disk is an error, not a lost key", async () => {
    const line = `exec ${shellProgram} version > /dev/full`;
    await expect(promisify(execFile)("bash", ["-c", line], { cwd })).rejects.toMatchObject({
      code: 1,
      stderr: "authsvc: The command succeeded, but its result could not be written to standard output.\n",
    });
  });

  test("errors have no stack, unless the log level is debug", async () => {
    const env = { AUTHSVC_MASTER_KEY_FILE: "nowhere" };
    const plain = await authsvc(["app", "list"], { cwd, env });
    expect(plain.stderr).not.toMatch(/^\s+at /m);
    const debug = await authsvc(["app", "list"], { cwd, env: { ...env, AUTHSVC_LOG__LEVEL: "debug" } });
    expect(debug.stderr).toMatch(/^\s+at /m);
    expect([plain.code, debug.code]).toEqual([2, 2]);
  });

  test("a data folder that cannot be made is a failure in one line", async () => {
    writeFileSync(join(cwd, "occupied"), "");
    const { code, stdout, stderr } = await authsvc(["app", "list", "--data", "occupied/data"], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^authsvc: [^\n]*occupied[^\n]*\n$/);
  });
});

test("the executable can be started by its name", () => {
  expect(readFileSync(join(import.meta.dirname, "../../bin/authsvc.ts"), "utf8")).toMatch(
    /^#!\/usr\/bin\/env -S node --disable-sigusr1\n/,
  );
});
