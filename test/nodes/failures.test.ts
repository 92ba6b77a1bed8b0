import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startPostgres, type Postgres } from "../support/postgres.ts";
import { endNode, startCluster, startPatience, type Cluster, type Node } from "./cluster.ts";
import { startLoad } from "./load.ts";

describe.each([2, 4])("%i nodes under load", (count) => {
  let postgres: Postgres;
  let cluster: Cluster;
  beforeEach(async () => {
    postgres = await startPostgres();
    cluster = await startCluster(count, postgres.url("postgres"));
  }, startPatience);
  afterEach(async () => {
    await cluster.stop();
    await postgres.stop();
  });

  it("lose nothing that was acknowledged when one is killed, and the others carry on", async () => {
    const load = await startLoad(cluster, await cluster.createApp(), 8);
    await pause(1000);
    const [victim, ...others] = cluster.nodes as [Node, ...Node[]];
    await endNode(victim, "SIGKILL");
    const killedAt = Date.now();
    await pause(1500);
    const after = () => load.answers.filter(({ at }) => at > killedAt + 200);
    await expect.poll(() => after().length, { timeout: 60_000 }).toBeGreaterThan(50);
    await load.stop();
    // What a living node answers is never an error of its own; who spoke with the dead one is told
    // by the balancer.
    expect(load.refusals()).toEqual([]);
    expect(load.answers.filter(({ status, balancer }) => !balancer && status >= 500)).toEqual([]);
    await load.check(others);
  });

  it("answer 5xx only while the database is away, outlive it, and lose nothing", async () => {
    const load = await startLoad(cluster, await cluster.createApp(), 8);
    await pause(1000);
    const downAt = Date.now();
    await postgres.takeDown();
    const failed = () => load.answers.filter(({ status }) => status >= 500 || status === 0);
    // A call that finds no database waits for a connection before it is answered.
    await expect.poll(() => failed().length, { timeout: 60_000 }).toBeGreaterThan(0);
    await postgres.bringUp();
    // The pools need a moment until they have found their dead connections.
    const isWell = () => load.answers.slice(-100).every(({ status }) => status === 200);
    await expect.poll(isWell, { timeout: 60_000 }).toBe(true);
    const wellAt = load.answers.length;
    await expect.poll(() => load.answers.length, { timeout: 60_000 }).toBeGreaterThan(wellAt + 200);
    await load.stop();
    expect(cluster.nodes.map((node) => node.process.exitCode)).toEqual(cluster.nodes.map(() => null));
    const before = load.answers.filter(({ at }) => at < downAt);
    expect([...before, ...load.answers.slice(wellAt)].filter(({ status }) => status >= 500 || status === 0)).toEqual(
      [],
    );
    expect(load.refusals()).toEqual([]);
    await load.check(cluster.nodes);
  });
});
