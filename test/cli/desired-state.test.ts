import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testMasterKey } from "../support/service.ts";
import { emptyFolder, type Finished } from "./command.ts";
import { authsvc } from "./in-process.ts";

const env = { SHOP_API_KEY: "pipeline-key.0123456789-ABCDEFGHIJ", GITHUB_SECRET: "hunter2-hunter2" };
const file = `version: 1
applications:
  - id: app_shop
    name: My shop
    redirectUris: [https://shop.example/cb]
    apiKeys: [{ value: env:SHOP_API_KEY }]
    providers:
      - { name: github, clientId: Iv1, clientSecret: "file:secrets/github" }
`;

async function run(args: string[], cwd: string, input = ""): Promise<Finished> {
  return await authsvc(args, { cwd, env, input });
}

describe("plan, apply and export", () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "shop.yaml"), file.replace("file:secrets/github", "env:GITHUB_SECRET"));

  test("plan says what would change, 5 on request, and changes nothing", async () => {
    const planned = await run(["plan", "shop.yaml", "--detailed-exitcode"], cwd);
    expect(planned).toMatchObject({ code: 5, stderr: "3 to create, 0 to change, 0 to delete.\n" });
    expect(planned.stdout).toMatch(/^\+ application app_shop\n {4}name: "My shop"\n/);
    expect(planned.stdout).toContain("+ provider github of app_shop\n");
    expect(planned.stdout).toContain("    clientSecret: set, not shown\n");
    expect(planned.stdout).not.toContain(env.GITHUB_SECRET);
    expect(await run(["app", "list", "--json"], cwd)).toMatchObject({ code: 0, stdout: "[]\n" });
  });

  test("apply does it, a second time nothing, and plan finds no difference to what export prints", async () => {
    const applied = await run(["apply", "shop.yaml", "--json"], cwd);
    expect(applied).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(applied.stdout)).toMatchObject({
      dryRun: false,
      changes: [
        { action: "create", kind: "application", application: "app_shop" },
        { action: "create", kind: "apiKey" },
        { action: "create", kind: "provider", name: "github" },
      ],
    });
    const again = await run(["apply", "shop.yaml"], cwd);
    expect(again).toMatchObject({ code: 0, stdout: "", stderr: "No difference.\n" });
    const exported = await run(["export"], cwd);
    expect(exported).toMatchObject({ code: 0, stderr: "" });
    expect(exported.stdout).not.toMatch(/hunter2|pipeline-key/);
    const planned = await run(["plan", "-", "--prune", "--detailed-exitcode"], cwd, exported.stdout);
    expect(planned).toMatchObject({ code: 0, stdout: "", stderr: "No difference.\n" });
  });

  test("apply --prune deletes only with --yes or an answer, and says how many users go", async () => {
    writeFileSync(join(cwd, "none.yaml"), "version: 1\n");
    await run(["user", "create", "--app", "app_shop", "--email", "ada@example.com"], cwd);
    const asked = await run(["apply", "none.yaml", "--prune"], cwd);
    expect(asked).toMatchObject({ code: 2, stdout: "" });
    expect(asked.stderr).toMatch(/^authsvc: --yes is missing, .*app_shop, with 1 user\)/);
    const planned = await run(["plan", "none.yaml", "--prune"], cwd);
    expect(planned).toMatchObject({ code: 0, stdout: "- application app_shop and its 1 user\n" });
    const pruned = await run(["apply", "none.yaml", "--prune", "--yes"], cwd);
    expect(pruned).toMatchObject({ code: 0, stdout: planned.stdout });
    expect(await run(["app", "list", "--json"], cwd)).toMatchObject({ stdout: "[]\n" });
  });
});

test("plan lists each secret of the file and the host that it is sent to, and reads none of authsvc's own", async () => {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, "secrets"));
  writeFileSync(join(cwd, "secrets/github"), env.GITHUB_SECRET);
  const corp =
    '      - { name: corp, clientId: x, issuer: "https://id.corp.example", clientSecret: env:GITHUB_SECRET }\n      - { name: google, clientId: x, tokenUrl: "https://elsewhere.example/t", clientSecret: env:GITHUB_SECRET }\n      - { name: gitlab, clientId: x, issuer: "https://gitlab.com", tokenUrl: "https://evil.example:8443/t", clientSecret: env:GITHUB_SECRET }\n';
  const hook =
    "    webhooks: [{ id: whe_shop, url: https://shop.example/hook, events: [user.login], secret: env:SHOP_API_KEY }]\n";
  writeFileSync(join(cwd, "shop.yaml"), file + corp + hook);
  const hosts = ["--secrets-to", "id.corp.example, elsewhere.example,evil.example:8443"];
  const { stdout } = await run(["plan", "shop.yaml", ...hosts], cwd);
  expect(stdout.slice(stdout.indexOf("Secrets\n"))).toBe(`Secrets
    env:SHOP_API_KEY (apiKey of app_shop): not sent anywhere
    file:secrets/github (clientSecret of github of app_shop): sent to github.com
    env:GITHUB_SECRET (clientSecret of corp of app_shop): sent to id.corp.example
    env:GITHUB_SECRET (clientSecret of google of app_shop): sent to elsewhere.example
    env:GITHUB_SECRET (clientSecret of gitlab of app_shop): sent to evil.example:8443
    env:SHOP_API_KEY (secret of whe_shop of app_shop): not sent anywhere
`);
  const { references } = JSON.parse((await run(["plan", "shop.yaml", "--json", ...hosts], cwd)).stdout) as {
    references: unknown;
  };
  expect(references).toContainEqual({
    reference: "file:secrets/github",
    field: "clientSecret",
    application: "app_shop",
    name: "github",
    host: "github.com",
  });

  await run(["app", "list"], cwd);
  writeFileSync(join(cwd, "config.yaml"), "masterKeyFile: own.key\n");
  writeFileSync(join(cwd, "own.key"), testMasterKey);
  writeFileSync(join(cwd, "data/other"), "other");
  for (const own of ["own.key", "config.yaml", "data/other"]) {
    writeFileSync(join(cwd, "shop.yaml"), file.replace("secrets/github", own));
    expect(await run(["plan", "shop.yaml"], cwd)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("belongs to authsvc itself") as string,
    });
  }
});

test("X4: no variable is sent to a host that only the file names, whatever the provider is called", async () => {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, "secrets"));
  writeFileSync(join(cwd, "secrets/github"), env.GITHUB_SECRET);
  const withProvider = (provider: string) =>
    writeFileSync(join(cwd, "shop.yaml"), `${file}      - { clientId: x, ${provider} }\n`);
  for (const [field, provider] of [
    ["clientSecret", 'name: corp, issuer: "https://evil.example"'],
    ["clientSecret", 'name: google, tokenUrl: "https://evil.example/token"'],
    ["clientSecret", 'name: gitlab, issuer: "https://gitlab.com", tokenUrl: "https://evil.example/token"'],
    ["privateKey", 'name: corp, issuer: "https://evil.example"'],
    ["privateKey", 'name: google, tokenUrl: "https://evil.example/token"'],
  ])
    for (const command of ["plan", "apply"]) {
      withProvider(`${field}: "env:GITHUB_SECRET", ${provider}`);
      const refused = await run([command, "shop.yaml", "--secrets-to", "id.corp.example"], cwd);
      const [place, rule] = refused.stderr.split(", which the file names");
      expect([provider, refused.code, place, rule]).toEqual([
        provider,
        2,
        expect.stringMatching(
          new RegExp(
            `^authsvc: shop\\.yaml line 9, column \\d+: ${field}: the variable would be sent to evil\\.example$`,
            "u",
          ),
        ),
        expect.stringContaining("--secrets-to"),
      ]);
      expect(refused.stderr).not.toContain(env.GITHUB_SECRET);
    }
  expect(await run(["app", "list", "--json"], cwd)).toMatchObject({ stdout: "[]\n" });
  for (const provider of [
    'name: google, clientSecret: "env:GITHUB_SECRET"',
    'name: corp, issuer: "https://evil.example", clientSecret: "file:secrets/github"',
  ]) {
    withProvider(provider);
    expect([provider, (await run(["plan", "shop.yaml"], cwd)).code]).toEqual([provider, 0]);
  }
});

test("a wrong file is named by line and column, whether its form or its meaning is wrong, and nothing is done", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "form.yaml"), file.replace("name: My", "nmae: My"));
  expect(await run(["apply", "form.yaml"], cwd)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "authsvc: form.yaml line 4, column 5: nmae is not a known key; did you mean name?\n",
  });
  const meaning = file.replace("file:secrets/github", "env:GITHUB_SECRET").replace("https://shop", "http://shop");
  writeFileSync(join(cwd, "meaning.yaml"), meaning);
  const { code, stdout, stderr } = await run(["apply", "meaning.yaml"], cwd);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^authsvc: meaning\.yaml line 5, column 20: redirectUris: https/);
  expect(stderr).not.toMatch(/hunter2|pipeline-key/);
  expect(await run(["app", "list", "--json"], cwd)).toMatchObject({ stdout: "[]\n" });
});

test("a file in another encoding than UTF-8 is refused, also on standard input: no letter is replaced", async () => {
  const cwd = emptyFolder();
  const latin = Buffer.from("version: 1\napplications: [{ name: M\u00FCller }]\n", "latin1");
  writeFileSync(join(cwd, "latin.yaml"), latin);
  expect((await authsvc(["plan", "latin.yaml"], { cwd })).stderr).toMatch(/the file latin\.yaml is not UTF-8 text\n$/u);
  const piped = await authsvc(["plan", "-"], { cwd, input: latin });
  expect(piped).toMatchObject({ code: 2, stderr: "authsvc: FILE: standard input is not UTF-8 text\n" });
});

test("plan --schema describes the file, without touching a database", async () => {
  const cwd = emptyFolder();
  const { code, stdout } = await run(["plan", "--schema"], cwd);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    $schema: expect.stringContaining("json-schema.org") as string,
    additionalProperties: false,
    properties: { version: { const: 1 }, applications: { type: "array" } },
  });
  expect(existsSync(join(cwd, "data"))).toBe(false);
});
