import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { startServer } from "../../src/process/server.ts";
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
      ["--email-code", "on"],
      ["--password-min-length", "12"],
      ["--scopes", "profile"],
      ["--signing-algorithm", "EdDSA"],
      ["--single-sign-on", "90m"],
      ["--refresh-grace", "2m"],
      ["--session-idle", "12h"],
      ["--session-absolute", "7d"],
      ["--max-logins", "3"],
      ["--second-factor", "required"],
      ["--trust-browsers", "30d"],
      ["--query-endpoints", "off"],
      ["--public-clients", "on"],
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
        emailCode: true,
        passwordMinLength: 12,
        scopes: ["profile"],
        signingAlgorithm: "EdDSA",
        singleSignOnSeconds: 5400,
        refreshGraceSeconds: 120,
        sessionIdleSeconds: 43_200,
        sessionAbsoluteSeconds: 604_800,
        maxLogins: 3,
        secondFactor: "required",
        trustBrowsersDays: 30,
        queryEndpoints: false,
        publicClients: true,
        rateLimits: { authentication: 1000, userManagement: 7 },
      },
    });
    expect(await json(["show", "app_shop"])).toEqual(changed);
    expect(await json(["list"])).toEqual([changed]);
    const { stdout } = await run(["show", "app_shop"]);
    expect(stdout).toMatch(/^Limits +authentication 1000 per minute, userManagement 7 per minute$/mu);
    expect(stdout).toMatch(/^Sign-up +closed$/mu);
    expect(stdout).toMatch(/^Codes by mail +on$/mu);
    expect(stdout).toMatch(/^Single sign-on +90m$/mu);
    expect(stdout).toMatch(/^Refresh grace +2m$/mu);
    expect(stdout).toMatch(/^Second factor +required$/mu);
    expect(stdout).toMatch(/^Trusted browsers +30d$/mu);
    expect(stdout).toMatch(/^Public clients +on$/mu);
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

  test("takes a second factor and trusted browsers at creation, turns both off, and names the flag of a bad value", async () => {
    const flags = ["--second-factor", "optional", "--trust-browsers", "90d"];
    await json(["create", "--name", "Safe", "--id", "app_safe", ...flags]);
    const { settings } = await json(["show", "app_safe"]);
    expect(settings).toMatchObject({ secondFactor: "optional", trustBrowsersDays: 90 });
    const off = await json(["update", "app_safe", "--second-factor", "off", "--trust-browsers", "off"]);
    expect(off["settings"]).not.toHaveProperty("secondFactor");
    expect(off["settings"]).not.toHaveProperty("trustBrowsersDays");
    for (const value of ["91d", "12h", "30"]) {
      const refused = await run(["update", "app_safe", "--trust-browsers", value]);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--trust-browsers")]);
    }
    expect(await run(["update", "app_safe", "--second-factor", "always"])).toMatchObject({ code: 2 });
    expect((await json(["show", "app_safe"]))["settings"]).toEqual(off["settings"]);
  });

  test("says that disposable addresses are not refused as long as there is no list of them", async () => {
    await json(["create", "--name", "Picky", "--id", "app_picky"]);
    const block = ["update", "app_picky", "--sign-up-block-disposable"];
    const said = "Set disposableDomainsFile.";
    expect((await run([...block, "on", "--dry-run"])).stderr).toContain(said);
    expect((await run([...block, "on"])).stderr).toContain(said);
    expect((await run([...block, "off"])).stderr).toBe("");
    const disposable = join(place.cwd, "disposable.txt");
    writeFileSync(disposable, "mailinator.example\n");
    const env = { ...place.env, AUTHSVC_DISPOSABLE_DOMAINS_FILE: disposable };
    expect((await authsvc(["app", ...block, "on"], { ...place, env })).stderr).toBe("");
  });

  test("takes a home URL at creation and later, and names the flag of a bad one", async () => {
    const homeUrl = "https://shop.example/welcome";
    await json(["create", "--name", "Home", "--id", "app_home", "--home-url", homeUrl]);
    expect(await json(["show", "app_home"])).toMatchObject({ branding: { homeUrl } });
    const clear = await json(["update", "app_home", "--home-url", ""]);
    expect(clear).toMatchObject({ branding: { homeUrl: null } });
    for (const command of [
      ["update", "app_home"],
      ["create", "--name", "Bad"],
    ]) {
      const refused = await run([...command, "--home-url", "http://shop.example/"]);
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toBe(`authsvc: --home-url must be https (http only for localhost, 127.0.0.1 and [::1])\n`);
    }
  });

  test("says of a provider without an account that nobody can sign in with it yet", async () => {
    await json(["create", "--name", "Bare", "--id", "app_bare"]);
    const note = "Nobody can sign in with google yet. Configure it: authsvc app provider set app_bare google\n";
    for (const flags of [["--dry-run"], []]) {
      const { code, stderr } = await run(["update", "app_bare", "--providers", "Google", ...flags]);
      expect([code, stderr.includes(note)]).toEqual([0, true]);
    }
    const account = ["app", "provider", "set", "app_bare", "google", "--client-id", "x", "--client-secret-stdin"];
    expect((await authsvc(account, { ...place, input: "secret" })).code).toBe(0);
    expect((await run(["update", "app_bare", "--providers", "google"])).stderr).toBe("");
  });

  test("says of mailed codes without a mail server that nobody can sign in with one yet", async () => {
    const note = "Nobody can sign in with a mailed code yet: no mail server is set.";
    for (const flags of [["--dry-run"], []]) {
      const created = await run(["create", "--name", "Codes", "--id", "app_codes", "--email-code", "on", ...flags]);
      expect([created.code, created.stderr.includes(note)]).toEqual([0, true]);
      const changed = await run(["update", "app_shop", "--email-code", "on", ...flags]);
      expect([changed.code, changed.stderr.includes(note)]).toEqual([0, true]);
    }
    expect(await json(["show", "app_codes"])).toMatchObject({ settings: { emailCode: true } });
    const off = await run(["update", "app_codes", "--email-code", "off"]);
    expect([off.code, off.stderr]).toEqual([0, ""]);
    expect(await json(["show", "app_codes"])).toMatchObject({ settings: { emailCode: false } });
  });

  test.each([
    ["--name", "Acme\u202Eknab"],
    ["--company-name", "\u2067Acme"],
  ])("%s takes nothing that turns the direction of the text around it", async (flag, value) => {
    const { code, stdout, stderr } = await run(["update", "app_shop", flag, value]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(`^authsvc: ${flag} (?:may have no control|must be 1 to 200)`, "u"));
  });

  test("--add-redirect-uri and --remove-redirect-uri change one address and keep the others", async () => {
    const [kept, gone, added] = ["https://a.example/cb", "https://b.example/cb", "http://localhost:3000/cb"];
    await json(["update", "app_shop", "--redirect-uri", kept, gone]);
    const change = ["update", "app_shop", "--add-redirect-uri", added, "--remove-redirect-uri", gone];
    expect(await json(change)).toMatchObject({ redirectUris: [kept, added] });
    const unknown = await run(["update", "app_shop", "--remove-redirect-uri", gone]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain("--remove-redirect-uri 1 is refused: the application has no such");
    const bad = await run(["update", "app_shop", "--add-redirect-uri", "http://b.example/cb"]);
    expect(bad.stderr).toMatch(/^authsvc: --add-redirect-uri 1 must be https/u);
    expect(await json(["show", "app_shop"])).toMatchObject({ redirectUris: [kept, added] });
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
    [[], /^authsvc: Nothing to change: give at least one option/u],
    [["--redirect-uri", "https://a.example/cb", "http://b.example/cb"], /^authsvc: --redirect-uri 2 must be https/u],
    [["--logo", "http://a.example/x.png"], /^authsvc: --logo must be /u],
    [["--primary-color", "red"], /^authsvc: --primary-color must be /u],
    [["--password-min-length", "7"], /^authsvc: --password-min-length must be /u],
    [["--sign-up", "close"], /--sign-up .*Allowed choices are open, closed/u],
    [["--limit", "authentication"], /TYPE=NUMBER/u],
    [["--limit", "authenticaton=5"], /did you mean authentication\?$/mu],
    [["--limit", "authentication=0"], /^authsvc: --limit /u],
    [["--methods", "passkey", "--passkey-required", "of"], /Allowed choices are on, off/u],
    [["--methods", "password", "--passkey-required", "on"], /^authsvc: --passkey-required is /u],
    [["--providers", "google,nowhere"], /^authsvc: --providers 2 is refused: /u],
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

  test("the id of a deleted application is not given to another one", async () => {
    await json(["create", "--name", "First", "--id", "app_once"]);
    await json(["delete", "app_once", "--yes"]);
    const reason = /belonged to a deleted application/u;
    for (const more of [[], ["--dry-run"]]) {
      const refused = await run(["create", "--name", "Second", "--id", "app_once", ...more]);
      expect(refused).toMatchObject({ code: 4, stdout: "", stderr: expect.stringMatching(reason) as string });
    }
    const state = "version: 1\napplications:\n  - { id: app_once, name: Second }\n";
    for (const command of ["plan", "apply"]) {
      const refused = await authsvc([command, "-"], { ...place, input: state });
      expect(refused).toMatchObject({ code: 4, stdout: "" });
      expect(refused.stderr).toMatch(reason);
      expect(refused.stderr).toContain("line 3, column 5");
    }
    expect((await run(["show", "app_once"])).code).toBe(3);
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
    expect((await list()).map(({ state }) => state)).toEqual(["revoked", "revoked", "live"]);
  });

  test("list shows the keys of one application or of all", async () => {
    const all = (await json(["key", "list"])) as { appId: string }[];
    expect(new Set(all.map(({ appId }) => appId))).toEqual(new Set(["app_shop", "app_other"]));
    expect((await authsvc(["key", "list", "--app", "app_none"], { cwd })).code).toBe(3);
    expect((await authsvc(["key", "list"], { cwd })).stdout).toMatch(
      /^KEY ID +APP ID +LABEL +STATE +CREATED +LAST USED +ENDS\n/u,
    );
  });

  test("a key has a label of at most 64 characters, which says what it is for", async () => {
    const made = await json(["key", "create", "--app", "app_other", "--label", " web server "]);
    expect(made).toMatchObject({ label: "web server" });
    const rotated = await json(["key", "rotate", "--app", "app_other", "--label", "next"]);
    expect(rotated).toMatchObject({ label: "next" });
    const labels = (await json(["key", "list", "--app", "app_other"])) as { label: string | null }[];
    expect(labels.map(({ label }) => label)).toEqual([null, "web server", "next"]);
    for (const label of ["", "x".repeat(65), "a\nb"])
      expect(await authsvc(["key", "create", "--app", "app_other", "--label", label], { cwd })).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^authsvc: [^\n]*--label[^\n]*\n$/u) as string,
      });
  });

  test("key list says when a key was last used, which is written at most once an hour", async () => {
    const { apiKey, id } = (await json(["key", "create", "--app", "app_other"])) as Key;
    const lastUse = async (): Promise<unknown> => {
      const keys = (await json(["key", "list", "--app", "app_other"])) as (Key & { lastUsedAt: string | null })[];
      return keys.find((key) => key.id === id)?.lastUsedAt;
    };
    const useIt = async (): Promise<void> => {
      const { config } = loadConfig({ flags: { port: "0" }, env: {}, cwd });
      const server = await startServer({ ...config, log: { ...config.log, level: "silent" } });
      const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": "app_other" };
      expect((await fetch(`${server.url}/webhooks/endpoints`, { headers })).status).toBe(200);
      await server.close();
    };
    expect(await lastUse()).toBeNull();
    await useIt();
    const first = await lastUse();
    expect(Date.now() - Date.parse(String(first))).toBeLessThan(3_600_000);
    await useIt();
    expect(await lastUse()).toBe(first);
  });

  test("revoke ends a key for good, again without complaint", async () => {
    const live = (await list()).find(({ state }) => state === "live");
    const revoked = await json(["key", "revoke", live?.id ?? ""]);
    expect(revoked).toMatchObject({ id: live?.id, appId: "app_shop", state: "revoked" });
    expect(await json(["key", "revoke", live?.id ?? ""])).toEqual(revoked);
    expect(await authsvc(["key", "revoke", "key_none"], { cwd })).toMatchObject({ code: 3, stdout: "" });
    expect(await authsvc(["key", "revoke"], { cwd })).toMatchObject({
      code: 2,
      stderr: "authsvc: KEYID is missing: Key ID\n",
    });
  });

  test.each([
    [["--overlap", "1w"], /Use a whole number/u],
    [["--overlap", "91d"], /^authsvc: --overlap must be from 0 to 90 days/u],
    [[], /^authsvc: --app is missing$/mu],
  ])("rotate %j is refused with 2", async (args, line) => {
    const app = args.length === 0 ? [] : ["--app", "app_shop"];
    const refused = await authsvc(["key", "rotate", ...app, ...args], { cwd });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(line);
  });
});
