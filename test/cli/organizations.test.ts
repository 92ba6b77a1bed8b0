import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";
import { addedRoles, nextRoleSets, roleSets } from "../support/role-changes.ts";

type Json = Record<string, unknown>;

describeEachPlace("organization", (place) => {
  const run = async (...args: string[]) => await authsvc([...args, "--app", "app_shop"], place);
  const json = async (...args: string[]) => (await answer([...args, "--app", "app_shop"], place)) as Json;
  const list = async (...args: string[]) => (await json(...args)) as unknown as Json[];
  let ada = "";
  let bob = "";

  beforeAll(async () => {
    for (const id of ["app_shop", "app_other"]) await answer(["app", "create", "--name", id, "--id", id], place);
    const user = async (name: string) =>
      String((await json("user", "create", "--email", `${name}@example.com`, "--verified"))["id"]);
    [ada, bob] = [await user("ada"), await user("bob")];
  });

  it("is refused while organizations are off", async () => {
    const refused = await run("organization", "list");
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("--organizations on")]);
    await answer(["app", "update", "app_shop", "--organizations", "on", "--organization-roles", "billing"], place);
  });

  it("create, list, show, update, disable, enable and delete go through its life", async () => {
    expect(await json("organization", "create", "Acme", "--owner", ada, "--dry-run")).toMatchObject({ dryRun: true });
    expect(await list("organization", "list")).toEqual([]);
    const { id } = await json("organization", "create", "Acme", "--owner", ada);
    expect(await list("organization", "list")).toMatchObject([{ id, slug: "acme" }]);
    const bad = await run("organization", "create", "acme.com", "--owner", ada);
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("NAME")]);
    const update = ["organization", "update", "acme"];
    expect(await json(...update, "--max-members", "5", "--dry-run")).toMatchObject({ maxMembers: 5 });
    expect(await json("organization", "show", "acme")).toMatchObject({ id, maxMembers: null, members: 1, owners: 1 });
    expect(await json(...update, "--slug", "acme-inc", "--public-metadata", '{"plan":"pro"}')).toMatchObject({
      slug: "acme-inc",
      publicMetadata: { plan: "pro" },
    });
    expect(await run(...update)).toMatchObject({ code: 2 });
    // The old slug still finds it.
    expect(await json("organization", "disable", "acme")).toMatchObject({ id, disabledAt: expect.any(String) });
    expect(await json("organization", "enable", String(id))).toMatchObject({ disabledAt: null });
    expect(await run("organization", "show", "none")).toMatchObject({ code: 3 });
    expect(await run("organization", "delete", "acme")).toMatchObject({ code: 2 });
    expect(await json("organization", "delete", "acme", "--dry-run")).toMatchObject({ deleted: false });
    expect(await json("organization", "delete", "acme", "--yes")).toMatchObject({ deleted: true, members: 1 });
    const gone = await run("organization", "show", "acme");
    expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining("authsvc organization list --app APPID")]);
  });

  it("member add, update, remove and list change its members", async () => {
    await json("organization", "create", "Crew", "--owner", ada);
    const member = async (...args: string[]) => await json("organization", "member", ...args);
    expect(await run("organization", "member", "update", "crew", bob, "--roles", "member")).toMatchObject({ code: 3 });
    expect(await member("add", "crew", bob, "--roles", "member", "--dry-run")).toMatchObject({ id: bob });
    expect(await list("organization", "member", "list", "crew")).toHaveLength(1);
    const required = await run("organization", "update", "crew", "--second-factor", "required", "--dry-run");
    expect(required.stderr).toContain("1 person must set up a second factor at the next sign-in");
    expect(await member("add", "crew", "bob@example.com", "--roles", "member,billing")).toMatchObject({
      roles: ["billing", "member"],
    });
    const unknown = await run("organization", "member", "update", "crew", bob, "--roles", "member,boss");
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("--roles 2")]);
    expect(await member("update", "crew", bob, "--roles", "admin")).toMatchObject({ roles: ["admin"] });
    expect(await member("remove", "crew", bob)).toMatchObject({ removed: true });
    expect(await run("organization", "member", "remove", "crew", bob)).toMatchObject({ code: 3 });
    const invited = await run("organization", "invite", "crew", "eve@example.com", "--roles", "member");
    expect([invited.code, invited.stderr]).toEqual([
      2,
      expect.stringContaining("ADDRESS is refused: the service has no mail"),
    ]);
  });

  it("show has domains and open invitations", async () => {
    await json("organization", "create", "Shown", "--owner", ada);
    const show = ["organization", "show", "shown"];
    expect(await json(...show)).toMatchObject({ domains: [], invitations: [] });
    expect((await run(...show)).stdout).not.toMatch(/DOMAIN|INVITED/u);
    await json("organization", "domain", "add", "shown", "shown.example", "--join", "ask");
    await json("organization", "domain", "add", "shown", "vouched.example", "--proved");
    const env = { AUTHSVC_MAIL__SMTP_URL: "smtp://127.0.0.1:1", AUTHSVC_MAIL__FROM: "shop@example.com" };
    const invite = ["organization", "invite", "shown", "eve@example.com", "--roles", "member,billing"];
    await answer([...invite, "--app", "app_shop"], { ...place, env: { ...place.env, ...env } });
    expect(await json(...show)).toMatchObject({
      domains: [
        { domain: "shown.example", state: "pending", join: "ask", record: { value: expect.any(String) } },
        { domain: "vouched.example", state: "proved", join: "off", record: null },
      ],
      invitations: [{ email: "eve@example.com", roles: ["billing", "member"], inviterId: null }],
    });
    const { stdout } = await run(...show);
    expect(stdout).toMatch(/^shown\.example +pending +ask +- +-$/mu);
    expect(stdout).toMatch(/^vouched\.example +proved +off +- +-$/mu);
    expect(stdout).toMatch(/^eve@example\.com +billing, member +20\S+Z$/mu);
  });

  it("Q2: member add, update and remove make every change of roles, the last owner's too (29)", async () => {
    await answer(["app", "update", "app_shop", "--organization-roles", addedRoles.join(",")], place);
    await json("organization", "create", "All", "--owner", ada, "--slug", "all-roles");
    const member = async (act: string, roles?: string[]) =>
      await json("organization", "member", act, "all-roles", ada, ...(roles ? ["--roles", roles.join(",")] : []));
    for (const before of roleSets) {
      for (const after of nextRoleSets) {
        expect(await member("add", before)).toMatchObject({ roles: before });
        expect(await member(after ? "update" : "remove", after)).toMatchObject(
          after ? { roles: after } : { removed: true },
        );
      }
    }
  });

  it("export and import move organizations with their members, and can be repeated", async () => {
    await json("organization", "create", "Moved", "--owner", bob, "--slug", "moved");
    await json("organization", "member", "add", "moved", ada, "--roles", "admin");
    const exported = (await authsvc(["organization", "export", "--app", "app_shop"], place)).stdout;
    const lines = exported
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { slug: string; members: Json[] });
    const moved = lines.find(({ slug }) => slug === "moved");
    expect(moved?.members).toHaveLength(2);
    expect(moved?.members).toContainEqual({ email: "ada@example.com", roles: ["admin"] });
    await answer(["app", "update", "app_other", "--organizations", "on"], place);
    const other = ["--app", "app_other"];
    for (const name of ["ada", "bob"])
      await answer(["user", "create", "--email", `${name}@example.com`, "--verified", ...other], place);
    const file = join(place.cwd, "organizations.jsonl");
    const stranger = { email: "stranger@example.com", roles: ["member"] };
    writeFileSync(file, `${JSON.stringify({ ...moved, members: [...(moved?.members ?? []), stranger] })}\n{}\nx\n`);
    const imported = async () => await authsvc(["organization", "import", file, "--json", ...other], place);
    const first = await imported();
    // Nobody can be invited without a mail server.
    expect(JSON.parse(first.stdout)).toMatchObject({ lines: 3, created: 1, added: 2, invited: 0, refused: 3 });
    expect(first.code).toBe(1);
    const wrong = [
      [],
      { extra: 1, slug: "s", name: "N", members: [] },
      { slug: "s", name: "N", members: [{ email: "a" }] },
    ];
    writeFileSync(join(place.cwd, "wrong.jsonl"), wrong.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const refused = await authsvc(["organization", "import", "wrong.jsonl", ...other], place);
    expect(refused.stderr.trim().split("\n")).toEqual([
      "line 1: organization: must be a JSON object",
      'line 2: organization: unknown key "extra"',
      "line 3: members.0.roles: required, a list",
    ]);
    expect(JSON.parse((await imported()).stdout)).toMatchObject({ created: 0, added: 2 });
    expect(await answer(["organization", "show", "moved", ...other], place)).toMatchObject({ members: 2, owners: 1 });
  });
});
