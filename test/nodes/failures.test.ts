import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startPostgres, type Postgres } from "../support/postgres.ts";
import { endNode, startCluster, startPatience, type Cluster, type Node } from "./cluster.ts";
import { startLoad } from "./load.ts";

/** A busy machine takes its time: this only ends what hangs. */
const patience = { timeout: 240_000 };

describe.each([2, 4])("%i nodes under load", (count) => {
  let postgres: Postgres;
  let cluster: Cluster;
  beforeEach(async () => {
    postgres = await startPostgres();
    cluster = await startCluster(count, postgres.url("postgres"));
  }, startPatience);
  /** A refresh that nobody answered is repeated once there is a database, which may take long. */
  const createApp = async () => await cluster.createApp({ settings: { refreshGraceSeconds: 120 } });
  afterEach(async () => {
    await cluster.stop();
    await postgres.stop();
  });

  it("lose nothing that was acknowledged when one is killed, and the others carry on", async () => {
    const load = await startLoad(cluster, await createApp(), 8);
    await expect.poll(() => load.answers.length, patience).toBeGreaterThan(50);
    const [victim, ...others] = cluster.nodes as [Node, ...Node[]];
    await endNode(victim, "SIGKILL");
    const killedAt = Date.now();
    const after = () => load.answers.filter(({ askedAt, status }) => askedAt > killedAt && status === 200);
    await expect.poll(() => after().length, patience).toBeGreaterThan(200);
    await load.stop();
    // What a living node answers is never an error of its own; who spoke with the dead one is told
    // by the balancer.
    expect(load.refusals()).toEqual([]);
    expect(load.answers.filter(({ status, balancer }) => !balancer && status >= 500)).toEqual([]);
    await load.check(others);
  });

  it("answer 5xx only while the database is away, outlive it, and lose nothing", async () => {
    const load = await startLoad(cluster, await createApp(), 8);
    await expect.poll(() => load.answers.length, patience).toBeGreaterThan(50);
    const downAt = Date.now();
    await postgres.takeDown();
    const failed = () => load.answers.filter(({ status }) => status >= 500 || status === 0);
    // A call that finds no database waits for a connection before it is answered.
    await expect.poll(() => failed().length, patience).toBeGreaterThan(0);
    await postgres.bringUp();
    // The pools need a moment until they have found their dead connections.
    const isWell = () => load.answers.slice(-100).every(({ status }) => status === 200);
    await expect.poll(isWell, patience).toBe(true);
    const wellAt = Date.now();
    // A call of before may still wait for the connection that it does not get.
    const after = () => load.answers.filter(({ askedAt }) => askedAt > wellAt);
    await expect.poll(() => after().length, patience).toBeGreaterThan(200);
    await load.stop();
    expect(cluster.nodes.map((node) => node.process.exitCode)).toEqual(cluster.nodes.map(() => null));
    const before = load.answers.filter(({ at }) => at < downAt);
    expect([...before, ...after()].filter(({ status }) => status >= 500 || status === 0)).toEqual([]);
    expect(load.refusals()).toEqual([]);
    await load.check(cluster.nodes);
  });
});
