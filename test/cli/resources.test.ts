import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { beforeAll, expect, it } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

const api = "https://api.example.com";
const secret = "chosen-secret-0123456789-0123456789-abc";

describeEachPlace("resources and machines", (place) => {
  const run = async (args: string[], input = "") => await authsvc(args, { ...place, input });
  const json = async (args: string[], input = "") =>
    (await answer(args, { ...place, input })) as Record<string, unknown>;
  const create = ["resource", "create", "--app", "app_shop", "--identifier", api];

  beforeAll(async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
  });

  it("create, list, show, update and delete go through the life of a resource", async () => {
    const flags = ["--name", "Shop API", "--scope", "read=Read your orders", "write=Change them"];
    expect(await json([...create, ...flags, "--dry-run"])).toMatchObject({ identifier: api, dryRun: true });
    expect(await json(["resource", "list"])).toEqual([]);
    const created = await json([...create, ...flags, "--access-token-seconds", "300", "--client-documents", "on"]);
    expect(created).toMatchObject({
      identifier: api,
      appId: "app_shop",
      name: "Shop API",
      scopes: [
        { name: "read", sentence: "Read your orders" },
        { name: "write", sentence: "Change them" },
      ],
      accessTokenSeconds: 300,
      clientDocuments: true,
    });
    expect(await json(["resource", "list", "--app", "app_shop"])).toEqual([created]);
    expect(await json(["resource", "show", api])).toEqual(created);
    expect((await run(["resource", "show", api])).stdout).toContain("write: Change them");
    expect(await run([...create])).toMatchObject({ code: 4 });
    expect(await run([...create.slice(0, -1), `${api}/`])).toMatchObject({ code: 4 });
    expect(await json(["resource", "update", api, "--name", "API", "--scope", "", "--dry-run"])).toMatchObject({
      name: "API",
      scopes: [],
    });
    expect(await json(["resource", "update", api, "--client-documents", "off"])).toMatchObject({
      name: "Shop API",
      clientDocuments: false,
    });
    expect(await run(["resource", "delete", api])).toMatchObject({ code: 2 });
    expect(await json(["resource", "delete", api, "--dry-run"])).toMatchObject({ deleted: false });
    expect(await json(["resource", "delete", api, "--yes"])).toMatchObject({ deleted: true });
    expect(await run(["resource", "show", api])).toMatchObject({ code: 3 });
    const actions = (await json(["audit", "list", "--app", "app_shop"])) as unknown as { action: string }[];
    expect(actions.map(({ action }) => action).filter((action) => action.startsWith("resource."))).toEqual([
      "resource.create",
      "resource.update",
      "resource.delete",
    ]);
  });

  it.each([
    ["--identifier", "http://api.example.com", "--identifier must be https"],
    ["--identifier", "https://api.example.com/#x", "--identifier may have no fragment"],
    ["--identifier", "com.example.app:/x", "--identifier must be https"],
    ["--identifier", "http://localhost:8080/api", "--identifier must not be at the address of this service"],
    ["--identifier", `https://${"a".repeat(600)}.example`, "--identifier must be at most 512 characters"],
    ["--scope", "openid=Be somebody", "--scope 1 must not be one of openid"],
    ["--scope", "phone=Read your number", "--scope 1 must not be one of openid"],
    ["--scope", "two words=X", "--scope 1 must be 1 to 64 letters"],
    ["--scope", "read", "NAME=SENTENCE"],
    ["--access-token-seconds", "59", "--access-token-seconds"],
    ["--access-token-seconds", "3601", "--access-token-seconds"],
  ])("refuses %s %s", async (flag, value, said) => {
    const { code, stderr } = await run([...create, flag, value]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it("a machine gets tokens by command, with its secret, and is refused what a machine has not", async () => {
    await json([...create, "--scope", "read=Read", "write=Write"]);
    const machine = ["client", "create", "--app", "app_shop", "--name", "Nightly", "--kind", "machine"];
    for (const [flag, value] of [
      ["--redirect-uri", "https://x.example/cb"],
      ["--scope", "openid"],
      ["--consent", "ask"],
      ["--resource", "https://nobody.example"],
    ] as const)
      expect(await run([...machine, "--id", "bad", flag, value])).toMatchObject({ code: 2 });
    expect(await run([...machine, "--id", "usr_1"])).toMatchObject({ code: 2 });
    const made = await json(
      [...machine, "--id", "nightly", "--resource", api, "--scope", "read", "--secret-stdin"],
      secret,
    );
    expect(made).toMatchObject({
      client: { kind: "machine", resources: [api], resourceScopes: ["read"], scopes: [] },
      clientSecret: secret,
    });
    expect((await run(["client", "show", "nightly"])).stdout).toContain(api);
    const token = ["token", "machine", "--client", "nightly", "--secret-stdin", "--resource", api];
    expect(await json([...token, "--dry-run"], secret)).toMatchObject({ accessToken: null, scopes: ["read"] });
    const { stdout } = await run(token, secret);
    expect(decodeJwt(stdout.trim())).toMatchObject({ sub: "nightly", aud: [api], scope: "read" });
    expect(await json(["token", "verify"], stdout.trim())).toMatchObject({ valid: true, claims: { sub: "nightly" } });
    expect(await run(token, "wrong-secret-0123456789-0123456789-abc")).toMatchObject({ code: 1 });
    expect(await run([...token, "--scope", "write"], secret)).toMatchObject({ code: 2 });
    const entries = (await json(["audit", "list", "--app", "app_shop"])) as unknown as { action: string }[];
    expect(entries.filter(({ action }) => action === "machine.token")).toHaveLength(1);
    expect(await json(["client", "update", "nightly", "--scope", ""])).toMatchObject({ resourceScopes: [] });
    expect(await run(["resource", "delete", api, "--yes"])).toMatchObject({ code: 4 });
  });

  it("a client exchanges tokens to resources that it lists; doctor names a target that no scope is left for", async () => {
    const target = "https://target.example.com";
    await json(["resource", "create", "--app", "app_shop", "--identifier", target, "--scope", "read=Read"]);
    const agent = ["client", "create", "--app", "app_shop", "--name", "Agent", "--id", "agent"];
    for (const flag of ["--exchange-to", "--audience-of"]) {
      const refused = async (...more: string[]) => await run([...agent, flag, ...more]);
      expect(await refused("https://nobody.example")).toMatchObject({ code: 2 });
      for (const more of [
        ["--consent", "ask"],
        ["--kind", "spa"],
      ])
        expect(await refused(target, ...more)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(flag) as string,
        });
    }
    const made = await json([...agent, "--kind", "machine", "--exchange-to", target]);
    expect(made).toMatchObject({ client: { exchangeTo: [target], audienceOf: [], resources: [] } });
    const said = `agent can exchange no token for ${target}`;
    expect((await run(["doctor"])).stdout).toContain(said);
    expect(await json(["client", "update", "agent", "--audience-of", api])).toMatchObject({ audienceOf: [api] });
    expect((await run(["doctor"])).stdout).not.toContain("agent can");
    const { stdout } = await run(["client", "show", "agent"]);
    for (const shown of ["Exchanges to", target, "Is the API of", api]) expect(stdout).toContain(shown);
    expect((await run(["resource", "delete", target, "--yes"])).stderr).toContain("exchangeTo");
    const exported = (await run(["export"])).stdout;
    const file = join(place.cwd, "exchange.yaml");
    writeFileSync(file, exported);
    expect((await run(["plan", file, "--detailed-exitcode"])).code).toBe(0);
    writeFileSync(file, exported.replace("exchangeTo:\n          - " + target, "exchangeTo: []"));
    expect((await run(["plan", file])).stdout).toContain("exchangeTo");
    expect((await run(["apply", file, "--yes"])).code).toBe(0);
    expect(await json(["client", "show", "agent"])).toMatchObject({ exchangeTo: [], audienceOf: [api] });
    await json(["client", "delete", "agent", "--yes"]);
    await json(["resource", "delete", target, "--yes"]);
  });

  it("doctor names a machine without a resource, and scopes that no resource of a client has", async () => {
    const machine = ["client", "create", "--app", "app_shop", "--name", "Idle", "--kind", "machine"];
    await json([...machine, "--id", "idle"]);
    await json(["client", "update", "nightly", "--scope", "read", "mistyped", "--dpop", "off", "--dpop-nonce", "on"]);
    const { stdout } = await run(["doctor"]);
    expect(stdout).toContain("idle can get no token: it has no resource.");
    expect(stdout).toContain("nightly may request mistyped, which no resource of it has.");
    expect(stdout).toContain("nightly demands nonces in DPoP proofs, but its proofs are ignored.");
    expect(stdout).not.toContain("Nobody can sign in to nightly");
    await json(["client", "delete", "idle", "--yes"]);
    await json(["client", "update", "nightly", "--scope", "read", "--dpop", "required", "--dpop-nonce", "off"]);
  });

  it("C7: client update --scope changes scopes of people or of resources, and never gives more by leaving out", async () => {
    const web = ["client", "create", "--app", "app_shop", "--id", "web", "--name", "Web", "--resource", api];
    await json([...web, "--redirect-uri", "https://web.example/cb", "--scope", "openid", "email", "read"]);
    const update = async (...names: string[]) => {
      const { scopes, resourceScopes } = await json(["client", "update", "web", "--scope", ...names]);
      return [scopes, resourceScopes];
    };
    expect(await update("openid")).toEqual([["openid"], ["read"]]);
    expect(await update("write")).toEqual([["openid"], ["write"]]);
    expect(await update("")).toEqual([["openid"], []]);
    expect(await update("openid email", "read")).toEqual([["openid", "email"], ["read"]]);
    expect(await update("openid", "")).toEqual([["openid"], []]);
    // What we advise.
    const { stderr } = await run(["client", "show", "web", "--for", "jupyterhub"]);
    const [, advised = ""] = /client update web --scope (.+)/u.exec(stderr) ?? [];
    expect(advised).toContain("profile");
    expect((await update(...advised.split(" ")))[1]).toEqual([]);
  });

  it("an export says that a client has no resource, so that apply takes it away elsewhere", async () => {
    await json(["client", "create", "--app", "app_shop", "--id", "job", "--name", "Job", "--kind", "machine"]);
    const { stdout } = await run(["export"]);
    await json(["client", "update", "job", "--resource", api, "--scope", "read"]);
    expect(await run(["apply", "-", "--yes"], stdout)).toMatchObject({ code: 0 });
    expect(await json(["client", "show", "job"])).toMatchObject({ resources: [], resourceScopes: null });
  });

  it("T2: no user has the id of a machine, which is the sub of its tokens", async () => {
    const machine = (id: string) => [
      "client",
      "create",
      "--app",
      "app_shop",
      "--id",
      id,
      "--name",
      "R",
      "--kind",
      "machine",
    ];
    const users = (...ids: string[]) =>
      ids.map((id) => `${JSON.stringify({ id, email: `${id}@example.org` })}\n`).join("");
    const imported = async (...ids: string[]) => await run(["user", "import", "--app", "app_shop"], users(...ids));
    await json(machine("reporter"));
    await json(machine("former"));
    await json(["client", "delete", "former", "--yes"]);
    const refused = await imported("reporter", "former", "deploy");
    expect([refused.code, refused.stderr.match(/id: belongs or belonged to a client/gu)?.length]).toEqual([4, 2]);
    expect(await run(["user", "show", "reporter"])).toMatchObject({ code: 3 });
    for (const more of [[], ["--dry-run"]])
      expect(await run([...machine("deploy"), ...more])).toMatchObject({ code: 4 });
  });

  it("are in plan, apply and export; --prune deletes what the file does not name", async () => {
    const { stdout: exported } = await run(["export"]);
    const file = join(place.cwd, "state.yaml");
    writeFileSync(file, exported);
    expect(exported).toContain(`identifier: ${api}`);
    expect(exported).toContain("dpop: required");
    expect((await run(["plan", file, "--detailed-exitcode"])).code).toBe(0);
    const other = exported
      .replaceAll(api, "https://other.example.com")
      .replace("accessTokenSeconds: 900", "accessTokenSeconds: 600")
      .replace("dpop: required", "dpop: null");
    writeFileSync(file, other);
    const planned = (await run(["plan", file, "--prune"])).stdout;
    expect(planned).toContain("+ resource https://other.example.com of app_shop");
    expect(planned).toContain(`- resource ${api} of app_shop`);
    expect((await run(["apply", file, "--prune", "--yes"])).code).toBe(0);
    expect(await json(["resource", "list"])).toMatchObject([
      { identifier: "https://other.example.com", accessTokenSeconds: 600 },
    ]);
    expect(await json(["client", "show", "nightly"])).toMatchObject({
      resources: ["https://other.example.com"],
      dpop: null,
    });
    expect((await run(["plan", file, "--detailed-exitcode"])).code).toBe(0);
  });

  it("G6: an application has at most 100 resources: one more is refused, and nothing is created", async () => {
    const resources = Array.from({ length: 101 }, (_, n) => ({ identifier: `https://api-${n}.example.com` }));
    const file = join(place.cwd, "many.yaml");
    writeFileSync(file, JSON.stringify({ version: 1, applications: [{ id: "app_many", name: "Many", resources }] }));
    expect(await run(["apply", file, "--yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("an application can have at most 100 resources") as string,
    });
    expect(await run(["app", "show", "app_many"])).toMatchObject({ code: 3 });
  });
});
