import type { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { eq } from "drizzle-orm";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import type { AppError } from "../../../src/lib/errors.ts";
import { programFiles } from "../../../src/lib/program-files.ts";
import * as operators from "../../../src/operators/service.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import { folding, foldStale } from "../../../src/people/folding.ts";
import * as newUsers from "../../../src/people/new-users.ts";
import * as profiles from "../../../src/people/profile.ts";
import { searcher } from "../../../src/people/searcher.ts";
import { countStale } from "../../../src/people/search-store.ts";
import { searchAll, searchPeople } from "../../../src/people/search.ts";
import type { Handle } from "../../../src/storage/storage.ts";
import * as groups from "../../../src/users/groups/service.ts";
import type { User } from "../../../src/users/user.ts";
import { deleteUser, updateUser } from "../../../src/users/store.ts";
import { freePort } from "../../support/free-port.ts";
import { runSql } from "../../cli/sql.ts";
import { userOf } from "../../storage/rows.ts";
import { manyUsers, plainScanOf, randomOf, somePart } from "../../support/many-names.ts";
import { bearer } from "../../support/methods.ts";
import { call } from "../../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../../support/service.ts";

type Page = { users: { id: string; name: string | null }[]; nextCursor: string | null; notSearchable?: number };

const seed = Number(process.env["AUTHSVC_FUZZ_SEED"] ?? (process.env["CI"] ? 20_261_129 : Date.now() % 1_000_000));
const count = 10_000;

const foldAll = async ({ server }: TestService): Promise<void> => await foldStale(server.app.ctx, async () => true);

/** By the text of a statement: parameters for so many rows take Drizzle ten seconds. */
async function insert(service: TestService, users: User[]): Promise<void> {
  const each = service.dialect === "sqlite" ? "json_each" : "json_array_elements";
  for (let from = 0; from < users.length; from += 2000) {
    const some = users.slice(from, from + 2000);
    const rows = JSON.stringify(
      some.map(({ id, appId, email, name, createdAt }) => [id, appId, email, name, createdAt]),
    );
    await runSql(
      service,
      `INSERT INTO users (id, app_id, email, email_verified, name, handle, created_at, updated_at, login_count)
        SELECT value ->> 0, value ->> 1, value ->> 2, FALSE, value ->> 3, value ->> 0, CAST(value ->> 4 AS bigint), 0, 0
        FROM ${each}('${rows.replaceAll("'", "''")}') AS rows`,
    );
  }
}

describeEachDatabase("GET /applications/{appId}/users?search=", (current) => {
  let app: TestApp;
  let users: User[];
  let plainScan: (text: string) => string[];
  const random = randomOf(seed);

  beforeAll(async () => {
    app = await current().createApp();
    users = manyUsers(app.id, count, random);
    plainScan = plainScanOf(users);
    await insert(current(), users);
    await foldAll(current());
  });

  async function get(query: Record<string, string>, key = app): Promise<{ status: number; body: Page }> {
    const path = `/applications/${key.id}/users?${new URLSearchParams(query).toString()}`;
    return (await call(current(), "GET", path, bearer(key.apiKey))) as never;
  }
  async function find(search: string, more: Record<string, string> = {}, key = app): Promise<string[]> {
    const found: string[] = [];
    // A thousand are enough to see whether the next pages are right.
    for (let cursor = {}; found.length < 1000;) {
      const { status, body } = await get({ search, limit: "200", ...more, ...cursor }, key);
      expect([search, status, body.notSearchable]).toEqual([search, 200, undefined]);
      found.push(...body.users.map(({ id }) => id));
      if (body.nextCursor === null) break;
      cursor = { cursor: body.nextCursor };
    }
    return found.slice(0, 1000);
  }

  it(`finds who a plain scan of ${count} names of many scripts finds, the newest first (AUTHSVC_FUZZ_SEED=${seed})`, async () => {
    for (let time = 0; time < 60; time += 1) {
      const text = Array.from({ length: 1 + random(2) }, () => somePart(users, random)).join(" ");
      if (text.trim() === "") continue;
      expect([text, await find(text)]).toEqual([text, plainScan(text).slice(0, 1000)]);
    }
  });

  it.each(["%", "_", '"', "*", "-", "(", "NEAR", "\\", "'", "a_", "100%", "z"])("takes %j literally", async (text) => {
    expect(await find(text)).toEqual(plainScan(text).slice(0, 1000));
  });

  it("reads 10,001 users who wait to be folded, of whichever application, and says that there are more", async () => {
    const { ctx } = current().server.app;
    await folding(ctx).stop();
    await ctx.storage.write(async ({ db, tables: { userSearch } }) => {
      await db.update(userSearch).set({ folded: null, fold: 0 });
    });
    const other = await current().createApp();
    const names = ["Oldest", "Older"];
    await insert(
      current(),
      names.map((name, createdAt) => ({ ...userOf(other.id, `usr_${name}`), email: null, name, createdAt })),
    );
    const found = async (search: string) => {
      const { users, notSearchable } = (await get({ search }, other)).body;
      return [users.map(({ name }) => name), notSearchable];
    };
    expect([await found("older"), await found("oldest")]).toEqual([
      [["Older"], 10_001],
      [[], 10_001],
    ]);
    expect(await countStale(ctx.storage.reader, { appId: undefined })).toBe(10_001);
    await foldAll(current());
    expect(await found("oldest")).toEqual([["Oldest"], undefined]);
  });
});

const by = { actor: { kind: "cli", name: "test" } } as const;
const refusals = {
  "1 to 256 characters, no control characters": ["", " ", "a".repeat(10_000), "\u202Eada", "a\u2066b", "a\nb"],
  "at most 16 words": ["a b c d e f g h i j k l m n o p q"],
  "a part of an address or name, or a user ID": ["…", "… …"],
};

const console = { host: "127.0.0.1", port: await freePort(), baseUrl: "http://127.0.0.1" };

describeEachDatabase("a search", { console }, (current) => {
  let app: TestApp;
  let other: TestApp;
  const ids = new Map<string, string>();

  const ctxOf = () => current().server.app.ctx;
  const path = (key: TestApp, query: Record<string, string>): string =>
    `/applications/${key.id}/users?${new URLSearchParams(query).toString()}`;
  async function get(query: Record<string, string>, key = app) {
    const { status, body } = await call(current(), "GET", path(key, query), bearer(key.apiKey));
    return { status, body: body as Page & { error?: { code: string; details: string } } };
  }
  const names = async (search: string, more = {}, key = app): Promise<(string | null)[]> =>
    (await get({ search, ...more }, key)).body.users.map(({ name }) => name);
  async function add(key: TestApp, name: string, email: string): Promise<string> {
    current().clock.advance(1000);
    const input = { appId: key.id, email, emailVerified: true, name, password: undefined };
    return (await newUsers.create(ctxOf(), input, { dryRun: false }, by)).id;
  }
  const waiting = async (): Promise<number> => await countStale(ctxOf().storage.reader, { appId: undefined });

  beforeAll(async () => {
    app = await current().createApp();
    other = await current().createApp();
    // The tests say when.
    await folding(ctxOf()).stop();
    for (const [name, email] of [
      ["Ada Lovelace", "ada@shop.example"],
      ["Anne-Marie O’Brien", "am@shop.example"],
      ["José Łukasz Großmann", "jose@bank.example"],
      ["ΣΟΦΟΣ Иванов", "sofia@bank.example"],
      ["Max", "max@usr.example"],
    ] as const)
      ids.set(name, await add(app, name, email));
    ids.set("elsewhere", await add(other, "Ada Elsewhere", "ada@elsewhere.example"));
  });

  it.each(["waits to be folded", "was folded"])("finds a user who %s by any part of name and address", async (how) => {
    if (how === "was folded") await foldStale(ctxOf(), async () => true);
    expect(await waiting()).toBe(how === "was folded" ? 0 : 6);
    expect(await names("LOVE")).toEqual(["Ada Lovelace"]);
    expect(await names("ada shop.ex")).toEqual(["Ada Lovelace"]);
    expect(await names("shop")).toEqual(["Anne-Marie O’Brien", "Ada Lovelace"]);
    for (const text of ["annemarie", "anne-marie", "obrien", "o'brien", "O‘Brien", "marie brien"])
      expect([text, await names(text)]).toEqual([text, ["Anne-Marie O’Brien"]]);
    for (const text of ["josé", "JOSE", "lukasz", "ŁUKASZ", "grossmann", "großm", "mann jose"])
      expect([text, await names(text)]).toEqual([text, ["José Łukasz Großmann"]]);
    for (const text of ["σοφος", "ΣΟΦΟ", "οσ", "иВан", "sofia"])
      expect([text, await names(text)]).toEqual([text, ["ΣΟΦΟΣ Иванов"]]);
    expect(await names("ada bank")).toEqual([]);
    expect(await names("<b>ada</b>")).toEqual([]);
    expect(await names("ada", {}, other)).toEqual(["Ada Elsewhere"]);
  });

  it("finds an id by its beginning, as a whole and as the console shortens it, never by a part in the middle", async () => {
    const id = String(ids.get("Ada Lovelace"));
    for (const text of [id, id.toUpperCase(), ` ${id} `, id.slice(0, -1), `${id.slice(0, 8)}…${id.slice(-6)}`])
      expect([text, await names(text)]).toEqual([text, ["Ada Lovelace"]]);
    expect(await names("usr_")).toHaveLength(5);
    // The address of the last one has it too.
    expect(await names("usr")).toEqual(["Max"]);
    expect(await names(`${id.slice(0, -1)} ada`)).toEqual(["Ada Lovelace"]);
    for (const text of [id.slice(4), id.slice(-6), `usr_…${id.slice(-6)}`, String(ids.get("elsewhere"))])
      expect([text, await names(text)]).toEqual([text, []]);
  });

  it("finds an id of another form as a whole only, folded or not", async () => {
    const app = await current().createApp();
    const imported = ["42", "4242", "42-0000-42"].map((id) => ({
      ...userOf(app.id, id),
      email: null,
      name: "Imported",
    }));
    await insert(current(), imported);
    for (const fold of [async () => {}, async () => await foldStale(ctxOf(), async () => true)]) {
      await fold();
      expect((await get({ search: "42" }, app)).body.users.map(({ id }) => id)).toEqual(["42"]);
      expect(await names("4", {}, app)).toEqual([]);
    }
  });

  it("finds who is in a state and a group, page by page", async () => {
    await groups.create(ctxOf(), app.id, "staff", by);
    for (const name of ["Ada Lovelace", "Max"]) await groups.add(ctxOf(), app.id, "staff", [String(ids.get(name))], by);
    await userAdministration.disable(ctxOf(), String(ids.get("Max")), { dryRun: false }, by);
    expect(await names("a", { group: "staff" })).toEqual(["Max", "Ada Lovelace"]);
    expect(await names("a", { group: "staff", state: "active" })).toEqual(["Ada Lovelace"]);
    expect(await names("a", { state: "disabled" })).toEqual(["Max"]);
    expect(await names(String(ids.get("Max")), { state: "active" })).toEqual([]);
    const found: (string | null)[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body }: Awaited<ReturnType<typeof get>> = await get({
        search: "a",
        limit: "2",
        ...(cursor && { cursor }),
      });
      found.push(...body.users.map(({ name }) => name));
      cursor = body.nextCursor;
    }
    expect(found).toEqual(["Max", "ΣΟΦΟΣ Иванов", "José Łukasz Großmann", "Anne-Marie O’Brien", "Ada Lovelace"]);
    await userAdministration.enable(ctxOf(), String(ids.get("Max")), { dryRun: false }, by);
  });

  it("refuses other orders and filters, unknown groups, and the cursor of another search or application", async () => {
    const more = { sort: "name", email: "a@b.example", name: "a", createdSince: "2026-01-01T00:00:00Z" };
    for (const [field, value] of Object.entries(more)) {
      const { status, body } = await get({ search: "a", [field]: value });
      expect([status, body.error?.details]).toEqual([400, `${field}: it cannot be combined with search`]);
    }
    expect((await get({ search: "a", group: "nobody" })).status).toBe(400);
    expect((await get({ search: "a", state: "asleep" })).status).toBe(400);
    const { nextCursor } = (await get({ search: "a", limit: "1" })).body;
    const cursor = String(nextCursor);
    expect((await get({ search: "a", limit: "1", cursor })).status).toBe(200);
    for (const [query, key] of [
      [{ search: "b", cursor }, app],
      [{ search: "a", state: "active", cursor }, app],
      [{ search: "a", cursor: `${cursor.slice(0, -2)}AA` }, app],
      [{ cursor }, app],
      [{ search: "a", cursor }, other],
    ] as const)
      expect((await get(query, key)).status).toBe(400);
  });

  it("refuses what no name has, and says why", async () => {
    for (const [rule, texts] of Object.entries(refusals))
      for (const search of texts) {
        const { status, body } = await get({ search });
        expect([search, status, body.error?.details]).toEqual([search, 400, `search: ${rule}`]);
      }
    expect(await names("a d l o v e c . p @ s h m x")).toEqual(["Ada Lovelace"]);
    // An application's server, not somebody with an access token.
    expect((await call(current(), "GET", path(app, { search: "ada" }), {})).status).toBe(401);
  });

  it("finds a change at once, and nobody after the transaction that deletes them", async () => {
    const id = await add(app, "Grace Hopper", "grace@shop.example");
    expect(await names("hopper")).toEqual(["Grace Hopper"]);
    await foldStale(ctxOf(), async () => true);
    await userAdministration.update(ctxOf(), id, { name: "Grace Murray" }, { dryRun: false }, by);
    expect([await names("hopper"), await names("murray")]).toEqual([[], ["Grace Murray"]]);
    await foldStale(ctxOf(), async () => true);
    expect([await names("hopper"), await names("murray")]).toEqual([[], ["Grace Murray"]]);
    const rowsIn = async ({ db, tables: { userSearch } }: Handle): Promise<number> =>
      (await db.select().from(userSearch).where(eq(userSearch.userId, id))).length;
    await ctxOf().storage.write<void>(async (tx, rollBack) => {
      await deleteUser(tx, id);
      expect(await rowsIn(tx)).toBe(0);
      throw rollBack(undefined);
    });
    expect(await names("murray")).toEqual(["Grace Murray"]);
    await profiles.remove(ctxOf(), id, by);
    expect([await names("murray"), await rowsIn(ctxOf().storage.reader)]).toEqual([[], 0]);
    await ctxOf().storage.forgetDeleted();
    expect((await current().databaseText()).toLowerCase()).not.toContain("grace murray");
  });

  it("finds the people of all applications, and no operators", async () => {
    const operator = { email: "ada@operators.example", role: "owner", name: "Ada" } as const;
    await operators.invite(ctxOf(), operator, { link: true }, by);
    for (const fold of [async () => {}, async () => await foldStale(ctxOf(), async () => true)]) {
      await fold();
      const { people } = await searchPeople(ctxOf(), { text: "ada", limit: 50, cursor: undefined });
      expect(people.map(({ name }) => name)).toEqual(["Ada Elsewhere", "Ada Lovelace"]);
    }
    const query = { text: "ada", group: "staff", limit: 50, cursor: undefined };
    await expect(searchPeople(ctxOf(), query)).rejects.toMatchObject({ rejected: { field: "group" } });
  });

  it("folds 500 by itself, and says how many cannot be found until they are folded", async () => {
    const app = await current().createApp();
    const users = Array.from({ length: 620 }, (_, number) => ({
      ...userOf(app.id, `usr_crowd${1000 + number}`),
      name: `Crowd ${1000 + number}`,
      createdAt: number,
    }));
    await insert(current(), users);
    expect((await get({ search: "crowd 1619" }, app)).body).toMatchObject({ users: [{ id: "usr_crowd1619" }] });
    expect((await get({ search: "crowd 1119" }, app)).body).toEqual({
      users: [],
      nextCursor: null,
      notSearchable: 120,
    });
    await foldStale(ctxOf(), async () => true);
    const { users: found, ...rest } = (await get({ search: "crowd 1119" }, app)).body;
    expect([found.map(({ id }) => id), rest]).toEqual([["usr_crowd1119"], { nextCursor: null }]);
  });

  it("is refused if twenty wait", async () => {
    const query = { text: "ada", limit: 50, cursor: undefined };
    const asked = await Promise.allSettled(Array.from({ length: 25 }, () => searchPeople(ctxOf(), query)));
    const refused = asked.filter((each) => each.status === "rejected");
    expect(refused.map(({ reason }) => (reason as AppError).code)).toEqual(Array.from({ length: 5 }, () => "BUSY"));
    expect(await names("lovelace")).toEqual(["Ada Lovelace"]);
  });

  it("is refused if four of its application wait, while those of others and of operators are not", async () => {
    const asking = [...Array.from({ length: 20 }, () => app.id), other.id, undefined];
    const asked = await Promise.allSettled(
      asking.map((appId) => searchPeople(ctxOf(), { text: "nobody", appId, limit: 50, cursor: undefined })),
    );
    const codes = asked.map((each) => (each.status === "rejected" ? (each.reason as AppError).code : "found"));
    expect(codes).toEqual([
      ...Array.from({ length: 4 }, () => "found"),
      ...Array.from({ length: 16 }, () => "BUSY"),
      "found",
      "found",
    ]);
    expect(await names("lovelace")).toEqual(["Ada Lovelace"]);
  });

  it("says of commands that there are more only if there are", async () => {
    const app = await current().createApp();
    const users = Array.from({ length: 2_100 }, (_, number) => ({
      ...userOf(app.id, `usr_row${10_000 + number}`),
      email: null,
      name: number < 2_050 ? "Crowd" : "Rare",
      createdAt: number,
    }));
    await insert(current(), users);
    await foldStale(ctxOf(), async () => true);
    const find = async (limit: number, after?: string) => {
      const found = await searchAll(ctxOf(), { text: "rare", appId: app.id }, { limit, after });
      return [found.users.length, found.more];
    };
    expect([await find(49), await find(50), await find(51)]).toEqual([
      [49, true],
      [50, false],
      [50, false],
    ]);
    // Behind the first slice is one more.
    await userAdministration.update(ctxOf(), "usr_row10000", { name: "Rare" }, { dryRun: false }, by);
    await foldStale(ctxOf(), async () => true);
    expect([await find(50), await find(50, "usr_row12050")]).toEqual([
      [50, true],
      [1, false],
    ]);
  });
});

describeEachDatabase("the search of a service", (current) => {
  it("runs beside the thread that serves on SQLite, which rests after ten minutes, and folds by itself", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const app = await service.createApp();
    await insert(service, [{ ...userOf(app.id, "usr_1"), name: "Ada" }]);
    const asked: string[] = [];
    const { prepare } = Database.prototype;
    Database.prototype.prepare = function (this: Database.Database, text: string) {
      asked.push(text);
      return prepare.call(this, text);
    } as typeof prepare;
    onTestFinished(() => void (Database.prototype.prepare = prepare));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const find = async () => await searchPeople(ctx, { text: "ada", limit: 50, cursor: undefined });
    expect(searcher(ctx).isInThread()).toBe(false);
    for (let time = 0; time < 2; time += 1) {
      expect((await find()).people.map(({ id }) => id)).toEqual(["usr_1"]);
      expect(searcher(ctx).isInThread()).toBe(service.dialect === "sqlite");
      vi.advanceTimersByTime(10 * 60_000);
      expect(searcher(ctx).isInThread()).toBe(false);
    }
    expect(asked.filter((text) => text.includes("instr("))).toEqual([]);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await countStale(ctx.storage.reader, { appId: undefined })).toBe(0), 30_000);
  });

  it("starts another thread if the one that rests died", async ({ skip }) => {
    const service = current();
    skip(service.dialect !== "sqlite", "they are about SQLite");
    const { ctx } = service.server.app;
    const started = vi.spyOn(programFiles, "thread");
    onTestFinished(() => started.mockRestore());
    const find = async () => await searchPeople(ctx, { text: "nobody", limit: 50, cursor: undefined });
    const thread = (): Worker => started.mock.results.at(-1)?.value as Worker;
    await find();
    await thread().terminate();
    expect(searcher(ctx).isInThread()).toBe(false);
    expect((await find()).people).toEqual([]);
    expect(started).toHaveBeenCalledTimes(2);
    const failed = thread();
    failed.emit("error", new Error("out of memory"));
    expect(searcher(ctx).isInThread()).toBe(false);
    expect((await find()).people).toEqual([]);
    expect(started).toHaveBeenCalledTimes(3);
    await failed.terminate();
    expect(searcher(ctx).isInThread()).toBe(true);
  });

  it("makes a row stale that is renamed while it is folded", async () => {
    const service = current();
    const { ctx } = service.server.app;
    await folding(ctx).stop();
    const app = await service.createApp();
    const user = { ...userOf(app.id, "usr_2"), name: "Before" };
    await insert(service, [user]);
    const renamed = Promise.withResolvers<void>();
    // On SQLite a transaction must not wait; there they run one after the other anyway.
    const waits = service.dialect === "postgres";
    const began = Promise.withResolvers<void>();
    const renaming = ctx.storage.write(async (tx) => {
      await updateUser(tx, user.id, { name: "After", updatedAt: 1 });
      began.resolve();
      if (waits) await renamed.promise;
    });
    await began.promise;
    await foldStale(ctx, async () => true);
    renamed.resolve();
    await renaming;
    for (let time = 0; time < 2; time += 1) {
      const find = async (text: string) => await searchPeople(ctx, { text, limit: 50, cursor: undefined });
      expect([(await find("before")).people.length, (await find("after")).people.length]).toEqual([0, 1]);
      await foldStale(ctx, async () => true);
    }
    expect(await countStale(ctx.storage.reader, { appId: undefined })).toBe(0);
  });
});
