import { describe, expect, test } from "vitest";
import { openApp } from "../../src/process/app.ts";
import { revocations } from "../../src/records/revocations/service.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { testConfig, testMasterKey } from "../support/service.ts";
import { emptyFolder, finish, outputOf, start } from "./command.ts";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Place = Parameters<typeof answer>[1];

/** Ends a login of a new user; its id. */
async function endedLogin(place: Place, email: string): Promise<string> {
  const created = (await answer(["user", "create", "--app", "app_shop", "--email", email], place)) as { id: string };
  const { loginId, accessToken } = (await answer(["token", "mint", "--user", created.id], place)) as {
    loginId: string;
    accessToken: string;
  };
  await answer(["token", "revoke", accessToken], place);
  return loginId;
}

describeEachPlace("revocation list", (place) => {
  test("shows the entries of the application, the newest last, and none of other applications", async () => {
    for (const id of ["app_shop", "app_other"]) await answer(["app", "create", "--name", "Shop", "--id", id], place);
    const empty = await authsvc(["revocation", "list", "--app", "app_shop"], place);
    expect(empty).toMatchObject({ code: 0, stdout: "", stderr: "No login has ended in the last 24 hours.\n" });
    const [first, second] = [await endedLogin(place, "a@example.com"), await endedLogin(place, "b@example.com")];
    const at = expect.stringMatching(/^\d{4}-.*Z$/u) as string;
    const list = await answer(["revocation", "list", "--app", "app_shop"], place);
    expect(list).toEqual([
      { at, sid: first },
      { at, sid: second },
    ]);
    expect(await answer(["revocation", "list", "--app", "app_shop", "--limit", "1"], place)).toEqual([
      { at, sid: second },
    ]);
    expect(await answer(["revocation", "list", "--app", "app_other"], place)).toEqual([]);
    const shown = await authsvc(["revocation", "list", "--app", "app_shop"], place);
    expect(shown.stdout).toMatch(/^TIME +WHAT +ID\n.*login +lgn_/u);
  });

  test("refuses an application that does not exist, with 3, and a call without one, with 2", async () => {
    const unknown = await authsvc(["revocation", "list", "--app", "app_none"], place);
    expect(unknown).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("app list") as string });
    expect(await authsvc(["revocation", "list"], place)).toMatchObject({ code: 2, stdout: "" });
  });
});

describe.skipIf(process.platform === "win32")("revocation list --follow", () => {
  test("goes on with one document a line, shows nothing twice, and ends with 130 at Ctrl-C", async () => {
    const cwd = emptyFolder();
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    const logins = [await endedLogin({ cwd }, "a@example.com"), await endedLogin({ cwd }, "b@example.com")];
    const child = start(["revocation", "list", "--app", "app_shop", "--follow", "--limit", "1", "--json"], { cwd });
    const finished = finish(child);
    let said = "";
    child.stdout.on("data", (text: string) => (said += text));
    await outputOf(child, /lgn_/u);
    logins.push(await endedLogin({ cwd }, "c@example.com"));
    await expect.poll(() => said).toContain(logins[2]);
    child.kill("SIGINT");
    const { code, stdout, stderr } = await finished;
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { sid: string }).sid)).toEqual(logins.slice(1));
  });
});

describe("a database that was restored or copied", () => {
  test("V3: begins a new feed: it refuses the cursors of the other one, and has none of its entries", async () => {
    const cwd = emptyFolder();
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    const nobody = { whenGone: () => () => {}, waitFor: async <T>(something: Promise<T>) => await something };
    const feedOf = async (at?: string) => {
      const config = { ...testConfig, dataDir: `${cwd}/data`, database: { url: at, poolSize: 2 } };
      const { ctx, close } = await openApp({ ...config, masterKey: at === undefined ? undefined : testMasterKey }, {});
      const ask = async (after?: string) => await revocations(ctx).poll("app_shop", { after, wait: 0 }, nobody);
      return { ask, list: async () => await revocations(ctx).list("app_shop", 10), close };
    };
    const gone = expect.objectContaining({ code: "CURSOR_GONE" }) as Error;

    const original = await feedOf();
    const { cursor } = await original.ask();
    await endedLogin({ cwd }, "a@example.com");
    expect((await original.ask(cursor)).revoked).toHaveLength(1);
    await original.close();
    await answer(["db", "backup", `${cwd}/a.backup`], { cwd });
    await answer(["db", "restore", `${cwd}/a.backup`, "--yes", "--keep-logins"], { cwd });
    const restored = await feedOf();
    await expect(restored.ask(cursor)).rejects.toEqual(gone);
    expect(await restored.list()).toEqual([]);
    const again = await restored.ask();
    await expect(restored.ask(cursor)).rejects.toEqual(gone);
    await restored.close();

    const [url, otherUrl] = [await createTestDatabase(), await createTestDatabase()];
    const env = { AUTHSVC_MASTER_KEY: testMasterKey, AUTHSVC_DATABASE__URL: url };
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd, env });
    const first = await feedOf(url);
    await expect(first.ask(again.cursor)).rejects.toEqual(gone);
    const { cursor: ofFirst } = await first.ask();
    await expect(first.ask(cursor)).rejects.toEqual(gone);
    await endedLogin({ cwd, env }, "b@example.com");
    expect((await first.ask(ofFirst)).revoked).toHaveLength(1);
    await first.close();
    await answer(["db", "copy", "--to", otherUrl], { cwd, env });
    const second = await feedOf(otherUrl);
    await expect(second.ask(ofFirst)).rejects.toEqual(gone);
    expect(await second.list()).toEqual([]);
    await second.close();
  });
});
