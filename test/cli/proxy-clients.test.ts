import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { freePort } from "../support/free-port.ts";
import { answer, authsvc } from "./in-process.ts";

type Finding = { check: string; status: string; message: string };

describeEachPlace("client of kind proxy", (place, dialect) => {
  const run = async (...args: string[]) => await authsvc(args, place);
  const json = async (...args: string[]) => await answer(args, place);
  const create = (id: string, ...args: string[]) => [
    "client",
    "create",
    "--app",
    "app_shop",
    "--name",
    "Wiki",
    "--kind",
    "proxy",
    "--id",
    id,
    ...args,
  ];

  beforeAll(async () => {
    await json("app", "create", "--name", "Shop", "--id", "app_shop");
    await json("group", "create", "--app", "app_shop", "staff");
  });

  it("is created with its defaults: nobody gets in, and the line for the listener is printed", async () => {
    const { code, stdout, stderr } = await run(...create("wiki", "--host", "Wiki.Example.com:443", "wiki.example.com"));
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Hosts +wiki\.example\.com\n/u)]);
    expect(stdout).toMatch(/Allowed groups +none: nobody gets in/u);
    expect(stdout).not.toMatch(/Redirect URIs|Client secret/u);
    expect(stderr).toContain("Nobody can use wiki: it has no allowed groups.");
    expect(stderr).toContain("forwardAuth: { listen: 127.0.0.1:9091 }");
    expect(await json("client", "show", "wiki")).toMatchObject({
      kind: "proxy",
      hosts: ["wiki.example.com"],
      access: "groups",
      allowedGroups: null,
      publicPaths: [],
      sessionSeconds: { idle: 12 * 3600, absolute: 7 * 24 * 3600 },
      headers: [
        { name: "Remote-User", from: "id" },
        { name: "Remote-Email", from: "email" },
        { name: "Remote-Name", from: "name" },
        { name: "Remote-Groups", from: "groups" },
      ],
      basicChallenge: false,
      passTokens: false,
    });
  });

  it("says who gets in while sign-up is open, and that ports share their cookies", async () => {
    const { stderr } = await run(...create("open", "--host", "home.example.com:8443", "--access", "everyone"));
    expect(stderr).toContain("Anybody can create an account of app_shop and then use home.example.com:8443");
    expect(stderr).toContain("shares its cookies with every other port of its host");
    const { stdout } = await run("doctor", "--json");
    const said = JSON.parse(stdout) as Finding[];
    const ofClients = said
      .filter(({ check }) => check === "clients")
      .map(({ status, message }) => `${status}: ${message}`);
    expect(ofClients).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^problem: Anybody can create an account/u),
        expect.stringMatching(/^warning: Nobody can use wiki/u),
        expect.stringMatching(/^warning: home\.example\.com:8443 of open shares its cookies/u),
        expect.stringMatching(/^problem: No reverse proxy can ask/u),
      ]),
    );
  });

  it("is updated by every flag", async () => {
    const flags =
      "--host a.example.com b.example.com:8443 --allowed-groups staff --public-path /public/ /x --session-idle 1h --session-absolute 2d --basic-challenge on --pass-tokens on --second-factor required --header X-User=email X-Authsvc-Assertion=assertion";
    expect(await json("client", "update", "wiki", ...flags.split(" "))).toMatchObject({
      hosts: ["a.example.com", "b.example.com:8443"],
      allowedGroups: ["staff"],
      publicPaths: ["/public", "/x"],
      sessionSeconds: { idle: 3600, absolute: 172_800 },
      basicChallenge: true,
      passTokens: true,
      secondFactor: "required",
      headers: [
        { name: "X-User", from: "email" },
        { name: "X-Authsvc-Assertion", from: "assertion" },
      ],
    });
    expect(await json("client", "update", "wiki", "--session-idle", "2h")).toMatchObject({
      sessionSeconds: { idle: 7200, absolute: 172_800 },
    });
  });

  it.each([
    ["--host *.example.com", "--host 1"],
    ["--host https://x.example.com", "--host 1"],
    ["--host x.example.com/", "--host 1"],
    ["--host x.example.com.", "--host 1"],
    ["--host localhost:8443", "--host 1"],
    ["--host home.example.com:8443", "--host"],
    ["--host x.example.com --public-path /", "--public-path 1"],
    ["--host x.example.com --public-path public", "--public-path 1"],
    ["--host x.example.com --public-path /a/../b", "--public-path 1"],
    ["--host x.example.com --public-path /a%20b", "--public-path 1"],
    ["--host x.example.com --access everyone --allowed-groups staff", "--access"],
    ["--host x.example.com --allowed-groups nobody", "--allowed-groups 1"],
    ["--host x.example.com --header Remote-User", "--header"],
    ["--host x.example.com --header Remote-User=groups", "--header 1"],
    ["--host x.example.com --header Remote_User=id", "--header 1"],
    ["--host x.example.com --header Connection=id", "--header 1"],
    ["--host x.example.com --header X-A=id x-a=email", "--header 2"],
    ["--host x.example.com --session-idle 1m", "--session-idle"],
    ["--host x.example.com --redirect-uri https://x.example.com/", "--redirect-uri"],
    ["--host x.example.com --consent ask", "--consent"],
    ["", "--host"],
  ])("refuses %s, naming the flag", async (flags, named) => {
    const { code, stderr } = await run(...create("bad", ...flags.split(" ").filter((word) => word !== "")));
    expect([code, stderr]).toEqual([2, expect.stringContaining(named)]);
    expect((await run("client", "show", "bad")).code).toBe(3);
  });

  it("is the same after an export and an apply, and other kinds have none of it", async () => {
    const file = join(place.cwd, `state-${dialect}.yaml`);
    const { stdout } = await run("export");
    expect(stdout).toMatch(/idle: 2h/u);
    writeFileSync(file, stdout);
    expect(await run("plan", file)).toMatchObject({ code: 0, stdout: "" });
    writeFileSync(file, stdout.replace("idle: 2h", "idle: 3h").replace("/public", "/open"));
    expect((await run("apply", file, "--yes")).code).toBe(0);
    expect(await json("client", "show", "wiki")).toMatchObject({
      publicPaths: ["/open", "/x"],
      sessionSeconds: { idle: 10_800, absolute: 172_800 },
    });
    for (const host of ["board.example.com", "boards.example.com"]) {
      const client = `{ id: board, name: Board, kind: proxy, hosts: [${host}], allowedGroups: [staff] }`;
      writeFileSync(file, `version: 1\napplications:\n  - { id: app_shop, name: Shop, clients: [${client}] }\n`);
      expect(await run("plan", file)).toMatchObject({ code: 0, stdout: expect.stringContaining(host) as string });
      expect((await run("apply", file, "--yes")).code).toBe(0);
      expect(await json("client", "show", "board")).toMatchObject({ hosts: [host] });
      expect(await run("plan", file)).toMatchObject({ code: 0, stdout: "" });
    }
    expect(
      await run("client", "create", "--app", "app_shop", "--name", "Web", "--host", "web.example.com"),
    ).toMatchObject({ code: 2, stderr: expect.stringContaining("only with kind proxy") as string });
  });

  it("is checked at another address, fails where nobody answers, and a client of another kind has no hosts", async () => {
    const check = async (...args: string[]) => await run("client", "check", ...args);
    await json(...create("files", "--host", "files.example.com"));
    const nobody = await check("files", "--connect", `127.0.0.1:${await freePort()}`, "--json");
    expect(nobody.code).toBe(1);
    expect(JSON.parse(nobody.stdout)).toMatchObject({
      id: "files",
      ok: false,
      hosts: [{ host: "files.example.com", findings: [{ ok: false, check: "/" }] }],
    });
    await json("client", "create", "--app", "app_shop", "--name", "Web", "--id", "web");
    for (const args of [["web"], ["files", "--connect", "127.0.0.1"]]) expect((await check(...args)).code).toBe(2);
  });
});
