import { beforeAll, describe, expect, test } from "vitest";
import { emptyFolder, finish, outputOf, start } from "./command.ts";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Event = { id: string; at: string; action: string; appId: string | null; userId: string | null };

describeEachPlace("audit list", (place) => {
  let userId = "";
  const json = async (args: string[]): Promise<Event[]> => (await answer(["audit", "list", ...args], place)) as Event[];

  beforeAll(async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
    await answer(["app", "create", "--name", "Other", "--id", "app_other"], place);
    const created = await answer(["user", "create", "--app", "app_shop", "--email", "a@example.com"], place);
    userId = (created as { id: string }).id;
  });

  test("shows what happened, the newest last, with who did it", async () => {
    const all = await json([]);
    expect(all).toHaveLength(5);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted());
    expect(all.at(-1)).toEqual({
      id: expect.stringMatching(/^aud_/u) as string,
      at: expect.stringMatching(/^\d{4}-.*Z$/u) as string,
      actor: expect.stringMatching(/^cli:/u) as string,
      action: "user.create",
      result: "success",
      appId: "app_shop",
      userId,
      ipAddress: null,
      requestId: null,
      details: {},
      target: null,
      changes: null,
    });
    expect((await authsvc(["audit", "list"], place)).stdout).toMatch(
      /^TIME +ACTOR +ACTION +RESULT +APP ID +USER ID +DETAILS\n/u,
    );
  });

  test("by action, result, actor, address and time, in either order", async () => {
    const [created] = await json(["--action", "user.create"]);
    const actor = (created as Event & { actor: string }).actor;
    expect(created).toMatchObject({ action: "user.create" });
    expect(await json(["--actor", actor])).toHaveLength(5);
    expect(await json(["--actor", actor, "--action", "user.create", "--result", "success"])).toEqual([created]);
    expect(await json(["--result", "failure"])).toEqual([]);
    expect(await json(["--actor", `user:${userId}`])).toEqual([]);
    expect(await json(["--address", "192.0.2.7"])).toEqual([]);
    expect(await json(["--before", "1h"])).toEqual([]);
    expect(await json(["--sort", "-at", "--limit", "1"])).toEqual([created]);
    expect(await json(["--sort", "at", "--limit", "1"])).toEqual((await json([])).slice(0, 1));
    for (const flags of [
      ["--result", "maybe"],
      ["--sort", "actor"],
      ["--before", "soon"],
      ["--follow", "--before", "1h"],
    ])
      expect((await authsvc(["audit", "list", ...flags], place)).code).toBe(2);
  });

  test("by application, by user, since a moment, and only the newest", async () => {
    expect(new Set((await json(["--app", "app_other"])).map(({ appId }) => appId))).toEqual(new Set(["app_other"]));
    expect(await json(["--user", userId])).toHaveLength(1);
    expect(await json(["--app", "app_other", "--user", userId])).toEqual([]);
    expect(await json(["--limit", "1"])).toMatchObject([{ action: "user.create" }]);
    expect(await json(["--since", "1h"])).toHaveLength(5);
    expect(await json(["--since", "2020-01-01"])).toHaveLength(5);
    expect(await json(["--since", "2999-01-01T00:00:00Z"])).toEqual([]);
    expect(await authsvc(["audit", "list", "--since", "2999-01-01"], place)).toMatchObject({ code: 0, stdout: "" });
  });

  test.each([
    [["--since", "yesterday"], /Use a time span/u],
    [["--since", "2026-13-01"], /Use a time span/u],
    [["--since", "2026-11-20T10:00"], /Use a time span/u],
    [["--limit", "0"], /whole number from 1 to 10000/u],
  ])("%j is refused with 2", async (args, line) => {
    const refused = await authsvc(["audit", "list", ...args], place);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(line);
  });
});

type Changed = Event & { target: string | null; changes: Record<string, { from: string; to: string }> | null };

describeEachPlace("audit list --target", (place) => {
  const run = async (...args: string[]): Promise<{ id: string }> => (await answer(args, place)) as { id: string };
  const newClient = async (...args: string[]): Promise<{ id: string }> => {
    const created = await answer(["client", "create", "--app", "app_shop", ...args], place);
    return (created as { client: { id: string } }).client;
  };
  const newEndpoint = async (): Promise<{ id: string }> => {
    const flags = ["--url", "https://a.example/hook", "--events", "user.login"];
    return await run("webhook", "create", "--app", "app_shop", ...flags);
  };
  const about = async (target: string): Promise<Changed[]> =>
    (await answer(["audit", "list", "--target", target], place)) as Changed[];
  // Two of one instant have no order.
  const actions = async (target: string): Promise<string[]> =>
    (await about(target)).map(({ action }) => action).toSorted();
  const hook = "https://hooks.example.com/services/T000/the-secret-part?key=the-secret-query";

  beforeAll(async () => {
    await run("app", "create", "--name", "Shop", "--id", "app_shop");
  });

  test("what was done to an application, a client, a key, a group, an endpoint, a provider, a resource, a person", async () => {
    const client = await newClient("--name", "Web", "--redirect-uri", "https://a.example/cb");
    await run("client", "secret", "create", client.id);
    await run("client", "update", client.id, "--enabled", "off");
    expect(await actions(client.id)).toEqual([
      "client-secret.create",
      "client-secret.create",
      "client.create",
      "client.update",
    ]);
    const key = await run("key", "create", "--app", "app_shop");
    await run("key", "revoke", key.id);
    expect(await actions(key.id)).toEqual(["api-key.create", "api-key.revoke"]);
    const endpoint = await newEndpoint();
    await run("webhook", "delete", endpoint.id, "--yes");
    expect(await actions(endpoint.id)).toEqual(["webhook.create", "webhook.delete"]);
    const person = await run("user", "create", "--app", "app_shop", "--email", "ann@example.com");
    await run("group", "create", "staff", "--app", "app_shop");
    await run("group", "add", "staff", person.id, "--app", "app_shop");
    const [created] = (await answer(["audit", "list", "--action", "group.create"], place)) as Changed[];
    expect(created?.target).toMatch(/^grp_/u);
    expect(await actions(created?.target ?? "")).toEqual(["group.add", "group.create"]);
    expect(await actions(person.id)).toEqual(["group.add", "user.create"]);
    await run("resource", "create", "--app", "app_shop", "--identifier", "https://api.example.com");
    expect(await actions("https://api.example.com")).toEqual(["resource.create"]);
    for (const id of ["one", "two"])
      await authsvc(["app", "provider", "set", "app_shop", "google", "--client-id", id, "--client-secret-stdin"], {
        ...place,
        input: "secret-of-google",
      });
    expect((await about("app_shop/google")).map(({ changes }) => changes)).toEqual([
      null,
      { clientId: { from: "one", to: "two" } },
    ]);
    expect(await actions("app_shop")).toEqual(["application.create"]);
    expect(await about("app_none")).toEqual([]);
  });

  test("with the old and the new value of each setting that is neither secret nor personal", async () => {
    await run(
      "app",
      "update",
      "app_shop",
      "--sign-up",
      "closed",
      "--password-min-length",
      "20",
      "--redirect-uri",
      "https://a.example/1",
    );
    await run(
      "app",
      "update",
      "app_shop",
      "--redirect-uri",
      "https://a.example/1",
      "https://a.example/2",
      "--name",
      "Store",
    );
    const [, first, second] = await about("app_shop");
    expect(first?.changes).toEqual({
      redirectUris: { from: "", to: "https://a.example/1" },
      "settings.signUp": { from: "open", to: "closed" },
      "settings.passwordMinLength": { from: "15", to: "20" },
    });
    expect(second?.changes).toEqual({
      name: { from: "Shop", to: "Store" },
      redirectUris: { from: "", to: "https://a.example/2" },
    });
    const shown = await authsvc(["audit", "list", "--target", "app_shop"], place);
    expect(shown.stdout).toContain("settings.signUp: open -> closed");
  });

  test("G1: a path of a webhook, a logout address, a constant of tokens and public keys are not in it", async () => {
    const endpoint = await newEndpoint();
    await run("webhook", "update", endpoint.id, "--url", hook);
    const client = await newClient("--name", "Back");
    await run("client", "update", client.id, "--backchannel-logout-uri", hook);
    const claims = [{ claim: "tenant", from: "value", value: "the-secret-constant", in: ["access"] }];
    await run("app", "update", "app_shop", "--claims", JSON.stringify(claims));
    const changes = [await about(endpoint.id), await about(client.id), await about("app_shop")].map(
      (all) => all.at(-1)?.changes,
    );
    expect(changes).toEqual([
      { url: { from: "https://a.example", to: "https://hooks.example.com" } },
      { backchannelLogoutUri: { from: "", to: "https://hooks.example.com" } },
      { claims: { from: "", to: "tenant from value" } },
    ]);
    expect(JSON.stringify(await answer(["audit", "list"], place))).not.toMatch(/the-secret|secret-of/u);
  });
});

describe.skipIf(process.platform === "win32")("audit list --follow", () => {
  test("continues with one document a line, shows nothing twice, and ends with 130 at Ctrl-C", async () => {
    const cwd = emptyFolder();
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    const child = start(["audit", "list", "--follow", "--limit", "1", "--json"], { cwd });
    const finished = finish(child);
    let said = "";
    child.stdout.on("data", (text: string) => (said += text));
    await outputOf(child, /api-key\.create|application\.create/u);
    await answer(["key", "create", "--app", "app_shop"], { cwd });
    await expect.poll(() => said).toMatch(/\n[^\n]*api-key\.create[^\n]*\n$/u);
    await answer(["app", "update", "app_shop", "--name", "Shop 2"], { cwd });
    await expect.poll(() => said).toContain("application.update");
    child.kill("SIGINT");
    const { code, stdout, stderr } = await finished;
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Event);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(events.slice(-2).map(({ action }) => action)).toEqual(["api-key.create", "application.update"]);
  });

  test("ends when nobody reads any more", async () => {
    const cwd = emptyFolder();
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    const child = start(["audit", "list", "--follow"], { cwd });
    const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
    await outputOf(child, /api-key\.create/u);
    child.stdout.destroy();
    await answer(["key", "create", "--app", "app_shop"], { cwd });
    expect(await closed).toBe(0);
  });
});
