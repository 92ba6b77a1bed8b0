import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Created = { client: Record<string, unknown>; clientSecret: string | null; issuer: string };

const chosen = "chosen-secret-0123456789-0123456789-abc";
const callback = "https://grafana.example.com/login/generic_oauth";

const edKey = () => generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });

describeEachPlace("client", (place, dialect) => {
  const run = async (args: string[], input = "") => await authsvc(["client", ...args], { ...place, input });
  const json = async (args: string[], input = "") => await answer(["client", ...args], { ...place, input });
  const create = async (...args: string[]) =>
    (await json(["create", "--app", "app_shop", "--name", "Grafana", ...args], chosen)) as Created;

  beforeAll(async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
  });

  it.each([
    [["--name", "Team Nextcloud", "--id", "cloud"], "Its settings: authsvc client show cloud --for nextcloud"],
    [
      ["--name", "Wiki", "--id", "wiki"],
      "Settings of known programs: authsvc client show wiki --for PROGRAM (grafana,",
    ],
    [["--name", "Grafana CLI", "--kind", "native", "--id", "tool"], undefined],
  ])("create %j names the settings of that program, else of any, for a server's", async (flags, hint) => {
    const { stderr } = await run(["create", "--app", "app_shop", "--redirect-uri", callback, ...flags]);
    expect(stderr).toContain("The program needs the issuer http://localhost:8080 too.\n");
    if (hint === undefined) expect(stderr).not.toContain("--for");
    else expect(stderr).toContain(hint);
    await json(["delete", flags.at(-1) ?? "", "--yes"]);
  });

  it("create, list, show, update and delete go through the life of a client", async () => {
    const dry = await create("--id", "cli_dry", "--dry-run");
    expect(dry).toMatchObject({ client: { id: "cli_dry" }, dryRun: true });
    expect(await json(["list"])).toEqual([]);
    const { client, clientSecret, issuer } = await create("--id", "grafana", "--redirect-uri", callback, callback);
    expect(client).toMatchObject({ id: "grafana", appId: "app_shop", kind: "web", redirectUris: [callback] });
    expect(clientSecret).toMatch(/^cs_/u);
    expect(issuer).toBe("http://localhost:8080");
    expect(await json(["list", "--app", "app_shop"])).toEqual([client]);
    expect(await json(["show", "grafana"])).toEqual(client);
    const flags = [
      "--name Graphs --scope openid email --consent ask --require-pkce on --id-token-alg ES256",
      "--id-token-claims minimal --assertion-audience any --refresh-tokens always --enabled off",
      "--second-factor required --dpop required --dpop-nonce on",
      "--backchannel-logout-uri https://grafana.example.com/logout",
      "--post-logout-redirect-uri https://grafana.example.com/login",
    ];
    const changed = await json(["update", "grafana", ...flags.join(" ").split(" ")]);
    expect(changed).toMatchObject({
      name: "Graphs",
      scopes: ["openid", "email"],
      consent: "ask",
      requirePkce: true,
      idTokenAlg: "ES256",
      secondFactor: "required",
      dpop: "required",
      dpopNonce: true,
      idTokenClaims: "minimal",
      assertionAudience: "any",
      refreshTokens: "always",
      backchannelLogoutUri: "https://grafana.example.com/logout",
      postLogoutRedirectUris: ["https://grafana.example.com/login"],
      disabledAt: expect.any(String) as string,
    });
    const { stdout: shown } = await run(["show", "grafana"]);
    expect(shown).toContain("off since");
    expect(shown).toMatch(/DPoP +required, with nonce/u);
    await json(["update", "grafana", "--name", "Nobody", "--dry-run"]);
    expect(await json(["update", "grafana", "--enabled", "on", "--backchannel-logout-uri", ""])).toMatchObject({
      name: "Graphs",
      disabledAt: null,
      backchannelLogoutUri: null,
    });
    expect(await run(["delete", "grafana"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes") as string,
    });
    expect(await json(["delete", "grafana", "--dry-run"])).toMatchObject({ deleted: false });
    expect(await json(["delete", "grafana", "--yes"])).toEqual({ id: "grafana", appId: "app_shop", deleted: true });
    expect(await run(["show", "grafana"])).toMatchObject({ code: 3 });
    expect(await run(["create", "--app", "app_shop", "--name", "X", "--id", "grafana"])).toMatchObject({ code: 4 });
  });

  it("update --second-factor required says how many people it stops: those who may use the client", async () => {
    for (const email of ["ada@example.com", "bob@example.com"])
      await answer(["user", "create", "--app", "app_shop", "--email", email], place);
    const [ada] = (await answer(["user", "list", "--app", "app_shop"], place)) as { id: string }[];
    await answer(["group", "create", "staff", "--app", "app_shop"], place);
    await answer(["group", "add", "staff", ada?.id ?? "", "--app", "app_shop"], place);
    await create("--id", "wall");
    const required = ["update", "wall", "--second-factor", "required"];
    const said = "must set up a second factor at the next sign-in";
    for (const more of [["--dry-run"], []])
      expect((await run([...required, ...more])).stderr).toContain(`2 people ${said}`);
    expect((await run([...required, "--allowed-groups", "staff"])).stderr).toContain(`1 person ${said}`);
    expect((await run(["update", "wall", "--second-factor", "off"])).stderr).toBe("");
    await json(["delete", "wall", "--yes"]);
  });

  it("shows secrets once, and stores none", async () => {
    const { client, clientSecret } = await create();
    const id = String(client["id"]);
    const given = await create("--secret-stdin");
    expect(given.clientSecret).toBe(chosen);
    const added = (await json(["secret", "create", id])) as { id: string; secret: string };
    const rotated = (await json(["secret", "rotate", id, "--overlap", "2h"])) as { secret: string; ending: unknown[] };
    expect(rotated.ending).toHaveLength(2);
    expect(await json(["secret", "rotate", id, "--dry-run"])).toMatchObject({ dryRun: true });
    expect(await json(["secret", "revoke", added.id])).toMatchObject({ id: added.id, state: "revoked" });
    const listed = (await json(["secret", "list", id])) as { state: string }[];
    expect(listed.map(({ state }) => state)).toEqual(["live", "revoked", "live"]);
    const people = await run(["secret", "create", id]);
    expect(people.stderr).toContain("only once");
    const said = JSON.stringify([listed, await json(["show", id]), await json(["list"])]);
    const secrets = [clientSecret ?? "", chosen, added.secret, rotated.secret];
    for (const secret of secrets) expect(said).not.toContain(secret);
    if (dialect !== "sqlite") return;
    const folder = join(place.cwd, "data");
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    for (const secret of secrets) expect(files.join("")).not.toContain(secret);
  });

  it("takes keys from a file, and then makes no secret", async () => {
    writeFileSync(join(place.cwd, "keys.json"), JSON.stringify({ keys: [edKey()] }));
    writeFileSync(join(place.cwd, "broken.json"), "{");
    const { client, clientSecret } = await create("--jwks-file", "keys.json");
    expect(client).toMatchObject({ jwks: { keys: [{ crv: "Ed25519" }] } });
    expect(clientSecret).toBeNull();
    const refused = await run(["create", "--app", "app_shop", "--name", "X", "--jwks-file", "broken.json"]);
    expect(refused).toMatchObject({ code: 2, stderr: "authsvc: --jwks-file: the file is not JSON\n" });
  });

  it("--profile sets what FAPI 2.0 demands, and none ends it", async () => {
    writeFileSync(join(place.cwd, "bank.json"), JSON.stringify({ keys: [edKey()] }));
    const flags = ["--id", "bank", "--profile", "fapi2", "--jwks-file", "bank.json"];
    const { client, clientSecret } = await create(...flags);
    const demanded = { profile: "fapi2", requirePkce: true, idTokenAlg: "ES256" };
    expect([client, clientSecret]).toMatchObject([demanded, null]);
    expect((await run(["show", "bank"])).stdout).toMatch(/^Profile +fapi2$/mu);
    const refused = await run(["update", "bank", "--id-token-alg", "RS256"]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: "authsvc: --id-token-alg is refused: ES256 or EdDSA with the profile fapi2\n",
    });
    expect(await run(["secret", "create", "bank"])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("cannot have a secret") as string,
    });
    const free = await json(["update", "bank", "--profile", "none", "--require-pkce", "off"]);
    expect(free).toMatchObject({ profile: null, requirePkce: false });
  });

  it("names the flag of what is refused", async () => {
    const cases: [args: string, code: number, line: RegExp][] = [
      ["create --app app_nobody --name X", 3, /no application with this id/],
      ["create --app app_shop --name X --redirect-uri http://a.example/", 2, /--redirect-uri 1 must/],
      ["create --app app_shop --name X --kind spy", 2, /--kind/],
      ["create --app app_shop --name X --scope openid,groups", 2, /--scope 2 must be one of openid/],
      ["create --app app_shop --name X --kind spa --require-pkce off", 2, /--require-pkce is/],
      ["create --app app_shop --name X --backchannel-logout-uri https://10.1.1.1/", 2, /--back/],
      ["create --app app_shop --name X --client-secret x", 2, /unknown option '--client-secret'/],
      ["update cli_nobody --name X", 3, /no client with this id/],
      ["update app_shop --name X", 4, /is the application itself/],
      ["update cli_nobody", 2, /Nothing to change/],
      ["secret create cli_nobody", 3, /no client with this id/],
      ["secret revoke sec_nobody", 3, /no client secret with this id/],
      ["secret rotate cli_nobody --overlap 91d", 2, /--overlap must be from 0 to 90 days/],
    ];
    for (const [args, code, line] of cases) {
      const finished = await run(args.split(" "));
      expect(finished, args).toMatchObject({ code, stdout: "" });
      expect(finished.stderr).toMatch(line);
    }
  });

  describe("show --for", () => {
    const programs = ["grafana", "nextcloud", "gitea", "oauth2-proxy", "mod_auth_openidc", "authjs", "spring"];
    programs.push("jupyterhub", "django", "pgadmin", "generic");

    it.each(programs)("%s prints its configuration without a secret", async (program) => {
      const { client, clientSecret } = await create("--redirect-uri", callback);
      const id = String(client["id"]);
      const { stdout, stderr, code } = await run(["show", id, "--for", program]);
      expect(code).toBe(0);
      expect(stdout).toContain(id);
      expect(stdout).toContain("http://localhost:8080");
      expect(stdout).not.toContain(clientSecret);
      expect(stdout).toMatch(/offline_access/u);
      if (program === "grafana" || program === "generic") expect(stderr).toBe("");
      else expect(stderr).toContain("needs this redirect URI");
      expect(await json(["show", id, "--for", program])).toMatchObject({ configuration: stdout });
    });

    it("names the scopes that a program needs", async () => {
      const { client } = await create("--scope", "openid email");
      const id = String(client["id"]);
      for (const program of ["jupyterhub", "pgadmin"])
        expect((await run(["show", id, "--for", program])).stderr).toContain(
          `authsvc client update ${id} --scope openid email profile`,
        );
      expect((await run(["show", id, "--for", "django"])).stderr).not.toContain("--scope");
    });

    it("generic prints every value of a client without a secret too", async () => {
      const { client } = await create("--kind", "spa", "--redirect-uri", "https://spa.example/cb");
      const { stdout, stderr } = await run(["show", String(client["id"]), "--for", "generic"]);
      expect(stderr).toBe("");
      for (const value of ["https://spa.example/cb", "S256 (required)", "Client authentication:  none"])
        expect(stdout).toContain(value);
    });

    it("takes the addresses of the client, and an application as its own client", async () => {
      const own = await run(["show", "app_shop", "--for", "spring"]);
      expect(own.stdout).toContain('client-id: "app_shop"');
      const { client } = await create(
        "--redirect-uri",
        "https://a.example/graphs/login/generic_oauth",
        "--scope",
        "openid",
        "--post-logout-redirect-uri",
        "https://a.example/graphs/login",
      );
      const { stdout } = await run(["show", String(client["id"]), "--for", "grafana"]);
      expect(stdout).toContain("root_url = https://a.example/graphs\n");
      expect(stdout).toContain("scopes = openid\n");
      expect(stdout).toContain("post_logout_redirect_uri=https%3A%2F%2Fa.example%2Fgraphs%2Flogin\n");
      expect(stdout).not.toContain("use_refresh_token");
    });
  });
});
