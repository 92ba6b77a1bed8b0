import { afterEach, beforeEach, expect, it } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { asNextVersion, migrationsVariable, nextVersion } from "../support/next-version.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { startCluster, startPatience, type Cluster, type Node } from "./cluster.ts";
import { startLoad } from "./load.ts";

/** Adds to the tables that the load reads and writes, as a minor version may. */
const adding = {
  "9998_next-version": `ALTER TABLE users ADD COLUMN motto text;
    ALTER TABLE logins ADD COLUMN place text NOT NULL DEFAULT 'unknown';
    ALTER TABLE sign_in_sessions ADD COLUMN place text;
    CREATE TABLE mottos (user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE, motto text NOT NULL);
    CREATE INDEX logins_place ON logins (place)`,
};
const next = { ...asNextVersion, [migrationsVariable]: JSON.stringify(adding) };

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster(2, await createTestDatabase());
}, startPatience);
afterEach(async () => await cluster.stop());

it("nodes are replaced one by one by the next version, which migrates, and no call fails or is lost", async () => {
  const [first, second] = cluster.nodes as [Node, Node];
  const load = await startLoad(cluster, await cluster.createApp(), 6);
  /** Everybody has done everything once more, on every node. */
  const goesOn = async (): Promise<void> => {
    for (const what of ["refresh", "validate", "rename", "logout"]) {
      const count = () => load.answers.filter((answer) => answer.what === what).length;
      const enough = count() + 2 * cluster.nodes.length;
      await expect.poll(count, { timeout: 120_000 }).toBeGreaterThan(enough);
    }
  };
  await goesOn();
  const third = await cluster.addNode(next);
  await goesOn();
  expect(await cluster.stopNode(first)).toBe(0);
  await goesOn();
  const fourth = await cluster.addNode(next);
  expect(await cluster.stopNode(second)).toBe(0);
  await goesOn();
  await load.stop();
  // A connection that the kernel has taken and the node has not is reset when that stops: its
  // client asks again.
  expect(load.answers.filter(({ status, balancer }) => status !== 200 && !balancer)).toEqual([]);
  await load.check([third, fourth]);

  // The version before reads the newer database no more, and says what to do.
  const refused = await cluster.addNode().then(
    () => "",
    (error: unknown) => String(error),
  );
  expect(refused).toContain("ended with 1:");
  expect(refused).toContain(
    `The database is newer than this program: authsvc ${nextVersion} migrated it (9998_next-version), and this is authsvc ${packageFile.version}.`,
  );
  expect(refused).toContain(`Run authsvc ${nextVersion} again.`);
  await load.check([third, fourth]);
});
