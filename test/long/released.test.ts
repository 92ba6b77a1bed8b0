import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { makeArchives } from "../../scripts/release/archives.ts";
import { makeDeb } from "../../scripts/release/deb.ts";
import { makeImage } from "../../scripts/release/image.ts";
import { makeNpmPackages } from "../../scripts/release/npm.ts";
import { version } from "../../scripts/release/release.ts";
import { makeRpm } from "../../scripts/release/rpm.ts";
import { emptyFolder, finish, outputOf } from "../cli/command.ts";
import { firstSteps } from "../docs/pages.ts";
import { noBareRoot, startIn } from "../support/bare-root.ts";
import { freePort } from "../support/free-port.ts";
import { standInBase, unpackImage } from "../support/image-base.ts";
import { leftOut } from "../support/left-out.ts";
import { expectSignUp, pathHere, thisMachine } from "../support/newcomer.ts";
import { signedUp } from "../support/person.ts";
import { releaseExecutables, smallProgram, smallRelease } from "../support/release.ts";
import type { TestApp, TestService } from "../support/service.ts";

const noContainer = noBareRoot();
const machine = `${process.platform}-${process.arch}`;
const [, , released = "", inOneFile = "", withNode = "", onDebian = "", onFedora = "", inContainer = ""] = firstSteps();

describe("what a release made, in a clone", () => {
  const release = smallRelease(emptyFolder());
  const newcomer = thisMachine(emptyFolder());
  const clone = join(newcomer.home, "authsvc");

  beforeAll(async () => {
    // The others are small: nobody runs them here.
    Object.assign(release.executables, { "linux-x64": smallProgram, "linux-arm64": smallProgram });
    release.executables[machine] = (await releaseExecutables())[machine] ?? "";
    for (const make of [makeNpmPackages, makeArchives, makeDeb, makeRpm]) await make(release);
    mkdirSync(join(clone, "dist"), { recursive: true });
    symlinkSync(release.folder, join(clone, "dist/release"));
    if (process.getuid?.() === 0) execFileSync("chown", ["-R", "1000:1000", newcomer.home]);
    for (const folder of [newcomer.home, join(release.folder, "..")]) execFileSync("chmod", ["-R", "a+rX", folder]);
  }, 900_000);

  test("is made by the one command that the README names", () => {
    expect(released).toBe("npm run release");
  });

  test.skipIf(machine !== "linux-x64")("serves from the one file", async () => {
    await expectSignUp(newcomer, inOneFile);
  });

  test.skipIf(machine !== "linux-x64")("serves from the packages of npm", async () => {
    const prefix = join(newcomer.home, "npm");
    await expectSignUp(newcomer, withNode, {
      npm_config_prefix: prefix,
      npm_config_offline: "true",
      PATH: [join(prefix, "bin"), pathHere].join(delimiter),
    });
  });

  // test/executable/linux-packages.long.test.ts installs them.
  test("has the packages that apt-get and dnf are given", () => {
    const files = [onDebian, onFedora].map(
      (block) => /^sudo (?:apt-get|dnf) install \.\/(\S+)$/u.exec(block)?.[1] ?? "",
    );
    expect(files.map((file) => existsSync(join(clone, file)))).toEqual([true, true]);
  });

  test.skipIf(noContainer !== undefined)(
    `serves from the image${leftOut(noContainer)}`,
    async () => {
      const [load = [], run = [], exec = []] = inContainer.split("\n").map((line) => wordsOf(line));
      expect(load).toEqual(["docker", "load", "--input", `dist/release/authsvc-${version}-oci.tar`]);
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
});

/** Of a shell command with nothing but quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
