import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startProvider, type FakeProvider } from "../support/providers/provider.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

describe("the issuer of a provider", () => {
  const cwd = emptyFolder();
  let corp: FakeProvider;
  beforeAll(async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    corp = await startProvider("openid");
  });
  afterEach(() => corp.reset());
  afterAll(async () => await corp.close());

  const set = async (issuer: string, ...flags: string[]) =>
    await authsvc(
      [
        "app",
        "provider",
        "set",
        "app_shop",
        "corp",
        "--issuer",
        issuer,
        "--client-id",
        "a",
        "--client-secret-stdin",
        ...flags,
      ],
      { cwd, input: "s\n" },
    );
  const found = async () =>
    (JSON.parse((await authsvc(["doctor", "--json"], { cwd })).stdout) as Record<string, string>[]).filter(
      ({ check }) => check === "providers",
    );

  test("is asked by set and by doctor, which say that it answers", async () => {
    const done = await set(corp.origin, "--json");
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining("its endpoints and keys were read") });
    expect(JSON.parse(done.stdout)).toMatchObject({ issuerProblem: null });
    expect(corp.received.map(({ path }) => path)).toEqual(["/.well-known/openid-configuration", "/keys"]);
    expect(await found()).toMatchObject([
      { status: "ok", message: expect.stringContaining("issuers of your own answer") },
    ]);
  });

  const wrong: [title: string, seen: string, prepare: () => void][] = [
    [
      "has no such document",
      "discovery: status 404",
      () => corp.instead.set("/.well-known/openid-configuration", () => ({ status: 404 })),
    ],
    [
      "has a page there",
      "discovery: not JSON",
      () => corp.instead.set("/.well-known/openid-configuration", () => ({ body: "<h1>" })),
    ],
    [
      "names another issuer",
      "discovery returned another issuer: https://id.example/realms/x",
      () =>
        corp.instead.set("/.well-known/openid-configuration", () => ({
          body: { ...corp.discovery(), issuer: "https://id.example/realms/x" },
        })),
    ],
    ["has no keys", "keys: status 500", () => corp.instead.set("/keys", () => ({ status: 500 }))],
    [
      "has an empty set of keys",
      "keys: the set has none that verifies signatures",
      () => corp.instead.set("/keys", () => ({ body: { keys: [] } })),
    ],
    [
      "has keys for encryption alone",
      "keys: the set has none that verifies signatures",
      () => corp.instead.set("/keys", () => ({ body: { keys: [{ kty: "RSA", use: "enc" }, { kty: "oct" }, null] } })),
    ],
  ];
  test.each(wrong)("that %s is named with what was seen: %s", async (_title, seen, prepare) => {
    prepare();
    const done = await set(corp.origin, "--json");
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining(`Checking ${corp.origin} failed: ${seen}`) });
    expect(JSON.parse(done.stdout)).toMatchObject({ issuerProblem: seen });
    expect(await found()).toMatchObject([{ status: "problem", message: expect.stringContaining(seen) }]);
  });

  test("that nobody answers for is named, by a dry run too", async () => {
    const gone = await startProvider("openid");
    await gone.close();
    for (const flags of [["--dry-run"], []])
      expect(await set(gone.origin, ...flags)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("discovery: the connection was refused (ECONNREFUSED)"),
      });
    expect(await found()).toMatchObject([{ status: "problem", message: expect.stringContaining(gone.origin) }]);
  });

  test.each(["", "/"])(
    "is refused where its discovery address is given in its place, with %j after it",
    async (end) => {
      const refused = await set(`https://id.example/realms/shop/.well-known/openid-configuration${end}`);
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--issuer must be a URL that does not end with /.well-known"),
      });
    },
  );
});

describe("app provider", () => {
  const cwd = emptyFolder();
  const run = async (args: string[], input = "") => await authsvc(["app", "provider", ...args], { cwd, input });

  beforeAll(async () => {
    const { code, stderr } = await authsvc(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    if (code !== 0) throw new Error(stderr);
  });

  test("set keeps the secret encrypted, enables the provider and says what to register there", async () => {
    const set = await run(
      ["set", "app_shop", "GitHub", "--client-id", "Iv1.abc", "--client-secret-stdin", "--json"],
      "hush-hush-secret\n",
    );
    expect(set).toMatchObject({ code: 0 });
    expect(JSON.parse(set.stdout)).toMatchObject({
      name: "github",
      displayName: "GitHub",
      clientId: "Iv1.abc",
      enabled: true,
      callbackUrl: "http://localhost:8080/oauth/github/callback",
    });
    const shown = await authsvc(["app", "show", "app_shop", "--json"], { cwd });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      authMethods: { oauth: { enabled: true, providers: ["github"] } },
    });
    const files = readdirSync(join(cwd, "data")).map((name) => readFileSync(join(cwd, "data", name), "latin1"));
    expect(files.join("\n")).not.toContain("hush-hush-secret");
    expect(set.stdout + set.stderr).not.toContain("hush-hush-secret");
  });

  test("list shows what is set, remove demands --yes and takes it away", async () => {
    const list = async (): Promise<unknown> => JSON.parse((await run(["list", "app_shop", "--json"])).stdout);
    expect(await list()).toMatchObject([{ name: "github", clientId: "Iv1.abc" }]);
    expect(await run(["remove", "app_shop", "github"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes"),
    });
    expect(await run(["remove", "app_shop", "github", "--dry-run"])).toMatchObject({
      code: 0,
      stdout: "github would be removed.\n",
    });
    // Before anybody is asked for a yes.
    expect(await run(["remove", "app_shop", "google"])).toMatchObject({ code: 3 });
    expect(await list()).toHaveLength(1);
    expect(await run(["remove", "app_shop", "github", "--yes"])).toMatchObject({ code: 0 });
    expect(await list()).toEqual([]);
    expect(await run(["remove", "app_shop", "github", "--yes"])).toMatchObject({ code: 3 });
  });

  test("Apple's secret is a .p8 key from a file, with the ids that go with it", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writeFileSync(join(cwd, "key.p8"), privateKey.export({ type: "pkcs8", format: "pem" }));
    const flags = ["--client-id", "com.example.web", "--private-key-file", "key.p8"];
    expect(await run(["set", "app_shop", "apple", ...flags])).toMatchObject({ code: 2 });
    expect(
      await run(["set", "app_shop", "apple", ...flags, "--team-id", "TEAM", "--key-id", "KEY", "--json"]),
    ).toMatchObject({ code: 0 });
    writeFileSync(join(cwd, "key.p8"), "not a key");
    expect(await run(["set", "app_shop", "apple", ...flags, "--team-id", "TEAM", "--key-id", "KEY"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("p8"),
    });
  });

  test("set refuses other endpoints for the people of a provider, until --keep-identities says they are the same", async () => {
    const set = async (issuer: string, ...flags: string[]) =>
      await run(
        ["set", "app_shop", "corp", "--issuer", issuer, "--client-id", "shop", "--client-secret-stdin", ...flags],
        "s\n",
      );
    const trusts = ["--trusts-email", "off", "--trusts-second-factor"];
    for (const claim of ["mfa", "=mfa", "amr="])
      expect(await set("https://id.example", ...trusts, claim)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--trusts-second-factor must be a claim and its value"),
      });
    expect(await set("https://id.example", ...trusts, "amr=mfa", "--json")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"trustsEmail":false,"trustsSecondFactor":"amr=mfa"'),
    });
    const line = JSON.stringify({ email: "ada@example.org", identities: [{ provider: "corp", subject: "1" }] });
    expect(await authsvc(["user", "import", "--app", "app_shop"], { cwd, input: line })).toMatchObject({
      code: 0,
    });
    const refused = await set("https://other.example");
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("1 identity of corp at https://id.example");
    expect(refused.stderr).toContain("--keep-identities");
    const kept = await set("https://other.example", "--keep-identities", "--json");
    expect(kept).toMatchObject({ code: 0, stderr: expect.stringContaining("kept: 1") });
    expect(JSON.parse(kept.stdout)).toMatchObject({
      keptIdentities: 1,
      endpoints: { issuer: "https://other.example" },
    });
  });

  test("plan refuses them the same way, and says how many identities --keep-identities keeps", async () => {
    const state = (issuer: string): string => `version: 1
applications:
  - id: app_shop
    providers:
      - name: corp
        clientId: shop
        clientSecret: env:CORP_SECRET
        issuer: ${issuer}
`;
    const env = { CORP_SECRET: "s" };
    const planned = await authsvc(["plan", "-", "--secrets-to", "third.example"], {
      cwd,
      env,
      input: state("https://third.example"),
    });
    expect(planned).toMatchObject({ code: 4, stderr: expect.stringContaining("1 identity of corp at https://other") });
    const input = state("https://third.example");
    expect(
      await authsvc(["plan", "-", "--keep-identities", "--secrets-to", "third.example"], { cwd, env, input }),
    ).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("~ provider corp of app_shop (linked identities that stay: 1)"),
    });
  });

  test("set takes the claim of the address, and list, plan and export have it", async () => {
    const flags = ["--client-id", "a", "--client-secret-stdin", "--email-claim"];
    expect(await run(["set", "app_shop", "microsoft", ...flags, "preferred_username", "--json"], "s\n")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"emailClaim":"preferred_username"'),
    });
    expect(await run(["list", "app_shop", "--json"])).toMatchObject({
      stdout: expect.stringContaining('"emailClaim":"preferred_username"'),
    });
    const exported = await authsvc(["export"], { cwd });
    expect(exported.stdout).toContain("emailClaim: preferred_username");
    expect(await run(["set", "app_shop", "github", ...flags, "x"], "s\n")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--email-claim"),
    });
    const state = `version: 1
applications:
  - id: app_shop
    providers:
      - name: microsoft
        clientId: a
        emailClaim: upn
`;
    expect(await authsvc(["plan", "-"], { cwd, input: state })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("emailClaim"),
    });
  });

  test.each<[args: string, code: number, named: string]>([
    ["set app_shop google --client-id a --client-secret-stdin --trusts-email off", 2, "--trusts-email"],
    ["set app_shop google --client-id a", 2, "--client-secret-stdin"],
    ["set app_shop google --client-secret-stdin", 2, "--client-id"],
    ["set app_shop corp --client-id a --client-secret-stdin", 2, "--issuer"],
    ["set app_shop gogle --client-id a --client-secret-stdin", 2, "did you mean google?"],
    ["set app_shop apple --client-id a", 2, "--private-key-file is missing"],
    ["set app_shop corp --client-id a --client-secret-stdin --issuer http://id.example", 2, "--issuer"],
    ["set app_shop Not+A+Name --client-id a --client-secret-stdin --issuer https://id.example", 2, "PROVIDER"],
    ["set app_shop google --client-id a --client-secret-stdin --client-secret-file x", 2, "--client-secret-stdin"],
    ["set app_none google --client-id a --client-secret-stdin", 3, "application"],
    ["list app_none", 3, "application"],
    ["set app_shop google --client-secret hush", 2, "--client-secret"],
  ])("%s is refused with exit code %i and names %s", async (args, code, named) => {
    const refused = await run(args.split(" "), "secret\n");
    expect(refused).toMatchObject({ code, stdout: "" });
    expect(refused.stderr.trim().split("\n")).toHaveLength(1);
    expect(refused.stderr).toContain(named);
  });
});
