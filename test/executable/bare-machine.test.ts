import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectOrdinaryLibraries } from "../../scripts/build/system-libraries.ts";
import { finish, outputOf } from "../cli/command.ts";
import { bareRoot, noBareRoot, put, startIn } from "../support/bare-root.ts";
import { freePort } from "../support/free-port.ts";
import { follow } from "../support/operators.ts";
import { signedUp, Visitor } from "../support/person.ts";
import { program } from "../support/program.ts";
import type { TestApp, TestService } from "../support/service.ts";

const reason = noBareRoot();

describe(`a machine with only libc, libstdc++ and libgcc${reason === undefined ? "" : ` (skipped: ${reason})`}`, () => {
  test.skipIf(reason !== undefined)("starts the executable, and people sign up", async () => {
    const root = bareRoot();
    put(root, program[0], "/usr/local/bin/authsvc");
    const command = (...args: string[]) => startIn(root, ["/usr/local/bin/authsvc", ...args], { user: "0:0" });
    expect(await finish(command("version"))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("authsvc") as string,
      stderr: "",
    });

    const service = command("serve", "--dev", "--port", "0", "--json");
    const ended = finish(service);
    try {
      const { url, appId, apiKey, demoUrl } = JSON.parse(await outputOf(service, /\}/u)) as Record<string, string>;
      const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": String(appId) };
      const app = { id: appId, apiKey, redirectUri: `${demoUrl}/callback`, headers } as TestApp;
      expect((await signedUp({ url } as TestService, app)).accessToken).not.toBe("");
    } finally {
      service.kill("SIGTERM");
    }
    expect(await ended).toMatchObject({ code: 0 });
  });

  test.skipIf(reason !== undefined)(
    "shows the console, to an operator and to a team, and what the service does",
    async () => {
      const root = bareRoot();
      put(root, program[0], "/usr/local/bin/authsvc");
      const origin = `http://127.0.0.1:${await freePort()}`;
      const env = { AUTHSVC_CONSOLE__LISTEN: new URL(origin).host, AUTHSVC_CONSOLE__BASE_URL: origin };
      const command = (...args: string[]) => startIn(root, ["/usr/local/bin/authsvc", ...args], { user: "0:0", env });
      const service = command("serve", "--dev", "--port", "0", "--json");
      const children = [service];
      const ended = [finish(service)];
      try {
        await outputOf(service, /\}/u);
        const console = command("console", "--port", "0", "--no-open", "--json");
        children.push(console);
        ended.push(finish(console));
        const { url } = JSON.parse(await outputOf(console, /\}/u)) as { url: string };
        const visitor = new Visitor();
        const entered = await visitor.get(url);
        const page = await visitor.get(new URL("/console/overview", entered.url).href);
        expect(page.text).toContain("<h1>Overview</h1>");
        const linked = [...page.text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/gu)].map(
          ([, path]) => path ?? "",
        );
        const assets = await Promise.all(linked.map(async (path) => await visitor.get(new URL(path, page.url).href)));
        const types = assets.map(({ status, headers }) => `${status} ${headers.get("content-type")}`);
        expect(types.toSorted()).toEqual([
          "200 image/svg+xml",
          "200 text/css; charset=utf-8",
          "200 text/javascript; charset=utf-8",
        ]);

        const owner = ["--email", "ada@example.com", "--role", "owner"];
        expect(await finish(command("operator", "invite", ...owner, "--link"))).toMatchObject({ code: 0 });
        const team = new Visitor();
        const signIn = await follow(await team.get(`${origin}/console/overview`), team);
        expect([signIn.status, signIn.text]).toEqual([200, expect.stringContaining("passkey")]);

        const seen = await finish(command("top", "--once", "--json"));
        expect(JSON.parse(seen.stdout)).toMatchObject({ database: { up: true } });
        expect(await finish(command("logs"))).toMatchObject({
          code: 0,
          stdout: expect.stringContaining("application.create") as string,
        });
      } finally {
        for (const child of children) child.kill("SIGTERM");
      }
      expect(await Promise.all(ended)).toMatchObject([{ code: 0 }, { code: 0 }]);
    },
  );

  test.skipIf(reason !== undefined)("gets from npm start a Node that runs without libatomic", async () => {
    const place = bareRoot();
    const project = join(import.meta.dirname, "../..");
    // The executable's Node needs no more than the executable.
    put(place, join(project, "build/node", `${process.platform}-${process.arch}`), "/usr/bin/node");
    const node = `node_modules/node-${process.platform}-${process.arch}/bin/node`;
    const needed = ["bootstrap.mjs", "build/elf.mjs", "build/without-libatomic.mjs"].map((name) => `scripts/${name}`);
    for (const file of [...needed, "package-lock.json", "node_modules/.package-lock.json", node])
      put(place, join(project, file), `/authsvc/${file}`);
    const link = join(place, "authsvc/node_modules/.bin/node");
    mkdirSync(dirname(link));
    symlinkSync(`../../${node}`, link);
    const installed = readFileSync(join(project, node));
    const runsIn = async (...command: string[]) => await finish(startIn(place, command, { user: "0:0" }));
    const own = "/authsvc/node_modules/.bin/node";
    expect((await runsIn(own, "--version")).stderr).toContain("libatomic.so.1: cannot open shared object file");

    const said = await runsIn("/usr/bin/node", "/authsvc/scripts/bootstrap.mjs");
    expect(said).toMatchObject({ code: 0, stdout: "", stderr: "" });
    // It compares and exchanges as soon as there are two threads.
    const work = `new (require("node:worker_threads").Worker)("console.log(process.version)", { eval: true })`;
    expect(await runsIn(own, "--eval", work)).toMatchObject({ code: 0, stdout: `${process.version}\n`, stderr: "" });
    // Nobody else who has a link to the same file notices.
    expect(readFileSync(join(project, node)).equals(installed)).toBe(true);
  });
});

describe.skipIf(process.platform !== "linux")("a build is refused", () => {
  const executable = readFileSync(program[0]);

  test("if it needs another library", () => {
    expect(() => expectOrdinaryLibraries("authsvc", executable)).not.toThrow();
    const changed = Buffer.from(executable);
    changed.write("libx", changed.indexOf("\0libm.so.6\0") + 1, "latin1");
    expect(() => expectOrdinaryLibraries("authsvc", changed)).toThrow(/^authsvc needs libx\.so\.6, which/u);
  });

  test.each(["GLIBC_2.28", "GLIBCXX_3.4.21"])("if it needs a newer version than RHEL 9 has, as with %s", (version) => {
    const changed = Buffer.from(executable);
    const at = changed.indexOf(`\0${version}\0`) + 1;
    const newer = version.replace(/\d\d$/u, "35");
    changed.write(newer, at, "latin1");
    expect(() => expectOrdinaryLibraries("authsvc", changed)).toThrow(`authsvc needs ${newer} of `);
  });
});
