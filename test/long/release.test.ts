import { execFile, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { makeNpmPackages, makeSdk } from "../../scripts/release/npm.ts";
import { version } from "../../scripts/release/release.ts";
import { makeWheel } from "../../scripts/release/wheel.ts";
import { emptyFolder, finish, outputOf } from "../cli/command.ts";
import { root } from "../docs/pages.ts";
import { releaseExecutables, smallRelease } from "../support/release.ts";

const run = promisify(execFile);
/** Only ends what hangs: four executables take two minutes on a busy machine. */
const buildTimeout = 1_800_000;
const machine = `${process.platform}-${process.arch}`;
const tools = join(root, "node_modules/.bin");
/** Without the project's Node, which npm's scripts find first. */
const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.endsWith("node_modules/.bin"));
const outerNode = path.map((folder) => join(folder, "node")).find((file) => existsSync(file));

describe("what a release makes for package managers", () => {
  const release = smallRelease(emptyFolder());

  beforeAll(async () => {
    const executables = await releaseExecutables();
    // The packages of other platforms cannot be installed here; small files make them quickly.
    release.executables[machine] = executables[machine] ?? "";
    for (const make of [makeNpmPackages, makeSdk, makeWheel]) await make(release);
  }, buildTimeout);

  describe("the package authsvc, installed from files into an empty folder", () => {
    const folder = emptyFolder();
    const command = join(folder, "node_modules/authsvc/authsvc.mjs");

    beforeAll(async () => {
      writeFileSync(join(folder, "package.json"), '{ "private": true }');
      const files = ["authsvc", `authsvc-${machine}`].map((name) => join(release.folder, `npm/${name}-${version}.tgz`));
      await run("npm", ["install", "--offline", "--no-audit", "--no-fund", ...files], { cwd: folder });
    }, buildTimeout);

    test("is what npx starts", async () => {
      const { stdout } = await run("npx", ["--no-install", "authsvc", "version"], { cwd: folder });
      expect(stdout).toMatch(`authsvc ${version} `);
    });

    test.each([
      ["the project's Node", process.execPath],
      ["the Node that npm runs on", outerNode ?? process.execPath],
    ])("serves with %s until it is stopped", async (_, node) => {
      const { stdout } = await run(node, [command, "version", "--json"], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject({ version });
      const data = emptyFolder();
      const service = spawn(node, [command, "serve", "--dev", "--port", "0", "--json"], {
        cwd: data,
        env: { PATH: process.env["PATH"], HOME: data },
      });
      onTestFinished(() => void service.kill("SIGKILL"));
      const ended = finish(service);
      const { url = "" } = JSON.parse(await outputOf(service, /\}/u)) as Record<string, string>;
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      service.kill("SIGTERM");
      expect(await ended).toMatchObject({ code: 0, signal: null });
    });
  });

  test("@authsvc/sdk has no errors for publint and attw", async () => {
    const file = join(release.folder, `npm/authsvc-sdk-${version}.tgz`);
    const publint = await run(join(tools, "publint"), ["run", "--strict", file]);
    expect(publint.stdout).toContain("All good!");
    // All of it is ES modules (docs/sdk.md).
    await run(join(tools, "attw"), [file, "--profile", "esm-only", "--no-color"]);
  });

  test("the Python wheel is right for twine, and can be installed", async ({ skip }) => {
    const wheel = join(release.folder, `authsvc-${version}-py3-none-any.whl`);
    const cwd = emptyFolder();
    const done = (file: string, ...args: string[]): boolean =>
      spawnSync(file, args, { cwd, stdio: "ignore", timeout: 300_000 }).status === 0;
    skip(!done("python3", "-m", "venv", "."), "there is no Python with venv here");
    expect(done("bin/pip", "install", "--no-index", wheel)).toBe(true);
    const { stdout } = await run("bin/python", ["-c", "import authsvc; print(authsvc.__version__)"], { cwd });
    expect(stdout).toBe(`${version}\n`);
    skip(!done("bin/pip", "install", "twine==6.2.0"), "twine cannot be installed here");
    expect((await run("bin/twine", ["check", "--strict", wheel], { cwd })).stdout).toContain("PASSED");
  });
});

describe("npm run release writes nothing", () => {
  const copy = emptyFolder();
  const names = ["scripts", "src", "deploy", "package.json", "package-lock.json", "LICENSE", ".gitignore"];

  beforeAll(async () => {
    for (const name of names) cpSync(join(root, name), join(copy, name), { recursive: true });
    writeFileSync(join(copy, ".gitignore"), "node_modules\nbuild/\ndist/\n");
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const git = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
    for (const args of [
      ["init", "-q"],
      ["add", "."],
      ["commit", "-qm", "All"],
    ])
      await run("git", [...git, ...args], { cwd: copy });
  });

  const release = (args: string[], env = process.env): { status: number | null; stderr: string } => {
    const { status, stderr } = spawnSync(process.execPath, ["scripts/release.ts", ...args], {
      cwd: copy,
      env,
      encoding: "utf8",
      timeout: 300_000,
    });
    expect(readdirSync(copy)).not.toContain("dist");
    expect(readdirSync(copy)).not.toContain("build");
    return { status, stderr };
  };

  test("from a tree with a file that is not committed", () => {
    writeFileSync(join(copy, "deploy", "new.txt"), "new");
    expect(release([])).toEqual({
      status: 1,
      stderr:
        "A release is made of committed files; deploy/new.txt is not committed as it is. Commit or remove it: git status\n",
    });
  });

  test("without git, npm and tar", () => {
    const empty = join(emptyFolder(), "bin");
    mkdirSync(empty);
    const sentences = ["git", "npm", "tar"].map((tool) => `${tool} is needed and was not found.\n`);
    expect(release([], { PATH: empty })).toEqual({ status: 1, stderr: sentences.join("") });
  });

  test("with a key that is none", () => {
    const { status, stderr } = release(["--allow-dirty", "--key", "package.json"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^--key package\.json: not a readable private key in PEM \(.+\)\.\n$/u);
  });
});
