import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { useIssuer } from "../support/issuer.ts";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

const github = "https://token.actions.githubusercontent.com";
const main = "repo:acme/shop:ref:refs/heads/main";
const baseUrl = "http://localhost:8080";

describeEachPlace("workload identity", (place) => {
  const issuer = useIssuer();
  const env = { AUTHSVC_WEBHOOKS__ALLOW_PRIVATE_NETWORKS: "true" };
  const run = async (args: string[]) => await authsvc(args, { ...place, env: { ...place.env, ...env } });
  const json = async (args: string[]) => (await answer(args, { ...place, env: { ...place.env, ...env } })) as never;
  const credential = (...args: string[]) => ["client", "credential", ...args];
  const add = (issuerUrl: string, subject: string) =>
    credential("add", "deploy", "--issuer", issuerUrl, "--subject", subject);

  let created: unknown;

  beforeAll(async () => {
    await json(["app", "create", "--name", "Shop", "--id", "app_shop"]);
    const machine = [
      "client",
      "create",
      "--app",
      "app_shop",
      "--id",
      "deploy",
      "--name",
      "Deploy",
      "--kind",
      "machine",
    ];
    const listed = ["--resource", baseUrl, "--scope", "management"];
    created = await json([...machine, ...listed, "--no-secret"]);
  });

  it("a machine may have the scope management of this service, and no secret; doctor says that it has no credential", async () => {
    expect(created).toMatchObject({
      clientSecret: null,
      client: { resources: [baseUrl], resourceScopes: ["management"], trusts: [] },
    });
    expect((await run(["client", "secret", "list", "deploy"])).stdout).toBe("");
    const { stdout } = await run(["doctor"]);
    expect(stdout).toContain(
      "deploy cannot authenticate: it has no live secret, no keys and no credential of an issuer.",
    );
    expect(stdout).not.toContain("deploy may request");
    const web = ["client", "create", "--app", "app_shop", "--name", "Web", "--resource", baseUrl];
    expect((await run(web)).stderr).toContain("the application has no such resource");
  });

  it("add, list, show and remove go through the life of a credential", async () => {
    expect(await json([...add(github, main), "--dry-run"])).toMatchObject({ issuer: github, dryRun: true });
    expect(await json(credential("list", "deploy"))).toEqual([]);
    const added: { id: string } = await json(add(github, main));
    expect(added).toEqual({
      id: expect.stringMatching(/^crd_/u) as string,
      issuer: github,
      subject: main,
      audience: null,
    });
    expect(await run(add(github, main))).toMatchObject({ code: 4 });
    const other: { id: string } = await json([...add(github, main), "--audience", "authsvc"]);
    expect((await run(credential("list", "deploy"))).stdout).toContain(baseUrl);
    expect((await run(["client", "show", "deploy"])).stdout).toContain(`${main} of ${github}`);
    expect(await json(credential("remove", "deploy", added.id, "--dry-run"))).toMatchObject({ removed: false });
    expect(await json(credential("remove", "deploy", added.id))).toEqual({
      id: added.id,
      clientId: "deploy",
      removed: true,
    });
    expect(await json(credential("list", "deploy"))).toMatchObject([{ id: other.id, audience: "authsvc" }]);
    expect(await run(credential("remove", "deploy", added.id))).toMatchObject({ code: 3 });
    expect(await run(credential("list", "nobody"))).toMatchObject({ code: 3 });
    const entries: { action: string; details: object }[] = await json(["audit", "list", "--app", "app_shop"]);
    expect(entries.filter(({ action }) => action.startsWith("client-credential."))).toMatchObject([
      {
        action: "client-credential.add",
        details: { clientId: "deploy", credential: added.id, issuer: github, subject: main },
      },
      { action: "client-credential.add" },
      { action: "client-credential.remove", details: { credential: added.id } },
    ]);
    await json(credential("remove", "deploy", other.id));
  });

  it.each([
    ["--issuer", baseUrl, "--issuer must not be this service itself"],
    ["--issuer", "http://issuer.example", "--issuer must be an https URL"],
    ["--subject", "repo:acme/*", "--subject may have no wildcard"],
  ])("add refuses %s %s", async (flag, value, said) => {
    const given = { "--issuer": github, "--subject": main, [flag]: value };
    const { code, stderr } = await run(credential("add", "deploy", ...Object.entries(given).flat()));
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it("add refuses a client that keeps no secret", async () => {
    await json(["client", "create", "--app", "app_shop", "--id", "pages", "--name", "Pages", "--kind", "spa"]);
    const { code, stderr } = await run(credential("add", "pages", "--issuer", github, "--subject", main));
    expect([code, stderr]).toEqual([2, expect.stringContaining("only with kind web and machine")]);
    await json(["client", "delete", "pages", "--yes"]);
  });

  it("credentials are in plan, apply and export; a list replaces them, and those that stay keep their ids", async () => {
    const kept: { id: string } = await json(add(github, main));
    const { stdout: exported } = await run(["export"]);
    expect(exported).toContain(`issuer: ${github}`);
    expect(exported).not.toContain(kept.id);
    const file = join(place.cwd, "workload.yaml");
    writeFileSync(file, exported);
    expect((await run(["plan", file, "--detailed-exitcode"])).code).toBe(0);
    const second = `            audience: null\n          - issuer: ${github}\n            subject: tag\n`;
    writeFileSync(file, exported.replace("            audience: null\n", second));
    expect((await run(["plan", file])).stdout).toContain("~ client deploy of app_shop\n    trusts:");
    expect(await run(["apply", file, "--yes"])).toMatchObject({ code: 0, stderr: "Done.\n" });
    expect((await run(["plan", file, "--detailed-exitcode"])).code).toBe(0);
    const both: { id: string; subject: string }[] = await json(credential("list", "deploy"));
    expect(both.map(({ subject }) => subject)).toEqual([main, "tag"]);
    expect(both[0]?.id).toBe(kept.id);
    writeFileSync(file, exported.replace(github, baseUrl));
    expect((await run(["plan", file])).stderr).toContain("issuer: not this service itself");
    writeFileSync(
      file,
      exported
        .replace(/trusts:\n(?: {10}.*\n)+/u, "trusts: []\n")
        .replace(/enabled: true(?![^]*enabled: true)/u, "enabled: false"),
    );
    expect(await run(["apply", file, "--yes"])).toMatchObject({ code: 0, stderr: "Done.\n" });
    expect(await json(["client", "show", "deploy"])).toMatchObject({
      trusts: [],
      disabledAt: expect.any(String) as string,
    });
    await json(["client", "update", "deploy", "--enabled", "on"]);
  });

  it("doctor asks the issuers, and names one whose keys cannot be read", async () => {
    await json(add(issuer.url, main));
    expect((await run(["doctor"])).stdout).not.toContain(issuer.url);
    issuer.answers["/keys"] = (response) => response.writeHead(500).end();
    expect((await run(["doctor"])).stdout).toContain(
      `deploy trusts ${issuer.url}, whose tokens cannot be checked: its keys (jwks_uri): status 500.`,
    );
  });
});
