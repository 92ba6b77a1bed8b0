import { Client, Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { consumeCode, insertSession } from "../../src/sign-in/store.ts";
import { openStorage } from "../../src/storage/open.ts";
import { createPostgresPool } from "../../src/storage/postgres/pool.ts";
import { planAnewNowAndThen } from "../../src/storage/postgres/plans.ts";
import { createPostgresStorage } from "../../src/storage/postgres/postgres.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { sessionOf } from "./rows.ts";

const appId = "app_plans";
let pool: Pool;
let storage: Storage;

beforeAll(async () => {
  const url = await createTestDatabase();
  const migrated = await openStorage({ url, poolSize: 1, file: "" }, 0, () => {});
  await migrated.close();
  // One connection, so that what is asked of it is what was prepared on it.
  pool = createPostgresPool(url, 1, () => {});
  storage = createPostgresStorage(pool);
  // Sessions of an application that there is not.
  await pool.query("SET session_replication_role = replica");
});
afterAll(async () => {
  await pool.end();
});

async function redeem(codeDigest: string): Promise<void> {
  await storage.write((tx) =>
    consumeCode(tx, { codeDigest, appId, loginId: "lgn_1", door: "contract", publicOnly: false }, 0),
  );
}

/** The rows that the connection reads to find one code, with the plan that it has for that. */
async function rowsRead(codeDigest: string): Promise<number> {
  const { rows } = await pool.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE consume_code(0, 'lgn_1', '${codeDigest}', '${appId}', 'contract')`,
  );
  return rowsOf(rows[0]?.["QUERY PLAN"][0].Plan);
}

type PlanNode = { "Actual Rows"?: number; "Rows Removed by Filter"?: number; Plans?: PlanNode[] };

function rowsOf(node: PlanNode | undefined): number {
  if (!node) return 0;
  const inner = (node.Plans ?? []).map(rowsOf).reduce((sum, rows) => sum + rows, 0);
  return (node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0) + inner;
}

it("a plan made for an empty table is not what a full one is searched by", async () => {
  // From the sixth time on PostgreSQL keeps one plan for all values. For a table without rows any
  // index is as good as the one of the code.
  for (let time = 0; time < 10; time += 1) await redeem("unknown");
  await storage.write(async (tx) => {
    for (let n = 0; n < 5000; n += 1) {
      const session = sessionOf(appId, `digest ${n}`, 1);
      await insertSession(tx, { ...session, codeDigest: `code ${n}` });
    }
  });
  for (let time = 0; time < 200; time += 1) await storage.ping();
  expect(await rowsRead("code 7")).toBeLessThan(10);
});

it("a connection plans anew after 200 uses, then after 400, and then every 800", () => {
  const uses = new Pool();
  const asked: number[] = [];
  let use = 0;
  const client = Object.assign(new Client(), { query: async () => asked.push(use) }) as unknown as PoolClient;
  planAnewNowAndThen(uses);
  while (use < 4000) {
    use += 1;
    uses.emit("acquire", client);
  }
  expect(asked).toEqual([200, 600, 1400, 2200, 3000, 3800]);
});
