import { beforeAll, expect, it } from "vitest";
import { foldStale } from "../../../src/people/folding.ts";
import type { User } from "../../../src/users/user.ts";
import { insertUser } from "../../../src/users/store.ts";
import { manyUsers, plainScanOf, randomOf, somePart } from "../../support/many-names.ts";
import { bearer } from "../../support/methods.ts";
import { call } from "../../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../../support/service.ts";

type Page = { users: { id: string; name: string | null }[]; nextCursor: string | null; notSearchable?: number };

const seed = Number(process.env["AUTHSVC_FUZZ_SEED"] ?? (process.env["CI"] ? 20_261_129 : Date.now() % 1_000_000));
const count = 10_000;

const foldAll = async ({ server }: TestService): Promise<void> => await foldStale(server.app.ctx, async () => true);

async function insert({ server }: TestService, users: User[]): Promise<void> {
  for (let from = 0; from < users.length; from += 1000)
    await server.app.ctx.storage.write(async (tx) => {
      for (const user of users.slice(from, from + 1000)) await insertUser(tx, user);
    });
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
});
