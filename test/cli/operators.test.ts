import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Operator = { id: string; email: string; role: string; lastLoginAt: string | null };
type Entry = { action: string; appId: string; userId: string; details: Record<string, unknown> };

const consoleUrl = "https://console.example.com";

describeEachPlace("operator", (place) => {
  const run = async (...args: string[]) => await authsvc(args, place);
  const json = async (...args: string[]) => await answer(args, place);
  const list = async () => (await json("operator", "list")) as Operator[];
  const audited = async (action: string) =>
    (await json("audit", "list", "--action", action, "--actor", actor)) as Entry[];
  let actor = "";

  beforeAll(async () => {
    await json("app", "create", "--name", "Shop", "--id", "app_shop");
    const [entry] = (await json("audit", "list", "--action", "application.create")) as { actor: string }[];
    actor = entry?.actor ?? "";
  });

  test("invite says what is missing where no console is configured", async () => {
    const { code, stderr } = await run("operator", "invite", "--email", "ada@example.com", "--role", "owner");
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringMatching(/console\.listen and console\.baseUrl/u),
    });
    place.env["AUTHSVC_CONSOLE__LISTEN"] = "127.0.0.1:9470";
    place.env["AUTHSVC_CONSOLE__BASE_URL"] = consoleUrl;
  });

  test("invite --dry-run checks everything and creates nothing", async () => {
    const invitation = ["operator", "invite", "--email", "Ada@Example.com", "--role", "owner", "--dry-run"];
    expect(await json(...invitation)).toMatchObject({
      id: null,
      email: "ada@example.com",
      role: "owner",
      link: null,
      dryRun: true,
    });
    expect(await list()).toEqual([]);
    for (const [wrong, said] of [
      [["--email", "nobody", "--role", "owner"], /--email/u],
      [["--email", "a@example.com", "--role", "boss"], /--role .*viewer, support, owner/u],
    ] as const) {
      const { code, stderr } = await run("operator", "invite", ...wrong);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(said) });
    }
  });

  test("invite prints a link where no mail can be sent, and again a new one", async () => {
    const invitation = ["operator", "invite", "--email", "ada@example.com", "--role", "owner", "--name", "Ada"];
    const { stdout, stderr } = await run(...invitation);
    expect(stdout).toMatch(/^http:\/\/localhost:8080\/\S+\n$/u);
    expect(stderr).toContain("Anybody who has it becomes this operator.");
    const again = (await json(...invitation)) as { link: string; sent: boolean };
    expect(again).toMatchObject({ sent: false, link: expect.stringMatching(/^http:\/\/localhost:8080\//u) });
    expect(`${again.link}\n`).not.toBe(stdout);
    const [ada, ...others] = await list();
    expect(others).toEqual([]);
    expect(ada).toMatchObject({ email: "ada@example.com", name: "Ada", role: "owner", lastLoginAt: null });
    expect(await audited("operator.invite")).toMatchObject(
      [1, 2].map(() => ({ appId: "app_console", userId: ada?.id, details: { role: "owner" } })),
    );
  });

  test("invite --withdraw voids the link and removes the operator", async () => {
    const invitation = ["operator", "invite", "--email", "eve@example.com", "--role", "owner"];
    const { id } = (await json(...invitation)) as { id: string };
    const before = await list();
    expect(await json("operator", "invite", "--withdraw", id, "--dry-run")).toMatchObject({ withdrawn: false });
    expect(await list()).toEqual(before);
    expect((await run("operator", "invite", "--withdraw", "eve@example.com")).stdout).toBe(
      "The invitation of eve@example.com was withdrawn.\n",
    );
    expect((await list()).map((operator) => operator.id)).not.toContain(id);
    expect(await audited("operator.invite-withdrawn")).toMatchObject([{ userId: id }]);
    expect((await run("operator", "invite", "--withdraw", "eve@example.com")).code).toBe(3);
  });

  test("list shows operators, oldest first", async () => {
    await json("operator", "invite", "--email", "bob@example.com", "--role", "viewer");
    const { stdout } = await run("operator", "list");
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/u).slice(1))).toEqual([
      ["EMAIL", "ROLE", "STATE", "LAST SEEN"],
      ["ada@example.com", "owner", "invited", "never"],
      ["bob@example.com", "viewer", "invited", "never"],
      [],
    ]);
  });

  test("update changes a role, by address or id, and only says so with --dry-run", async () => {
    const dry = await run("operator", "update", "bob@example.com", "--role", "support", "--dry-run");
    expect(dry.stdout).toContain("bob@example.com would be support.");
    expect((await list())[1]?.role).toBe("viewer");
    const { stdout } = await run("operator", "update", "bob@example.com", "--role", "support");
    expect(stdout).toBe("bob@example.com is now support.\n");
    const id = (await list())[1]?.id ?? "";
    expect(await json("operator", "update", id, "--role", "viewer")).toMatchObject({ id, role: "viewer" });
    expect((await audited("operator.update")).map(({ details }) => details["role"])).toEqual(["support", "viewer"]);
  });

  test("somebody who is no operator is not found, not even a user of an application", async () => {
    const user = (await json("user", "create", "--app", "app_shop", "--email", "eve@example.com")) as { id: string };
    for (const who of [user.id, "eve@example.com", "usr_nobody"]) {
      expect(await run("operator", "update", who, "--role", "owner")).toMatchObject({ code: 3 });
      expect(await run("operator", "remove", who, "--yes")).toMatchObject({ code: 3 });
    }
    expect(await list()).toHaveLength(2);
  });

  test("the last owner stays one", async () => {
    for (const change of [
      ["update", "ada@example.com", "--role", "viewer"],
      ["remove", "ada@example.com", "--yes"],
      ["remove", "ada@example.com", "--dry-run"],
    ]) {
      const { code, stderr } = await run("operator", ...change);
      expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("Make another one an owner first") });
    }
    expect((await list()).map(({ role }) => role)).toEqual(["owner", "viewer"]);
  });

  test("remove asks, and removes the operator", async () => {
    const removal = ["operator", "remove", "bob@example.com"];
    expect(await run(...removal)).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(await json(...removal, "--dry-run")).toMatchObject({ email: "bob@example.com", dryRun: true });
    expect(await list()).toHaveLength(2);
    expect(await json(...removal, "--yes")).toMatchObject({ email: "bob@example.com", removed: true });
    expect((await list()).map(({ email }) => email)).toEqual(["ada@example.com"]);
    expect(await audited("operator.remove")).toHaveLength(1);
  });

  test("the last operator of all may go", async () => {
    await json("operator", "remove", "ada@example.com", "--yes");
    expect(await list()).toEqual([]);
    await json("operator", "invite", "--email", "ada@example.com", "--role", "owner");
  });

  test("networks shows and sets where operators come from", async () => {
    expect(await run("operator", "networks")).toMatchObject({ code: 0, stdout: "From anywhere.\n" });
    const networks = ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"];
    expect(await json("operator", "networks", "--allow", ...networks, "--dry-run")).toMatchObject({ networks });
    expect(await json("operator", "networks")).toEqual({ networks: [] });
    expect(await json("operator", "networks", "--allow", ...networks)).toEqual({ networks });
    expect((await run("operator", "networks")).stdout).toBe(networks.map((network) => `${network}\n`).join(""));
    const wrong = await run("operator", "networks", "--allow", "10.0.0.0/8", "10.0.0.0/33");
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/--allow 2 /u),
    });
    expect(await json("operator", "networks")).toEqual({ networks });
    expect(await json("operator", "networks", "--any")).toEqual({ networks: [] });
    const entries = (await json("audit", "list", "--action", "operator.networks")) as Entry[];
    expect(entries.map(({ details }) => details)).toEqual([{ networks: networks.join(" ") }, { networks: "" }]);
  });

  describe("app_console, to which operators sign in", () => {
    const file = (content: string): string => {
      const path = join(place.cwd, "state.yaml");
      writeFileSync(path, content);
      return path;
    };

    test.each([
      ["app update", ["app", "update", "app_console", "--sign-up", "open"]],
      ["app delete", ["app", "delete", "app_console", "--yes"]],
      ["key create", ["key", "create", "--app", "app_console"]],
      [
        "client create",
        [
          "client",
          "create",
          "--app",
          "app_console",
          "--name",
          "Graphs",
          "--redirect-uri",
          "https://graphs.example.com/cb",
        ],
      ],
      ["app create", ["app", "create", "--name", "Mine", "--id", "app_console"]],
      [
        "webhook create",
        ["webhook", "create", "--app", "app_console", "--url", "https://a.example/", "--events", "user.login"],
      ],
      ["user delete", ["user", "delete", "OWNER", "--yes"]],
    ])("is refused by %s", async (_command, args) => {
      const [owner] = await list();
      const { code, stderr } = await run(...args.map((word) => (word === "OWNER" ? String(owner?.id) : word)));
      expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringMatching(/console/u) });
    });

    test("is not among the applications", async () => {
      expect(((await json("app", "list")) as { id: string }[]).map(({ id }) => id)).toEqual(["app_shop"]);
      const { stdout } = await run("export");
      expect(stdout).toContain("app_shop");
      expect(stdout).not.toContain("app_console");
    });

    test("is neither deleted nor taken over by plan and apply", async () => {
      const { stdout } = await run("export");
      const planned = await run("plan", file(stdout), "--prune");
      expect(planned.stdout + planned.stderr).not.toContain("app_console");
      await run("apply", file(stdout), "--prune", "--yes");
      expect(await list()).toHaveLength(1);
      const taken = stdout.replace("id: app_shop", "id: app_console");
      expect(taken).toContain("id: app_console");
      expect(await run("apply", file(taken), "--yes")).toMatchObject({ code: 4 });
      expect(await list()).toHaveLength(1);
    });
  });
});
