import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

const ownKey = "pipeline-key.0123456789-ABCDEFGHIJ";

/** What a query finds in the data folder of `cwd`; much faster than asking a command. */
function stored(cwd: string, query: string): unknown[] {
  const database = new Database(join(cwd, "data/authsvc.db"), { readonly: true });
  try {
    return database.prepare(query).pluck().all();
  } finally {
    database.close();
  }
}

const allIds = "SELECT id FROM applications UNION ALL SELECT id FROM api_keys ORDER BY id";

describe("app create", () => {
  const cwd = emptyFolder();

  test("prints the application and its key as one JSON document, and nothing else anywhere", async () => {
    const uris = ["--redirect-uri", "https://a.example/cb", "--redirect-uri", "http://localhost:3000/cb"];
    const flags = ["--id", "app_shop", "--domain", "example.com", ...uris, "--methods", "passkey,oauth", "--json"];
    const { code, stdout, stderr } = await authsvc(["app", "create", "--name", "My shop", ...flags], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      application: {
        id: "app_shop",
        name: "My shop",
        domain: "example.com",
        redirectUris: ["https://a.example/cb", "http://localhost:3000/cb"],
        authMethods: { passkey: { enabled: true }, oauth: { enabled: true }, password: { enabled: false } },
      },
      apiKey: expect.stringMatching(/^ak_\w{50}$/) as string,
    });
  });

  test("shows people the App ID and the key on standard output, what to do next on standard error", async () => {
    const { code, stdout, stderr } = await authsvc(["app", "create", "--name", "Other"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^App ID {3}app_\w+\nAPI key {2}ak_\w{50}\n$/);
    expect(stderr).toContain("shown only once");
    const quiet = await authsvc(["app", "create", "--name", "Quiet", "--quiet"], { cwd });
    expect(quiet).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^App ID/) as string });
  });

  test("takes a key of one's choice from standard input or a file", async () => {
    expect(
      await answer(["app", "create", "--name", "A", "--api-key-stdin"], { cwd, input: `${ownKey}\n` }),
    ).toMatchObject({
      apiKey: ownKey,
    });
    writeFileSync(join(cwd, "key"), `${ownKey}2\r\n`);
    expect(await answer(["app", "create", "--name", "B", "--api-key-file", "key"], { cwd })).toMatchObject({
      apiKey: `${ownKey}2`,
    });
  });

  const refused: [args: string[], input: string, code: number, line: RegExp][] = [
    [["--name", ""], "", 2, /^authsvc: --name must be 1 to 200 characters$/m],
    [["--name", "a\u001b[31mb"], "", 2, /^authsvc: --name may have no control/],
    [["--name", "X", "--id", "a b"], "", 2, /^authsvc: --id must be 1 to 64/],
    [["--name", "X", "--domain", "https://a.example"], "", 2, /^authsvc: --domain must be a lower-case host/],
    [
      ["--name", "X", "--redirect-uri", "https://a.example/cb", "http://b.example/cb"],
      "",
      2,
      /^authsvc: --redirect-uri 2 must be https/,
    ],
    [["--name", "X", "--api-key-stdin"], "short", 2, /^authsvc: --api-key-stdin must be 32 to 256/],
    [
      ["--name", "X", "--api-key-stdin"],
      `${ownKey}\n${ownKey}`,
      2,
      /^authsvc: --api-key-stdin: standard input has more than one line/,
    ],
    [["--name", "X", "--id", "app_shop"], "", 4, /^authsvc: An application with this id already exists/],
    [["--name", "X", "--api-key-stdin"], ownKey, 4, /^authsvc: This API key is already in use/],
  ];

  test.each(refused)("refuses %j (input %j) with exit code %i", async (args, input, code, line) => {
    const before = stored(cwd, allIds);
    const said = await authsvc(["app", "create", ...args], { cwd, input });
    expect(said).toMatchObject({ code, stdout: "" });
    expect(said.stderr).toMatch(line);
    expect(said.stderr).toMatch(/^[^\n]*\n$/);
    expect(said.stderr).not.toContain(ownKey);
    expect(stored(cwd, allIds)).toEqual(before);
  });

  test("with --dry-run checks everything and creates nothing", async () => {
    const before = stored(cwd, allIds);
    const planned = await answer(["app", "create", "--name", "Plan", "--id", "app_plan", "--dry-run"], { cwd });
    expect(planned).toMatchObject({ application: { id: "app_plan", name: "Plan" }, dryRun: true });
    expect(planned).not.toHaveProperty("apiKey");
    expect((await authsvc(["app", "create", "--name", "P", "--redirect-uri", "x", "--dry-run"], { cwd })).code).toBe(2);
    expect((await authsvc(["app", "create", "--name", "P", "--id", "app_shop", "--dry-run"], { cwd })).code).toBe(4);
    expect(stored(cwd, allIds)).toEqual(before);
  });

  test("is in the audit log under the operating-system user, and the key is not in the files", () => {
    const actors = stored(cwd, "SELECT DISTINCT actor FROM audit_events WHERE app_id = 'app_shop'");
    expect(actors).toEqual([`cli:${userInfo().username}`]);
    for (const file of readdirSync(join(cwd, "data")))
      expect(readFileSync(join(cwd, "data", file), "latin1")).not.toContain(ownKey);
  });

  test.skipIf(process.platform === "win32")("keeps the data from other users of the machine", () => {
    const modes = ["data", "data/authsvc.db", "data/master.key"].map((file) => statSync(join(cwd, file)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });
});

describe("app list and app show", () => {
  const cwd = emptyFolder();

  test("an empty service lists nothing", async () => {
    expect(await authsvc(["app", "list", "--json"], { cwd })).toMatchObject({ code: 0, stdout: "[]\n" });
    const { stdout, stderr } = await authsvc(["app", "list"], { cwd });
    expect(stdout).toBe("");
    expect(stderr).toContain("authsvc app create");
  });

  test("show the same object, as JSON and for people", async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop", "--redirect-uri", "https://a.example/cb"], {
      cwd,
    });
    const shown = await answer(["app", "show", "app_shop"], { cwd });
    expect(shown).toMatchObject({ id: "app_shop", name: "Shop", stats: { totalUsers: 0 } });
    expect(await answer(["app", "list"], { cwd })).toEqual([shown]);
    expect((await authsvc(["app", "list"], { cwd })).stdout).toMatch(
      /^APP ID +NAME +DOMAIN +METHODS +USERS\napp_shop +Shop +- +passkey, password +0\n$/,
    );
    expect((await authsvc(["app", "show", "app_shop"], { cwd })).stdout).toMatch(
      /^Redirect URIs +https:\/\/a\.example\/cb$/m,
    );
  });

  test("find the data of --data, of AUTHSVC_DATA and of a configuration file alike", async () => {
    const elsewhere = emptyFolder();
    const data = join(cwd, "data");
    const expected = { code: 0, stdout: expect.stringContaining("app_shop") as string };
    expect(await authsvc(["--data", data, "app", "list"], { cwd: elsewhere })).toMatchObject(expected);
    expect(await authsvc(["app", "list"], { cwd: elsewhere, env: { AUTHSVC_DATA: data } })).toMatchObject(expected);
    mkdirSync(join(elsewhere, "etc"));
    writeFileSync(join(elsewhere, "etc/a.yaml"), `data: ${data}\n`);
    expect(await authsvc(["app", "list", "--config", "etc/a.yaml"], { cwd: elsewhere })).toMatchObject(expected);
    expect(readdirSync(elsewhere)).toEqual(["etc"]);
  });

  test("an unknown App ID is exit code 3", async () => {
    const said = await authsvc(["app", "show", "app_nobody", "--json"], { cwd });
    expect(said).toMatchObject({
      code: 3,
      stdout: "",
      stderr: "authsvc: There is no application with this id. To find it: authsvc app list\n",
    });
  });
});

describe("key create", () => {
  const cwd = emptyFolder();

  test("prints the new key once, with the field names of the contract", async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    expect(await answer(["key", "create", "--app", "app_shop"], { cwd })).toEqual({
      id: expect.stringMatching(/^key_/) as string,
      appId: "app_shop",
      label: null,
      apiKey: expect.stringMatching(/^ak_\w{50}$/) as string,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string,
    });
    expect(
      await answer(["key", "create", "--app", "app_shop", "--api-key-stdin"], { cwd, input: ownKey }),
    ).toMatchObject({
      apiKey: ownKey,
    });
    expect((await authsvc(["key", "create", "--app", "app_shop"], { cwd })).stdout).toMatch(
      /^Key ID .*\nApp ID .*\nAPI key {2}ak_\w{50}\n$/,
    );
  });

  test("key generate makes one that is accepted, and the refusal of another form names it", async () => {
    const refused = await authsvc(["key", "create", "--app", "app_shop", "--api-key-stdin"], {
      cwd,
      input: Buffer.alloc(32, 0xfb).toString("base64"),
    });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^authsvc: --api-key-stdin must be 32 to 256 .*: authsvc key generate\n$/u);
    const { stdout: key } = await authsvc(["key", "generate"], { cwd: emptyFolder() });
    expect(key).toMatch(/^ak_\w{50}\n$/u);
    expect(await answer(["key", "generate"], { cwd })).not.toEqual({ apiKey: key.trim() });
    const created = await answer(["key", "create", "--app", "app_shop", "--api-key-stdin"], { cwd, input: key });
    expect(created).toMatchObject({ apiKey: key.trim() });
  });

  test("refuses an unknown application with 3 and a known key with 4, also as a dry run", async () => {
    expect((await authsvc(["key", "create", "--app", "app_nobody"], { cwd })).code).toBe(3);
    expect((await authsvc(["key", "create", "--app", "app_nobody", "--dry-run"], { cwd })).code).toBe(3);
    expect(
      (await authsvc(["key", "create", "--app", "app_shop", "--api-key-stdin"], { cwd, input: ownKey })).code,
    ).toBe(4);
    expect(await answer(["key", "create", "--app", "app_shop", "--dry-run"], { cwd })).toEqual({
      appId: "app_shop",
      dryRun: true,
    });
  });
});
