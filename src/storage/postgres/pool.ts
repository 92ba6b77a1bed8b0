import { Pool, type PoolClient } from "pg";
import { second } from "../../lib/clock.ts";
import { clientOver, Hosts, type HostClient } from "./hosts.ts";
import { planAnewNowAndThen } from "./plans.ts";

/** The limit for getting a free or new connection, over all hosts. */
const maxMillisecondsToConnect = 5 * second;

type OnAcquired = Parameters<Pool["connect"]>[0];

/** A pool that tries the hosts of a URL in turn for each new connection. */
class HostsPool extends Pool {
  readonly #hosts: Hosts;

  constructor(url: string, poolSize: number) {
    const hosts = new Hosts(url, maxMillisecondsToConnect);
    super({
      Client: clientOver(hosts),
      max: poolSize,
      connectionTimeoutMillis: maxMillisecondsToConnect,
      idleTimeoutMillis: 60 * second,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * second,
      // A connection serves one caller at a time. A transaction sends some statements without
      // waiting for the previous one (`transaction.ts`).
      pipeline: true,
      application_name: "authsvc",
      // pg-pool awaits it, contrary to its types.
      onConnect: ((client: HostClient) => client.beginSession()) as unknown as () => void,
    });
    this.#hosts = hosts;
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: OnAcquired): void;
  override connect(callback?: OnAcquired): Promise<PoolClient> | void {
    // The pool's `query` passes a callback. Nothing here uses it.
    if (callback !== undefined) return super.connect(callback);
    return this.#hosts.count === 1 ? super.connect() : this.#tryAll();
  }

  async #tryAll(): Promise<PoolClient> {
    const givenUpAt = performance.now() + maxMillisecondsToConnect;
    const reasons: string[] = [];
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        reasons.push((error as Error).message);
        if (reasons.length === this.#hosts.count || performance.now() >= givenUpAt)
          throw new Error(reasons.join("; "), { cause: error });
      }
    }
  }
}

/**
 * `onIdleError` reports connections that die while idle: without a listener, node-postgres ends the
 * process.
 */
export function createPostgresPool(url: string, poolSize: number, onIdleError: (error: Error) => void): Pool {
  const pool = new HostsPool(url, poolSize);
  pool.on("error", onIdleError);
  // pg-pool listens only on idle clients. An error of a client in use already fails its query;
  // without a listener it would also end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  planAnewNowAndThen(pool);
  return pool;
}
