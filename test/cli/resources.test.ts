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
    expect(await json(["client", "update", "nightly", "--scope", ""])).toMatchObject({ resourceScopes: null });
    expect(await run(["resource", "delete", api, "--yes"])).toMatchObject({ code: 4 });
  });

  it("doctor names a machine without a resource, and scopes that no resource of a client has", async () => {
    const machine = ["client", "create", "--app", "app_shop", "--name", "Idle", "--kind", "machine"];
    await json([...machine, "--id", "idle"]);
    await json(["client", "update", "nightly", "--scope", "read", "mistyped"]);
    const { stdout } = await run(["doctor"]);
    expect(stdout).toContain("idle can get no token: it has no resource.");
    expect(stdout).toContain("nightly may request mistyped, which no resource of it has.");
    expect(stdout).not.toContain("Nobody can sign in to nightly");
    await json(["client", "delete", "idle", "--yes"]);
    await json(["client", "update", "nightly", "--scope", "read"]);
  });

  it("are in plan, apply and export; --prune deletes what the file does not name", async () => {
    const { stdout: exported } = await run(["export"]);
    const file = join(place.cwd, "state.yaml");
    writeFileSync(file, exported);
    expect(exported).toContain(`identifier: ${api}`);
    expect((await run(["plan", file, "--detailed-exitcode"])).code).toBe(0);
    const other = exported
      .replaceAll(api, "https://other.example.com")
      .replace("accessTokenSeconds: 900", "accessTokenSeconds: 600");
    writeFileSync(file, other);
    const planned = (await run(["plan", file, "--prune"])).stdout;
    expect(planned).toContain("+ resource https://other.example.com of app_shop");
    expect(planned).toContain(`- resource ${api} of app_shop`);
    expect((await run(["apply", file, "--prune", "--yes"])).code).toBe(0);
    expect(await json(["resource", "list"])).toMatchObject([
      { identifier: "https://other.example.com", accessTokenSeconds: 600 },
    ]);
    expect(await json(["client", "show", "nightly"])).toMatchObject({ resources: ["https://other.example.com"] });
    expect((await run(["plan", file, "--detailed-exitcode"])).code).toBe(0);
  });
});
