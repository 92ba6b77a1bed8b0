import type { Duplex } from "node:stream";
import type { PoolClient, QueryArrayConfig, QueryConfig, QueryResult } from "pg";

type Config = QueryConfig | QueryArrayConfig;

/** What of node-postgres is not in its types. */
type Connection = {
  stream: Duplex;
  bind(message: { statement: string }): void;
  execute(): void;
};

/** Whose rows nobody asked for; as drizzle writes them. */
const answersNothing = /^(?:insert|update|delete) (?!.* returning )/su;

export type PostgresTransactions = ReturnType<typeof createPostgresTransactions>;

/**
 * The transactions of one connection, one after the other, with as few ways to the server and back as may be: each of them costs both processes
 * a system call and a switch, several times what the statement itself takes.
 * - BEGIN goes out with the first statement, and without a Sync of its own: where it fails, the server skips that statement.
 * - A statement that answers nothing is not waited for, but goes out with the next one, COMMIT included. Where it fails, PostgreSQL refuses
 *   whatever comes after it, and makes the COMMIT a ROLLBACK: the transaction fails with its error.
 */
export function createPostgresTransactions(client: PoolClient) {
  const { connection } = client as unknown as { connection: Connection };
  let isPrepared = false;
  let isDue = false;
  let unanswered: Promise<unknown>[] = [];
  let failure: { error: unknown } | undefined;

  /** What is written until this turn's promises have run is one write. */
  function gatherWrites(): void {
    const { stream } = connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  async function send(config: Config, values?: unknown[]): Promise<QueryResult> {
    gatherWrites();
    const isFirst = isDue;
    isDue = false;
    if (isFirst) {
      connection.bind({ statement: "begin" });
      connection.execute();
    }
    // Without parameters it would go out as a simple query, which has no Sync: after a BEGIN that failed, the server would wait for one for ever.
    const asked = isFirst ? { ...config, queryMode: "extended" } : config;
    const result: QueryResult | QueryResult[] = await client.query(asked, values);
    // The answer to BEGIN comes with it.
    return isFirst ? ((result as unknown as QueryResult[])[1] as QueryResult) : result;
  }

  return {
    /** What drizzle sees of a connection. */
    async query(config: Config, values?: unknown[]): Promise<QueryResult> {
      const answer = send(config, values);
      if (!answersNothing.test(config.text)) return await answer;
      unanswered.push(
        answer.catch((error: unknown) => {
          failure ??= { error };
        }),
      );
      return { command: "", rowCount: null, oid: 0, rows: [], fields: [] };
    },

    async begin(): Promise<void> {
      unanswered = [];
      failure = undefined;
      isDue = isPrepared;
      if (isPrepared) return;
      await client.query({ name: "begin", text: "BEGIN" });
      isPrepared = true;
    },

    /** Resolves when it is durable. */
    async commit(): Promise<void> {
      // Nobody has asked it anything.
      if (isDue) return;
      gatherWrites();
      const committed = client.query("COMMIT");
      await Promise.all([committed, ...unanswered]);
      if (failure) throw failure.error;
      if ((await committed).command !== "COMMIT")
        throw new Error("a transaction went on after one of its statements had failed");
    },

    /** Takes it back after `thrown`, and answers what made it fail: where that was a statement before, `thrown` says no more than that it did. */
    async rollback(thrown: unknown): Promise<unknown> {
      if (!isDue) await client.query("ROLLBACK");
      await Promise.all(unanswered);
      return failure ? failure.error : thrown;
    },
  };
}
