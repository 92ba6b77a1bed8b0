import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Json = Record<string, unknown>;

describeEachPlace("group", (place) => {
  const run = async (...args: string[]) => await authsvc(args, place);
  const json = async (...args: string[]) => (await answer(args, place)) as Json;
  const list = async (app = "app_shop") => (await answer(["group", "list", "--app", app], place)) as Json[];
  const ids: string[] = [];

  beforeAll(async () => {
    for (const id of ["app_shop", "app_other"]) await json("app", "create", "--name", id, "--id", id);
    for (const name of ["ada", "bob"])
      ids.push(String((await json("user", "create", "--app", "app_shop", "--email", `${name}@example.com`))["id"]));
  });

  it("create, list, add, show, remove and delete go through the life of a group", async () => {
    const app = ["--app", "app_shop"];
    expect(await json("group", "create", "staff", ...app, "--dry-run")).toMatchObject({ name: "staff", dryRun: true });
    expect(await list()).toEqual([]);
    expect(await json("group", "create", "staff", ...app)).toMatchObject({ name: "staff" });
    expect(await run("group", "create", "staff", ...app)).toMatchObject({ code: 4 });
    expect(await json("group", "add", "staff", ...ids, ...app, "--dry-run")).toMatchObject({ added: 2, dryRun: true });
    expect(await json("group", "show", "staff", ...app)).toMatchObject({ name: "staff", count: 0, members: [] });
    expect(await json("group", "add", "staff", ...ids, ...app)).toMatchObject({ added: 2 });
    const page = await run("group", "show", "staff", ...app, "--limit", "1");
    expect(page.stdout).toContain("@example.com");
    expect(page.stderr).toContain(`--after ${ids.toSorted()[0]}`);
    expect(await json("group", "remove", "staff", ids[0] ?? "", ...app)).toMatchObject({ removed: 1 });
    expect(await json("group", "show", "staff", ...app)).toMatchObject({ count: 1, members: [{ id: ids[1] }] });
    const required = ["group", "update", "staff", ...app, "--second-factor", "required"];
    for (const more of [["--dry-run"], []])
      expect((await run(...required, ...more)).stderr).toContain("1 person must set up a second factor");
    expect(await run("group", "delete", "staff", ...app)).toMatchObject({ code: 2 });
    expect(await json("group", "delete", "staff", ...app, "--yes")).toMatchObject({ deleted: true, members: 1 });
    expect(await list()).toEqual([]);
  });

  it("a batch with a user who does not exist adds nobody", async () => {
    await json("group", "create", "batch", "--app", "app_shop");
    expect(await run("group", "add", "batch", ids[0] ?? "", "usr_nobody", "--app", "app_shop")).toMatchObject({
      code: 3,
    });
    expect(await json("group", "show", "batch", "--app", "app_shop")).toMatchObject({ count: 0 });
    expect(await run("group", "add", "batch", ids[0] ?? "", "--app", "app_other")).toMatchObject({ code: 3 });
    const bad = await run("group", "create", "no space", "--app", "app_shop");
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("GROUP must be 1 to 64 letters")]);
  });

  it("user metadata shows and patches both parts", async () => {
    const [id = ""] = ids;
    expect(await json("user", "metadata", id)).toEqual({ public: {}, private: {} });
    const patch = ["--public", '{"plan":"pro"}', "--private", '{"customer":4711}'];
    expect(await json("user", "metadata", id, ...patch, "--dry-run")).toMatchObject({ public: { plan: "pro" } });
    expect(await json("user", "metadata", id)).toEqual({ public: {}, private: {} });
    expect(await json("user", "metadata", id, ...patch)).toEqual({
      public: { plan: "pro" },
      private: { customer: 4711 },
    });
    expect(await json("user", "metadata", id, "--public", "null")).toMatchObject({ public: {} });
    expect(await run("user", "metadata", id, "--public", "[]")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--public must be a JSON object"),
    });
  });

  it("app update sets claims, and client update the groups that it allows", async () => {
    const claims = [{ claim: "roles", from: "groups", in: ["access", "id"] }];
    expect(await json("app", "update", "app_other", "--claims", JSON.stringify(claims))).toMatchObject({ claims });
    const reserved = JSON.stringify([{ claim: "sub", from: "groups", in: ["access"] }]);
    const refused = await run("app", "update", "app_other", "--claims", reserved);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("sub is reserved")]);
    const shape = await run("app", "update", "app_other", "--claims", '[{"claim":1}]');
    expect([shape.code, shape.stderr]).toEqual([2, expect.stringContaining("--claims 0.claim")]);
    expect(await json("app", "update", "app_other", "--claims", "")).toMatchObject({ claims: null });
    await json("group", "create", "staff", "--app", "app_other");
    await json("client", "create", "--app", "app_other", "--id", "wiki", "--name", "Wiki", "--allowed-groups", "staff");
    const unknown = await run("client", "update", "wiki", "--allowed-groups", "staff,none");
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("--allowed-groups 2")]);
    expect(await run("group", "delete", "staff", "--app", "app_other", "--yes")).toMatchObject({ code: 4 });
    expect(await json("client", "update", "wiki", "--allowed-groups", "")).toMatchObject({ allowedGroups: null });
  });

  it("plan, apply and export have groups, claims and allowed groups", async () => {
    const file = join(place.cwd, "state.yaml");
    const state = (groups: string, more = "") => `version: 1
applications:
  - id: app_code
    name: Code
    groups: [${groups}]
    claims: [{ claim: roles, from: groups, in: [access, id, userinfo] }]
    clients: [{ id: code_wiki, name: Wiki, allowedGroups: [${groups}] }]
${more}`;
    writeFileSync(file, state("staff, admins"));
    const planned = (await answer(["plan", file], place)) as Json;
    expect(JSON.stringify(planned)).toContain('"group"');
    await json("apply", file, "--yes");
    expect((await list("app_code")).map(({ name }) => name)).toEqual(["admins", "staff"]);
    expect(await run("plan", file, "--detailed-exitcode")).toMatchObject({ code: 0 });
    const exported = join(place.cwd, "exported.yaml");
    writeFileSync(exported, (await run("export")).stdout);
    expect(await run("plan", exported, "--prune", "--detailed-exitcode")).toMatchObject({ code: 0 });
    // Fewer groups: the client no longer allows one, and then it can be deleted.
    const rest = (await run("export")).stdout
      .replaceAll(/^ {6}- admins\n/gmu, "")
      .replaceAll(/^ {10}- admins\n/gmu, "");
    writeFileSync(exported, rest);
    expect(await run("plan", exported, "--prune", "--detailed-exitcode")).toMatchObject({ code: 5 });
    await json("apply", exported, "--prune", "--yes");
    expect((await list("app_code")).map(({ name }) => name)).toEqual(["staff"]);
    writeFileSync(file, state("no space"));
    const bad = await run("plan", file);
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("line 5, column 14: groups: 1 to 64 letters")]);
  });

  it("user export and import carry metadata and groups, and an import creates no group", async () => {
    await json("group", "create", "kept", "--app", "app_shop");
    await json("group", "add", "kept", ids[1] ?? "", "--app", "app_shop");
    await json("user", "metadata", ids[1] ?? "", "--public", '{"plan":"pro"}', "--private", '{"limit":1}');
    const { stdout } = await run("user", "export", "--app", "app_shop");
    const line = JSON.parse(stdout.split("\n").find((one) => one.includes(ids[1] ?? "-")) ?? "{}") as Json;
    expect(line).toMatchObject({ groups: ["kept"], publicMetadata: { plan: "pro" }, privateMetadata: { limit: 1 } });
    const file = join(place.cwd, "users.jsonl");
    writeFileSync(file, JSON.stringify({ ...line, id: "copied", handle: undefined, email: "copy@example.com" }));
    expect((await run("user", "import", file, "--app", "app_other")).stderr).toContain("groups[0]");
    await json("group", "create", "kept", "--app", "app_other");
    expect(await run("user", "import", file, "--app", "app_other")).toMatchObject({ code: 0 });
    expect(await json("user", "metadata", "copied")).toEqual({ public: { plan: "pro" }, private: { limit: 1 } });
    expect(await json("group", "show", "kept", "--app", "app_other")).toMatchObject({ members: [{ id: "copied" }] });
    const large = { email: "large@example.com", publicMetadata: { text: "x".repeat(5000) } };
    writeFileSync(file, JSON.stringify(large));
    expect((await run("user", "import", file, "--app", "app_other")).stderr).toContain("publicMetadata");
  });
});
