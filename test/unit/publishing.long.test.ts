import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeNpmPackages } from "../../scripts/release/npm.ts";
import { emptyFolder } from "../cli/command.ts";
import { root } from "../docs/pages.ts";
import { smallRelease } from "../support/release.ts";

/** A checkout with a release in it, whose other programs only write down how they were called. */
function checkout(newest = "") {
  const folder = emptyFolder();
  const bin = join(folder, "bin");
  for (const path of [".ci", "bin", "deploy/docker", "dist/release/npm", "package"])
    mkdirSync(join(folder, path), { recursive: true });
  for (const script of ["release", "publish"]) copyFileSync(join(root, ".ci", script), join(folder, ".ci", script));
  writeFileSync(join(folder, "package.json"), '{ "version": "1.2.3" }');
  const base = `registry.example/base:small@sha256:${"0a".repeat(32)}`;
  writeFileSync(join(folder, "deploy/docker/Dockerfile"), `FROM node:24 AS build\nFROM ${base}\n`);
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
      `#!/bin/sh
echo "${program} $*" >> "${called}"
[ "$*" != "view authsvc dist-tags.latest" ] || echo "${newest}"
[ "$1 $2" != "release view" ]
`,
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
  expect(calls[0]).toMatch(
    /^skopeo copy --all --preserve-digests docker:\/\/registry\.example\/base@sha256:(?:0a){32} /u,
  );
  const command = /^npm run release -- --key (\S+) --image-base \S+\/base\.tar --url (\S+)$/u;
  const [, file = "", url] = command.exec(calls[1] ?? "") ?? [];
  expect(url).toBe("https://git.example/acme/authsvc/releases/download/v1.2.3");
  expect([file.startsWith(folder), existsSync(file)]).toEqual([true, false]);
});

it("publishes where credentials are, and authsvc after the packages that it depends on", () => {
  const run = checkout();
  const ref = { GITHUB_REF_NAME: "v1.2.3" };
  const without = run("publish", ref);
  expect(without.status).toBe(0);
  expect(without.calls.filter((call) => /^(?:npm publish|pipx|skopeo) /u.test(call))).toEqual([]);
  const all = { NPM_TOKEN: "n", PYPI_TOKEN: "p", IMAGE: "registry.example/acme/authsvc", GH_TOKEN: "g" };
  const { status, calls } = run("publish", { ...ref, ...all, GITHUB_ACTOR: "acme" });
  expect(status).toBe(0);
  const published = calls.flatMap((call) => /^npm publish \S+\/(\S+) --provenance/u.exec(call)?.[1] ?? []);
  const names = ["linux-x64", "win32-x64", "sdk"].map((name) => `authsvc-${name}-1.2.3.tgz`);
  expect(published).toEqual([...names, "authsvc-1.2.3.tgz"]);
  expect(calls).toContain(
    "skopeo copy --all oci-archive:dist/release/authsvc-1.2.3-oci.tar docker://registry.example/acme/authsvc:1.2.3",
  );
  expect(calls.at(-2)).toBe("gh release edit v1.2.3 --draft=false --prerelease=false --latest=true");
});

it("only the newest version that is no release candidate becomes the one that people get without asking", () => {
  const repair = checkout("2.0.0")("publish", { GITHUB_REF_NAME: "v1.2.3", NPM_TOKEN: "n" });
  const tags = repair.calls.flatMap((call) => /^npm publish .* --tag (\S+)$/u.exec(call)?.[1] ?? []);
  expect(new Set(tags)).toEqual(new Set(["v1"]));
  expect(repair.calls.at(-2)).toMatch(/ --prerelease=false --latest=false$/u);
  const candidate = checkout("1.2.3")("publish", { GITHUB_REF_NAME: "v1.3.0-rc.1" });
  expect(candidate.calls.at(-2)).toMatch(/ --prerelease=true --latest=false$/u);
});

it("a release on GitHub has each name once, and nothing of a folder", () => {
  const run = checkout();
  const { calls, folder } = run("publish", { GITHUB_REF_NAME: "v1.2.3" });
  const upload = calls.find((call) => call.startsWith("gh release upload")) ?? "";
  expect(existsSync(join(folder, "dist/release/npm"))).toBe(true);
  expect(upload).not.toContain("npm/");
});

it("the packages of npm name the repository that the downloads are in, which npm compares", async () => {
  const url = "https://git.example/acme/authsvc/releases/download/v1.0.0";
  const release = { ...smallRelease(emptyFolder()), url };
  await makeNpmPackages(release);
  for (const name of ["authsvc", "authsvc-linux-x64"]) {
    const file = join(release.folder, `npm/${name}-${release.version}.tgz`);
    const manifest = execFileSync("tar", ["-xOzf", file, "package/package.json"], { encoding: "utf8" });
    expect(JSON.parse(manifest)).toMatchObject({ repository: { url: "git+https://git.example/acme/authsvc.git" } });
  }
});
