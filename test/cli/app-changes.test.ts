import { beforeAll, describe, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

describeEachPlace("app update and delete", (place) => {
  const json = async (args: string[]): Promise<Record<string, unknown>> =>
    (await answer(["app", ...args], place)) as Record<string, unknown>;
  const run = async (args: string[]) => await authsvc(["app", ...args], place);

  beforeAll(async () => {
    await json(["create", "--name", "Shop", "--id", "app_shop", "--redirect-uri", "https://a.example/cb"]);
  });

  test("sets everything that an application has, and app show shows it", async () => {
    const flags = [
      ["--name", "My shop"],
      ["--domain", "shop.example"],
      ["--redirect-uri", "https://shop.example/cb"],
      ["--redirect-uri", "http://localhost:3000/cb"],
      ["--methods", "passkey,oauth"],
      ["--passkey-required", "on"],
      ["--providers", "google,github"],
      ["--logo", "https://shop.example/logo.png"],
      ["--primary-color", "#1d4ed8"],
      ["--company-name", "Shop Ltd"],
      ["--sign-up", "closed"],
      ["--password-min-length", "12"],
      ["--scopes", "profile"],
      ["--signing-algorithm", "EdDSA"],
      ["--query-endpoints", "off"],
      ["--limit", "authentication=1000"],
      ["--limit", "user-management=7"],
    ];
    const changed = await json(["update", "app_shop", ...flags.flat()]);
    expect(changed).toMatchObject({
      id: "app_shop",
      name: "My shop",
      domain: "shop.example",
      redirectUris: ["https://shop.example/cb", "http://localhost:3000/cb"],
      authMethods: {
        passkey: { enabled: true, required: true },
        oauth: { enabled: true, providers: ["google", "github"] },
        password: { enabled: false },
      },
      branding: { logo: "https://shop.example/logo.png", primaryColor: "#1d4ed8", companyName: "Shop Ltd" },
      settings: {
        signUp: "closed",
        passwordMinLength: 12,
        scopes: ["profile"],
        signingAlgorithm: "EdDSA",
        queryEndpoints: false,
        rateLimits: { authentication: 1000, userManagement: 7 },
      },
    });
    expect(await json(["show", "app_shop"])).toEqual(changed);
    expect(await json(["list"])).toEqual([changed]);
    const { stdout } = await run(["show", "app_shop"]);
    expect(stdout).toMatch(/^Limits +authentication 1000 a minute, userManagement 7 a minute$/mu);
    expect(stdout).toMatch(/^Sign-up +closed$/mu);
  });

  test("changes what is named and nothing else; an empty value removes what was set", async () => {
    const before = await json(["show", "app_shop"]);
    expect(await json(["update", "app_shop", "--name", "Shop 2"])).toEqual({ ...before, name: "Shop 2" });
    const cleared = ["--domain", "", "--logo", "", "--redirect-uri", "", "--limit", "authentication=default"];
    expect(await json(["update", "app_shop", ...cleared])).toMatchObject({
      domain: null,
      redirectUris: [],
      branding: { logo: null, primaryColor: "#1d4ed8", companyName: "Shop Ltd" },
      settings: { rateLimits: { userManagement: 7 }, signUp: "closed" },
    });
  });

  test("says of a provider without an account that nobody can sign in with it yet", async () => {
    await json(["create", "--name", "Bare", "--id", "app_bare"]);
    const note =
      "Nobody can sign in with google yet. Set the account with it: authsvc app provider set app_bare google\n";
    for (const flags of [["--dry-run"], []]) {
      const { code, stderr } = await run(["update", "app_bare", "--providers", "Google", ...flags]);
      expect([code, stderr.includes(note)]).toEqual([0, true]);
    }
    const account = ["app", "provider", "set", "app_bare", "google", "--client-id", "x", "--client-secret-stdin"];
    expect((await authsvc(account, { ...place, input: "secret" })).code).toBe(0);
    expect((await run(["update", "app_bare", "--providers", "google"])).stderr).toBe("");
  });

  test.each([
    ["--name", "Acme\u202Eknab"],
    ["--company-name", "\u2067Acme"],
  ])("%s takes nothing that turns the direction of the text around it", async (flag, value) => {
    const { code, stdout, stderr } = await run(["update", "app_shop", flag, value]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`${flag}: `);
  });

  test("--dry-run checks like the change itself, and changes nothing", async () => {
    const before = await json(["show", "app_shop"]);
    expect(await json(["update", "app_shop", "--name", "X", "--sign-up", "open", "--dry-run"])).toMatchObject({
      name: "X",
      settings: { signUp: "open" },
      dryRun: true,
    });
    expect((await run(["update", "app_shop", "--redirect-uri", "http://b.example", "--dry-run"])).code).toBe(2);
    expect((await run(["update", "app_none", "--name", "X", "--dry-run"])).code).toBe(3);
    expect(await json(["show", "app_shop"])).toEqual(before);
  });

  test.each([
    [[], /^authsvc: There is nothing to change: name at least one flag/u],
    [["--redirect-uri", "https://a.example/cb", "http://b.example/cb"], /^authsvc: --redirect-uri 2: https/u],
    [["--logo", "http://a.example/x.png"], /^authsvc: --logo: /u],
    [["--primary-color", "red"], /^authsvc: --primary-color: /u],
    [["--password-min-length", "7"], /^authsvc: --password-min-length: /u],
    [["--sign-up", "close"], /--sign-up .*Allowed choices are open, closed/u],
    [["--limit", "authentication"], /TYPE=NUMBER/u],
    [["--limit", "authenticaton=5"], /did you mean authentication\?$/mu],
    [["--limit", "authentication=0"], /^authsvc: --limit: /u],
    [["--methods", "passkey", "--passkey-required", "of"], /Allowed choices are on, off/u],
    [["--methods", "password", "--passkey-required", "on"], /^authsvc: --passkey-required: /u],
    [["--providers", "google,nowhere"], /^authsvc: --providers 2: /u],
    [["--pasword-min-length", "20"], /did you mean --password-min-length\?$/mu],
  ])("update %j is refused with 2, in one line that names the flag", async (args, line) => {
    const refused = await run(["update", "app_shop", ...args]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(line);
    expect(refused.stderr).toMatch(/^[^\n]*\n$/u);
  });

  test("delete demands --yes without a terminal, says how many users go, and removes everything", async () => {
    await json(["create", "--name", "Gone", "--id", "app_gone"]);
    for (const name of ["a", "b"])
      await answer(["user", "create", "--app", "app_gone", "--email", `${name}@example.com`], place);
    const refused = await run(["delete", "app_gone"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("--yes");
    expect((await run(["delete", "app_gone", "--dry-run"])).stdout).toBe(
      "app_gone and its 2 users would be deleted.\n",
    );
    expect(await json(["delete", "app_gone", "--yes"])).toEqual({ id: "app_gone", users: 2, deleted: true });
    expect((await run(["show", "app_gone"])).code).toBe(3);
    expect((await run(["delete", "app_gone", "--yes"])).code).toBe(3);
    expect((await authsvc(["user", "list", "--app", "app_gone"], place)).code).toBe(3);
    const audited = await answer(["audit", "list", "--app", "app_gone"], place);
    expect(audited).toContainEqual(expect.objectContaining({ action: "application.delete", result: "success" }));
  });
});

describe("key list, rotate and revoke", () => {
  const cwd = emptyFolder();
  const json = async (args: string[]): Promise<unknown> => await answer(args, { cwd });
  type Key = { id: string; apiKey: string; state: string; expiresAt: string | null };
  const list = async (): Promise<Key[]> => (await json(["key", "list", "--app", "app_shop"])) as Key[];

  beforeAll(async () => {
    await json(["app", "create", "--name", "Shop", "--id", "app_shop"]);
    await json(["app", "create", "--name", "Other", "--id", "app_other"]);
  });

  test("rotate makes a new key, and lets those before it end after the overlap", async () => {
    const [first] = await list();
    const planned = await json(["key", "rotate", "--app", "app_shop", "--dry-run"]);
    expect(planned).toMatchObject({ appId: "app_shop", ending: [{ id: first?.id }], dryRun: true });
    expect(await list()).toHaveLength(1);
    const rotated = (await json(["key", "rotate", "--app", "app_shop", "--overlap", "30m"])) as Key;
    expect(rotated).toMatchObject({ apiKey: expect.stringMatching(/^ak_/u) as string, ending: [{ id: first?.id }] });
    const [older, newer] = await list();
    expect(older?.id).toBe(first?.id);
    const left = Date.parse(older?.expiresAt ?? "") - Date.now();
    expect(left).toBeGreaterThan(20 * 60_000);
    expect(left).toBeLessThanOrEqual(30 * 60_000);
    expect(newer).toMatchObject({ id: rotated.id, state: "live", expiresAt: null });
    expect(JSON.stringify(await list())).not.toContain(rotated.apiKey);
    const { stdout, stderr } = await authsvc(["key", "rotate", "--app", "app_shop", "--overlap", "0s"], { cwd });
    expect(stdout).toMatch(/^Key ID .*\nApp ID .*\nAPI key {2}ak_\w{50}\n$/u);
    expect(stderr).toContain(`${rotated.id} ends at `);
    expect((await list()).map(({ state }) => state)).toEqual(["expired", "expired", "live"]);
  });

  test("list shows the keys of one application or of all", async () => {
    const all = (await json(["key", "list"])) as { appId: string }[];
    expect(new Set(all.map(({ appId }) => appId))).toEqual(new Set(["app_shop", "app_other"]));
    expect((await authsvc(["key", "list", "--app", "app_none"], { cwd })).code).toBe(3);
    expect((await authsvc(["key", "list"], { cwd })).stdout).toMatch(/^KEY ID +APP ID +STATE +CREATED +ENDS\n/u);
  });

  test("revoke ends a key for good, again without complaint", async () => {
    const live = (await list()).find(({ state }) => state === "live");
    const revoked = await json(["key", "revoke", live?.id ?? ""]);
    expect(revoked).toMatchObject({ id: live?.id, appId: "app_shop", state: "revoked" });
    expect(await json(["key", "revoke", live?.id ?? ""])).toEqual(revoked);
    expect(await authsvc(["key", "revoke", "key_none"], { cwd })).toMatchObject({ code: 3, stdout: "" });
    expect(await authsvc(["key", "revoke"], { cwd })).toMatchObject({ code: 2, stderr: "authsvc: KEYID is missing\n" });
  });

  test.each([
    [["--overlap", "1w"], /A duration is/u],
    [["--overlap", "91d"], /^authsvc: --overlap: /u],
    [[], /^authsvc: --app is missing$/mu],
  ])("rotate %j is refused with 2", async (args, line) => {
    const app = args.length === 0 ? [] : ["--app", "app_shop"];
    const refused = await authsvc(["key", "rotate", ...app, ...args], { cwd });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(line);
  });
});
