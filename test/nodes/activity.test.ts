import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { findMiscounts } from "../../src/applications/counter-store.ts";
import { auditedCountsOf, countsOf, withoutUnaudited } from "../support/activity.ts";
import { newEmail, redeem, signedUp, signIn } from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { startCluster, startPatience, type Cluster } from "./cluster.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster(2, await createTestDatabase());
}, startPatience);
afterAll(async () => await cluster.stop());

it("two nodes count what happens into one number, without a deadlock", async () => {
  const app = await cluster.createApp();
  const { reader } = cluster.operator.ctx.storage;
  const [people, times, failures] = [12, 4, 30];
  await Promise.all(
    cluster.nodes.flatMap(({ service }) =>
      Array.from({ length: people }, async () => {
        const { email } = await signedUp(service, app);
        for (let time = 1; time < times; time += 1) await redeem(service, app, await signIn(service, app, { email }));
      }),
    ),
  );
  const attempts = Array.from({ length: failures }, async (_, turn) => {
    const node = cluster.nodes[turn % 2] ?? cluster;
    await expect(signIn(node.service, app, { email: newEmail() })).rejects.toThrow("sign-in answered 401");
  });
  await Promise.all(attempts);

  const expected = {
    "sign-up password": 2 * people,
    "sign-in password": 2 * people * times,
    active: 2 * people,
    "sign-in.failed password": failures,
  };
  await vi.waitFor(async () => expect(await countsOf(reader, app.id)).toEqual(expected), 60_000);
  expect(withoutUnaudited(await countsOf(reader))).toEqual(await auditedCountsOf(reader));
  expect(await findMiscounts(reader, Date.now())).toEqual([]);

  const { activityCounts: counts } = reader.tables;
  const shards = await reader.db.selectDistinct({ shard: counts.shard }).from(counts).where(eq(counts.appId, app.id));
  expect(shards.length).toBeGreaterThan(1);
  const deadlocks = sql<string>`(SELECT deadlocks FROM pg_stat_database WHERE datname = current_database())`;
  expect(await reader.db.select({ deadlocks }).from(counts).limit(1)).toEqual([{ deadlocks: "0" }]);
});
