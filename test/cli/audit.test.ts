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
