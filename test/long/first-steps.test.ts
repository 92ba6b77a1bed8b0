import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { makeArchives } from "../../scripts/release/archives.ts";
import { makeImage } from "../../scripts/release/image.ts";
import { makeNpmPackages } from "../../scripts/release/npm.ts";
import { version } from "../../scripts/release/release.ts";
import { emptyFolder, finish, outputOf } from "../cli/command.ts";
import { firstSteps } from "../docs/pages.ts";
import { noBareRoot, startIn } from "../support/bare-root.ts";
import { freePort } from "../support/free-port.ts";
import { standInBase, unpackImage } from "../support/image-base.ts";
import { signedUp } from "../support/person.ts";
import { releaseExecutables, smallRelease } from "../support/release.ts";
import type { TestApp, TestService } from "../support/service.ts";

const noContainer = noBareRoot();
const release = smallRelease(emptyFolder());
const machine = `${process.platform}-${process.arch}`;
const [withNode = "", onServer = "", inContainer = ""] = firstSteps();
/** Without the project's Node and programs. */
const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
const hasNode = path.some((folder) => existsSync(join(folder, "npx")));

beforeAll(async () => {
  // The others are small: nobody runs them here.
  release.executables[machine] = (await releaseExecutables())[machine] ?? "";
  for (const make of [makeNpmPackages, makeArchives]) await make(release);
}, 900_000);

/** Runs a block in an empty folder, and signs somebody up at the service that it starts. */
async function expectSignUp(script: string, more: Record<string, string> = {}): Promise<void> {
  const cwd = emptyFolder();
  const env = { PATH: path.join(delimiter), HOME: cwd, AUTHSVC_LISTEN__PORT: "0", ...more };
  const shell = spawn("bash", ["-ec", script], { cwd, env, detached: true });
  onTestFinished(async () => await groupEnded(shell));
  const said = await outputOf(shell, /^AUTHSVC_COOKIE_SECRET=.+$/mu);
  const shown = (pattern: RegExp): string => pattern.exec(said)?.[1] ?? "";
  const id = shown(/^AUTHSVC_APP_ID=(.+)$/mu);
  const apiKey = shown(/^AUTHSVC_API_KEY=(.+)$/mu);
  const url = shown(/^listening on (.+)$/mu);
  const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": id };
  const app: TestApp = { id, apiKey, redirectUri: `${url}/dev/demo/callback`, headers };
  expect((await signedUp({ url } as TestService, app)).accessToken).not.toBe("");
}

/** A shell and what it started. */
async function groupEnded(shell: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => shell.once("close", resolve));
  try {
    process.kill(-(shell.pid ?? 0), "SIGKILL");
  } catch {
    // It has ended.
    return;
  }
  await ended;
}

test("somebody who has only Node gets a running service", async ({ skip }) => {
  skip(!hasNode, "there is no npx beside the project's own");
  expect(withNode).toBe("npx authsvc serve --dev");
  const files = ["authsvc", `authsvc-${machine}`].map((name) => join(release.folder, `npm/${name}-${version}.tgz`));
  const local = `npx --yes --offline ${files.map((file) => `--package ${file}`).join(" ")} authsvc`;
  await expectSignUp(withNode.replace("npx authsvc", local), { npm_config_cache: emptyFolder() });
}, 300_000);

test.skipIf(machine !== "linux-x64")(
  "somebody who has only a server gets one from the archive",
  async () => {
    const archive = `authsvc-${version}-linux-x64.tar.gz`;
    expect(onServer).toContain(`tar -xzf ${archive}`);
    await expectSignUp(onServer.replace(archive, join(release.folder, archive)));
  },
  300_000,
);

test.skipIf(noContainer !== undefined)(
  "somebody who has only a container runtime gets one from the image",
  async () => {
    const [load = [], run = [], exec = []] = inContainer.split("\n").map((line) => wordsOf(line));
    expect(load).toEqual(["docker", "load", "--input", `authsvc-${version}-oci.tar`]);
    expect([run.slice(0, 2), run.at(-1)]).toEqual([["docker", "run"], `authsvc:${version}`]);
    expect(exec.slice(0, 4)).toEqual(["docker", "exec", "authsvc", "authsvc"]);
    const port = String(await freePort());
    const given = run.flatMap((word, place) => (run[place - 1] === "--env" ? [word.split("=")] : []));
    const settings = Object.fromEntries(given) as Record<string, string>;
    expect(settings).toEqual({ AUTHSVC_BASE_URL: "http://localhost:8080" });
    const url = `http://localhost:${port}`;

    const imageBase = await standInBase();
    vi.spyOn(console, "log").mockReturnValue();
    onTestFinished(() => void vi.restoreAllMocks());
    await makeImage({ ...release, imageBase });
    const { root, user, command, env } = unpackImage(join(release.folder, `authsvc-${version}-oci.tar`));
    Object.assign(env, settings, { AUTHSVC_BASE_URL: url, AUTHSVC_LISTEN__PORT: port });
    const service = startIn(root, command, { user, env });
    onTestFinished(() => void service.kill("SIGKILL"));
    await outputOf(service, /listening on/u);
    const created = await finish(startIn(root, ["/usr/local/bin/authsvc", ...exec.slice(4)], { user, env }));
    const [id = "", apiKey = ""] = [/app_\w+/u, /ak_\w+/u].map((pattern) => pattern.exec(created.stdout)?.[0]);
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": id };
    const app: TestApp = { id, apiKey, redirectUri: exec.at(-1) ?? "", headers };
    expect((await signedUp({ url } as TestService, app)).accessToken).not.toBe("");
  },
  300_000,
);

/** Of a shell command with nothing but quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
