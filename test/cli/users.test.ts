import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

const password = "correct horse battery staple";

type User = { id: string; email: string | null; disabledAt: string | null };

describeEachPlace("user commands", (place) => {
  const json = async (args: string[], input = ""): Promise<unknown> => await answer(args, { ...place, input });
  const run = async (args: string[], input = "") => await authsvc(args, { ...place, input });
  const create = async (email: string, ...more: string[]): Promise<User> =>
    (await json(["user", "create", "--app", "app_shop", "--email", email, ...more])) as User;

  beforeAll(async () => {
    await json(["app", "create", "--name", "Shop", "--id", "app_shop"]);
    await json(["app", "create", "--name", "Other", "--id", "app_other"]);
  });

  test("create makes a user with the fields of the contract; the address is stored in its one form", async () => {
    const created = await create(" Ada@Example.com", "--name", "Ada", "--verified");
    expect(created).toEqual({
      id: expect.stringMatching(/^usr_/u) as string,
      appId: "app_shop",
      email: "ada@example.com",
      emailVerified: true,
      name: "Ada",
      picture: null,
      createdAt: expect.stringMatching(/Z$/u) as string,
      updatedAt: expect.stringMatching(/Z$/u) as string,
      lastLoginAt: null,
      disabledAt: null,
      authMethods: { passkey: false, oauth: [], password: false },
    });
    expect(await json(["user", "show", created.id])).toEqual({
      ...created,
      metadata: { loginCount: 0, lastIpAddress: null, userAgent: null },
      methods: [],
    });
    expect((await run(["user", "show", created.id])).stdout).toMatch(/^Email +ada@example\.com \(verified\)$/mu);
  });

  test("unblock says what is blocked, by id and by address; a user without a block has none", async () => {
    const { id } = await create("blocked@example.com");
    expect(await json(["user", "unblock", id])).toEqual({ id, passwords: 0, factor: false });
    expect((await run(["user", "unblock", "blocked@example.com"])).stdout).toBe("Nothing is blocked.\n");
    expect((await run(["user", "unblock", "usr_nobody"])).code).toBe(3);
  });

  test("require-new-password marks one password, or those older than a time, and says who needs a reset", async () => {
    const { stdout } = await run(
      ["user", "create", "--app", "app_shop", "--email", "marked@example.com", "--password-stdin", "--json"],
      password,
    );
    const { id } = JSON.parse(stdout) as User;
    const command = ["user", "require-new-password"];
    const planned = await run([...command, id, "--dry-run"]);
    expect(planned.stdout).toContain("The password would have to change; only with a link: authsvc user reset-link");
    expect(await json([...command, id])).toEqual({ id, required: true, way: "link" });
    expect(await json([...command, "marked@example.com"])).toEqual({ id, required: false, way: "link" });
    expect(await json(["user", "show", id])).toMatchObject({ passwordMustChange: true });
    expect((await run(["user", "show", id])).stdout).toMatch(/^Password +must change$/mu);
    const lines = (await run(["user", "export", "--app", "app_shop", "--with-hashes"])).stdout;
    expect(lines.split("\n").find((line) => line.includes(id))).toContain('"mustChange":true');
    const ofApp = [...command, "--app", "app_shop", "--since"];
    expect(await json([...ofApp, "2020-01-01T00:00:00Z"])).toEqual({
      appId: "app_shop",
      required: 0,
      byReset: 0,
      byLink: 0,
    });
    expect((await run(ofApp.slice(0, -1))).code).toBe(2);
    expect((await run([...ofApp, "1h", id])).code).toBe(2);
    expect((await run([...command, "usr_nobody"])).code).toBe(3);
    const { id: without } = await create("without@example.com");
    expect((await run([...command, without])).stderr).toContain("The user has no password");
  });

  test("who waits for approval has no reset link yet, and only who waits can be refused: said before it asks", async () => {
    await run(["app", "create", "--name", "Waiting", "--id", "app_waiting"]);
    writeFileSync(join(place.cwd, "waits.jsonl"), JSON.stringify({ email: "waits@example.com", state: "pending" }));
    await run(["user", "import", "waits.jsonl", "--app", "app_waiting"]);
    expect(await run(["user", "reset-link", "waits@example.com"])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("To let them in: authsvc user approve") as string,
    });
    const { id } = await create("inside@example.com");
    expect(await run(["user", "refuse", id])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("The user does not wait for approval.") as string,
    });
    expect(await run(["user", "refuse", "waits@example.com"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes") as string,
    });
    expect((await run(["doctor"])).stdout).toContain("and 1 more has not proved their address");
  });

  test("an imported password may have to change, and has its date or an unknown one", async () => {
    const hash = "$2b$10$abcdefghijklmnopqrstuuLQv3c1yqBWVHxkd0LHAkCOYz6TtxMQJ";
    const line = (email: string, more: object) => JSON.stringify({ email, password: { hash, ...more } });
    const dated = { setAt: "2030-01-01T00:00:00.000Z" };
    const lines = [
      line("i1@example.com", { mustChange: true }),
      line("i2@example.com", dated),
      line("i3@example.com", {}),
    ];
    writeFileSync(join(place.cwd, "marked.jsonl"), lines.join("\n"));
    await run(["app", "create", "--name", "Imported", "--id", "app_dates"]);
    await run(["user", "import", "marked.jsonl", "--app", "app_dates"]);
    const since = ["user", "require-new-password", "--app", "app_dates", "--since", "2020-01-01T00:00:00Z"];
    expect(await json(["user", "show", "--app", "app_dates", "--email", "i1@example.com"])).toMatchObject({
      passwordMustChange: true,
    });
    // Of the third, nobody knows when it was set.
    expect(await json([...since, "--dry-run"])).toMatchObject({ required: 1 });
    expect(await json(since)).toMatchObject({ required: 1 });
    // An export keeps the date, so that the next installation can mark by it.
    const exported = (await run(["user", "export", "--app", "app_dates", "--with-hashes"])).stdout.split("\n");
    expect(exported.find((each) => each.includes("i2@"))).toContain(`"setAt":"${dated.setAt}"`);
    expect(exported.find((each) => each.includes("i3@"))).not.toContain("setAt");
    expect((await run(["doctor", "--json"])).stdout).toContain("whose password must change");
  });

  test("a password comes from standard input or a file, follows the rules of the app, and is never shown", async () => {
    const flags = ["user", "create", "--app", "app_shop", "--email"];
    const created = await json([...flags, "p1@example.com", "--password-stdin"], `${password}\n`);
    expect(created).toMatchObject({ authMethods: { password: true } });
    expect(JSON.stringify(created)).not.toContain(password);
    writeFileSync(join(place.cwd, "password"), password);
    const shown = (await json([...flags, "p2@example.com", "--password-file", "password"])) as User;
    expect(await json(["user", "show", shown.id])).toMatchObject({ methods: [{ type: "password" }] });
    const short = await run([...flags, "p3@example.com", "--password-stdin"], "hunter2");
    expect(short).toEqual({
      code: 2,
      signal: null,
      stdout: "",
      stderr: "authsvc: --password-stdin must be at least 15 characters\n",
    });
    const asAddress = await run(
      [...flags, "p3.long.address@example.com", "--password-stdin"],
      "p3.long.address@example.com",
    );
    expect(asAddress.stderr).toMatch(/^authsvc: --password-stdin must not be the address/u);
  });

  test.each([
    [["--app", "app_shop", "--email", "nonsense"], 2, /^authsvc: --email must be an address/u],
    [["--app", "app_shop", "--email", "x@example.com", "--name", "a\u0007"], 2, /^authsvc: --name must be 1 to 200/u],
    [["--app", "app_shop"], 2, /^authsvc: --email is missing$/mu],
    [["--email", "x@example.com"], 2, /^authsvc: --app is missing$/mu],
    [["--app", "app_none", "--email", "x@example.com"], 3, /no application/u],
    [["--app", "app_shop", "--email", "ADA@example.com"], 4, /already has this address/u],
    [["--app", "app_shop", "--email", "x@example.com", "--password", "x"], 2, /unknown option '--password'/u],
  ])("create %j ends with %i", async (args, code, line) => {
    const refused = await run(["user", "create", ...args]);
    expect(refused).toMatchObject({ code, stdout: "" });
    expect(refused.stderr).toMatch(line);
    expect(refused.stderr).toMatch(/^[^\n]*\n$/u);
  });

  test("list pages by id within one app, and finds an address", async () => {
    const other = (await json(["user", "create", "--app", "app_other", "--email", "ada@example.com"])) as User;
    for (const name of ["a", "b", "c"]) await create(`list-${name}@example.com`);
    const all = (await json(["user", "list", "--app", "app_shop"])) as User[];
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted());
    expect(all.map(({ id }) => id)).not.toContain(other.id);
    const pages: User[] = [];
    for (let after: string[] = []; ; after = ["--after", pages.at(-1)?.id ?? ""]) {
      const page = (await json(["user", "list", "--app", "app_shop", "--limit", "2", ...after])) as User[];
      pages.push(...page);
      if (page.length < 2) break;
    }
    expect(pages).toEqual(all);
    const found = await json(["user", "list", "--app", "app_shop", "--email", "List-B@example.com"]);
    expect(found).toMatchObject([{ email: "list-b@example.com" }]);
    const first = await run(["user", "list", "--app", "app_shop", "--limit", "1"]);
    expect(first.stdout).toMatch(/^USER ID +EMAIL +NAME +METHODS +LAST SIGN-IN +STATE\nusr_/u);
    expect(first.stderr).toBe(`There are more. To continue: --after ${all[0]?.id ?? ""}\n`);
    expect(await run(["user", "list", "--app", "app_other", "--email", "nobody@example.com"])).toMatchObject({
      code: 0,
      stdout: "",
    });
  });

  test("list filters and sorts as the API does", async () => {
    const flags = ["user", "list", "--app", "app_filters"];
    await json(["app", "create", "--name", "Filters", "--id", "app_filters"]);
    for (const name of ["Zoe", "adam", "Ada"])
      await json(["user", "create", "--app", "app_filters", "--email", `${name}@example.com`, "--name", name]);
    const named = async (...more: string[]) =>
      ((await json([...flags, ...more])) as { name: string }[]).map(({ name }) => name);
    expect(await named()).toEqual(["Zoe", "adam", "Ada"]);
    expect(await named("--name", "AD")).toEqual(["Ada", "adam"]);
    expect(await named("--sort", "-name")).toEqual(["Zoe", "adam", "Ada"]);
    expect(await named("--created-since", "1h", "--state", "active", "--last-login-before", "1h")).toHaveLength(3);
    expect(await named("--created-before", "1h")).toEqual([]);
    expect(await named("--last-login-since", "1h")).toEqual([]);
    const [zoe] = (await json([...flags, "--sort", "-name", "--limit", "1"])) as User[];
    expect(await named("--sort", "-name", "--after", zoe?.id ?? "")).toEqual(["adam", "Ada"]);
    for (const [more, line] of [
      [["--state", "gone"], /^authsvc: --state must be one of active, disabled, pending$/mu],
      [["--sort", "email"], /^authsvc: --sort must be one of createdAt/u],
      [["--name", ""], /^authsvc: --name must be 1 to 200 characters/u],
      [["--group", "nobody"], /^authsvc: --group is refused: the application has no such group$/mu],
      [["--created-since", "soon"], /^authsvc: the value of --created-since is not valid\. Use a time span/u],
    ] as const) {
      const refused = await run([...flags, ...more]);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(line)]);
    }
    expect(await run([...flags, "--after", "usr_gone"])).toMatchObject({ code: 3, stdout: "" });
  });

  test("show finds an address, and asks for the application where several have it", async () => {
    const { id } = await create("once@example.com");
    expect(await json(["user", "show", "--email", "Once@Example.com"])).toMatchObject({ id, methods: [] });
    const other = (await json(["user", "create", "--app", "app_other", "--email", "twice@example.com"])) as User;
    await create("twice@example.com");
    const refused = await run(["user", "show", "--email", "twice@example.com"]);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toMatch(/have a user with this address: app_other, app_shop\. Add --app\.$/mu);
    const found = await json(["user", "show", "--email", "twice@example.com", "--app", "app_other"]);
    expect(found).toMatchObject({ id: other.id });
    expect(await run(["user", "show", "--email", "nobody@example.com"])).toMatchObject({ code: 3, stdout: "" });
    expect(await run(["user", "show", "--email", "nonsense"])).toMatchObject({ code: 2 });
    expect(await run(["user", "show", id, "--email", "once@example.com"])).toMatchObject({ code: 2 });
    expect(await run(["user", "show", id, "--app", "app_shop"])).toMatchObject({ code: 2 });
  });

  test("an address is taken wherever the id of a user is", async () => {
    const { id } = await create("byaddress@example.com");
    const named = "ByAddress@example.com";
    expect(await json(["user", "show", named, "--app", "app_shop"])).toMatchObject({ id });
    expect(await json(["user", "disable", named])).toMatchObject({ id, disabledAt: expect.any(String) as string });
    expect(await json(["user", "enable", named])).toMatchObject({ id, disabledAt: null });
    expect(await json(["user", "update", named, "--name", "Ada"])).toMatchObject({ id, name: "Ada" });
    expect(await json(["user", "metadata", named])).toMatchObject({ public: {} });
    await json(["group", "create", "addressed", "--app", "app_shop"]);
    expect(await json(["group", "add", "addressed", named, "--app", "app_shop"])).toMatchObject({ added: 1 });
    expect(await json(["token", "mint", "--user", named, "--dry-run"])).toMatchObject({ userId: id });
    expect(JSON.stringify(await json(["audit", "list", "--user", named]))).toContain("user.disable");
    expect(await run(["user", "disable", "nobody@example.com"])).toMatchObject({ code: 3, stdout: "" });
    expect((await run(["user", "disable", "no address@"])).stderr).toMatch(/^authsvc: ID must be /u);

    const other = (await json(["user", "create", "--app", "app_other", "--email", "byaddress@example.com"])) as User;
    const refused = await run(["user", "disable", named]);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("Several applications have a user with this address. Use the User ID: ");
    for (const user of [id, other.id]) expect(refused.stderr).toContain(user);
    expect(await json(["group", "remove", "addressed", named, "--app", "app_shop"])).toMatchObject({ removed: 1 });
  });

  test("update changes what its flags say, and nothing with --dry-run", async () => {
    const { id } = await create("update@example.com", "--name", "Ada", "--verified");
    const flags = ["user", "update", id];
    expect(await json([...flags, "--name", "Eve", "--dry-run"])).toMatchObject({ name: "Ada", dryRun: true });
    expect(await json([...flags, "--email", "Updated@example.com"])).toMatchObject({
      email: "updated@example.com",
      emailVerified: false,
      name: "Ada",
    });
    expect(await json([...flags, "--verified", "--name", "", "--picture", "https://a.example/b.png"])).toMatchObject({
      emailVerified: true,
      name: null,
      picture: "https://a.example/b.png",
    });
    expect((await run([...flags, "--unverified", "--picture", ""])).stdout).toMatch(/\(not verified\)/u);
    await create("taken@example.com");
    for (const [more, code, line] of [
      [[], 2, /^authsvc: Nothing to change: add --email/u],
      [["--email", "nonsense"], 2, /^authsvc: --email must be an address/u],
      [["--picture", "ftp://x"], 2, /^authsvc: --picture must be an https URL/u],
      [["--email", "taken@example.com"], 4, /already has this address/u],
      [["--email", "taken@example.com", "--dry-run"], 4, /already has this address/u],
      [["--verified", "--unverified"], 2, /cannot be used with/u],
    ] as const) {
      const refused = await run([...flags, ...more]);
      expect([more, refused.code, refused.stderr]).toEqual([more, code, expect.stringMatching(line)]);
    }
    expect((await run(["user", "update", "usr_none", "--name", "x"])).code).toBe(3);
    const audited = (await json(["audit", "list", "--user", id])) as { action: string; details: { fields?: string } }[];
    expect(audited.flatMap(({ details }) => details.fields ?? []).toSorted()).toEqual([
      "email, emailVerified",
      "emailVerified, name, picture",
      "emailVerified, picture",
    ]);
  });

  test("remove-method removes the last method only with --even-last, and asks", async () => {
    const flags = ["user", "create", "--app", "app_shop", "--email", "methods@example.com", "--password-stdin"];
    const { id } = (await json(flags, password)) as User;
    const { methods } = (await json(["user", "show", id])) as { methods: { id: string }[] };
    const remove = ["user", "remove-method", id, methods[0]?.id ?? ""];
    const refused = await run([...remove, "--yes"]);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toBe(
      "authsvc: The user could not sign in without this method. To remove it anyway, add --even-last.\n",
    );
    expect((await run([...remove, "--even-last"])).stderr).toMatch(/--yes/u);
    expect(await json([...remove, "--even-last", "--dry-run"])).toMatchObject({ removed: false, dryRun: true });
    expect(await json([...remove, "--even-last", "--yes"])).toEqual({ id, methodId: methods[0]?.id, removed: true });
    expect(await json(["user", "show", id])).toMatchObject({ methods: [] });
    expect(await run([...remove, "--yes"])).toEqual({
      code: 3,
      signal: null,
      stdout: "",
      stderr: `authsvc: The user has no such method. To find it: authsvc user show ${id}\n`,
    });
    expect((await run(["user", "remove-method", "usr_none", "mth_x"])).code).toBe(3);
  });

  test("disable ends the logins, and enable brings none of them back", async () => {
    const { id } = await create("switch@example.com");
    const { accessToken } = (await json(["token", "mint", "--user", id])) as { accessToken: string };
    expect(await json(["user", "disable", id, "--dry-run"])).toMatchObject({ disabledAt: null, dryRun: true });
    expect((await run(["token", "verify"], accessToken)).code).toBe(0);
    const disabled = (await json(["user", "disable", id])) as User;
    expect(disabled.disabledAt).toMatch(/Z$/u);
    expect((await run(["token", "verify"], accessToken)).stderr).toContain("(user-disabled)");
    expect(await json(["user", "disable", id])).toEqual(disabled);
    expect(await json(["user", "enable", id])).toMatchObject({ disabledAt: null });
    expect((await run(["token", "verify"], accessToken)).code).toBe(1);
    const audited = (await json(["audit", "list", "--user", id])) as { action: string; actor: string }[];
    // Those of one moment have no order.
    expect(audited.map(({ action }) => action).toSorted()).toEqual([
      "token.mint",
      "user.create",
      "user.disable",
      "user.enable",
      "user.logout",
    ]);
    expect(new Set(audited.map(({ actor }) => actor.split(":")[0]))).toEqual(new Set(["cli"]));
  });

  test("of several users all are tried, one line each, and the exit code is that of the first failure", async () => {
    const [one, two] = [await create("several1@example.com"), await create("several2@example.com")];
    const done = await run(["user", "disable", one.id, "usr_nobody", "no address@", two.email ?? ""]);
    expect(done).toMatchObject({ code: 3, stdout: `${one.id} is disabled.\n${two.id} is disabled.\n` });
    expect(done.stderr.split("\n")).toEqual([
      expect.stringMatching(/^authsvc: usr_nobody: The user does not exist\./u),
      expect.stringMatching(/^authsvc: user 3 of 4: ID must be /u),
      "",
    ]);
    const planned = await run(["user", "enable", one.id, two.id, "--dry-run"]);
    expect(planned).toMatchObject({ code: 0, stdout: `${one.id} would be enabled.\n${two.id} would be enabled.\n` });
    const enabled = await run(["user", "enable", one.id, two.id, "--json"]);
    expect((JSON.parse(enabled.stdout) as User[]).map(({ id, disabledAt }) => [id, disabledAt])).toEqual([
      [one.id, null],
      [two.id, null],
    ]);
    const ended = await run(["user", "revoke-logins", "usr_nobody", one.id, "no address@"]);
    expect(ended).toMatchObject({ code: 3, stdout: `${one.id}: 0 logins ended.\n` });
  });

  test("logins are listed, and revoke-logins ends all of them", async () => {
    const { id } = await create("logins@example.com");
    for (const scopes of ["profile", "email"]) await json(["token", "mint", "--user", id, "--scopes", scopes]);
    const logins = (await json(["user", "logins", id])) as { id: string }[];
    expect(logins).toMatchObject([
      { userId: id, appId: "app_shop", signedInWith: "operator", scopes: ["email"], endedAt: null },
      { scopes: ["profile"] },
    ]);
    expect(await json(["user", "revoke-logins", id, "--dry-run"])).toEqual({ id, ended: 2, dryRun: true });
    expect(await json(["user", "logins", id])).toHaveLength(2);
    expect((await run(["user", "revoke-logins", id])).stdout).toBe("2 logins ended.\n");
    expect(await json(["user", "logins", id])).toEqual([]);
    expect(await json(["user", "logins", id, "--all"])).toMatchObject([
      { endReason: "operator", endedAt: expect.any(String) as string },
      { endReason: "operator" },
    ]);
  });

  test("delete demands --yes without a terminal, and leaves nothing but the bare id in the audit log", async () => {
    const { id } = await create("gone@example.com", "--name", "Gone");
    const refused = await run(["user", "delete", id]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("--yes");
    expect(await json(["user", "delete", id, "--dry-run"])).toMatchObject({ deleted: false, dryRun: true });
    expect(await json(["user", "delete", id, "--yes"])).toEqual({ id, appId: "app_shop", deleted: true });
    expect((await run(["user", "show", id])).code).toBe(3);
    expect(await json(["user", "list", "--app", "app_shop", "--email", "gone@example.com"])).toEqual([]);
    const audited = JSON.stringify(await json(["audit", "list", "--user", id]));
    expect(audited).toContain("user.delete");
    expect(audited).not.toContain("gone@example.com");
  });

  test.each(["show", "disable", "enable", "delete", "logins", "revoke-logins", "reset-link"])(
    "%s of an unknown user ends with 3, without an id with 2",
    async (name) => {
      expect(await run(["user", name, "usr_nobody", "--yes"])).toMatchObject({ code: 3, stdout: "" });
      expect(await run(["user", name])).toMatchObject({
        code: 2,
        stdout: "",
        stderr: `authsvc: ID is missing: User ID${name === "show" ? ", or --email ADDRESS" : ""}\n`,
      });
    },
  );
});
