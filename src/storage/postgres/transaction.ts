import { Query, type Connection, type PoolClient, type QueryArrayConfig, type QueryConfig, type QueryResult } from "pg";

type Config = QueryConfig | QueryArrayConfig;

/** Statements whose rows nobody needs, in the form that drizzle writes. */
const answersNothing = /^(?:insert|update|delete) (?!.* returning )/su;

/** Prepares BEGIN and runs it. Returns the connection, which pg passes to what is submitted. */
async function prepareBegin(client: PoolClient): Promise<Connection> {
  return await new Promise((resolve, reject) => {
    let connection: Connection;
    const begin = new Query({ name: "begin", text: "BEGIN" }, (error) => (error ? reject(error) : resolve(connection)));
    const { submit } = begin;
    begin.submit = (submitted) => {
      connection = submitted;
      return submit.call(begin, submitted);
    };
    client.query(begin);
  });
}

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
  /** Known once BEGIN is prepared. */
  let connection: Connection | undefined;
  let isDue = false;
  let unanswered: Promise<unknown>[] = [];
  let failure: { error: unknown } | undefined;

  /** Combines everything written until this turn's promises have run into one socket write. */
  function gatherWrites(): void {
    const stream = connection?.stream;
    stream?.cork();
    process.nextTick(() => stream?.uncork());
  }

  async function send(config: Config, values?: unknown[]): Promise<QueryResult> {
    gatherWrites();
    const isFirst = isDue;
    isDue = false;
    if (isFirst) {
      connection?.bind({ statement: "begin" }, true);
      connection?.execute(null, true);
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
      isDue = connection !== undefined;
      connection ??= await prepareBegin(client);
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
