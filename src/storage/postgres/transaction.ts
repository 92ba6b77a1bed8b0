import type { Duplex } from "node:stream";
import type { PoolClient, QueryArrayConfig, QueryConfig, QueryResult } from "pg";

type Config = QueryConfig | QueryArrayConfig;

/** Parts of node-postgres that its types omit. */
type Connection = {
  stream: Duplex;
  bind(message: { statement: string }): void;
  execute(): void;
};

/** Statements whose rows nobody needs, in the form that drizzle writes. */
const answersNothing = /^(?:insert|update|delete) (?!.* returning )/su;

export type PostgresTransactions = ReturnType<typeof createPostgresTransactions>;

/**
 * Runs the transactions of one connection with as few round trips as possible: each costs several
 * times what a statement takes.
 * - BEGIN is sent with the first statement and without its own Sync. If it fails, the server skips
 *   that statement.
 * - A statement that returns nothing is not awaited but sent with the next one. If it fails,
 *   PostgreSQL refuses the rest and turns COMMIT into ROLLBACK, and the transaction fails with its
 *   error.
 */
export function createPostgresTransactions(client: PoolClient) {
  const { connection } = client as unknown as { connection: Connection };
  let isPrepared = false;
  let isDue = false;
  let unanswered: Promise<unknown>[] = [];
  let failure: { error: unknown } | undefined;

  /** Combines everything written until this turn's promises have run into one socket write. */
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
    // Without parameters pg would send a simple query, which has no Sync. After a failed BEGIN
    // the server would wait for a Sync without end.
    const asked = isFirst ? { ...config, queryMode: "extended" } : config;
    const result: QueryResult | QueryResult[] = await client.query(asked, values);
    // Includes the answer to BEGIN.
    return isFirst ? ((result as unknown as QueryResult[])[1] as QueryResult) : result;
  }

  return {
    /** The part of a client that drizzle uses. */
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

    /** Resolves when the commit is durable. */
    async commit(): Promise<void> {
      // No statement was sent.
      if (isDue) return;
      gatherWrites();
      const committed = client.query("COMMIT");
      await Promise.all([committed, ...unanswered]);
      if (failure) throw failure.error;
      if ((await committed).command !== "COMMIT")
        throw new Error("a transaction continued after one of its statements failed");
    },

    /**
     * Rolls back after `thrown` and returns the cause: the error of an earlier statement if there
     * is one, because `thrown` is then only its consequence.
     */
    async rollback(thrown: unknown): Promise<unknown> {
      if (!isDue) await client.query("ROLLBACK");
      await Promise.all(unanswered);
      return failure ? failure.error : thrown;
    },
  };
}
