import { TLSSocket } from "node:tls";
import { Client, type ClientConfig } from "pg";
import { second } from "../../lib/clock.ts";
import { needsPrimary, postgresAddresses, searchPath, withMeantSslMode } from "../../lib/postgres-addresses.ts";
import { beforeDeadline, cut } from "./deadline.ts";

/** The time for a server to close a connection. A hanging one never does. */
const maxMillisecondsToClose = second;
/**
 * Lets a healthy server report a slow statement before the whole operation times out
 * (`deadline.ts`).
 */
const statementMilliseconds = 7.5 * second;
/** Releases the locks of a node that vanished: the server does not notice its end. */
const idleInTransactionMilliseconds = 10 * second;

/** The hosts of a PostgreSQL URL. New connections start with the host that worked last. */
export class Hosts {
  readonly count: number;
  readonly needsPrimary: boolean;
  readonly searchPath: string;
  /** Per host, so that an unresponsive one leaves time for the others. */
  readonly millisecondsToConnect: number;
  readonly #addresses: string[];
  #current = 0;

  constructor(url: string, maxMillisecondsToConnect: number) {
    this.#addresses = (postgresAddresses(url) ?? [url]).map(withMeantSslMode);
    this.count = this.#addresses.length;
    this.needsPrimary = needsPrimary(url);
    this.searchPath = searchPath(url);
    this.millisecondsToConnect = maxMillisecondsToConnect / this.count;
  }

  get current(): string {
    return this.#addresses[this.#current] as string;
  }

  /** Makes the next connection use another host, unless that happened already. */
  leave(address: string): void {
    if (this.current === address) this.#current = (this.#current + 1) % this.count;
  }
}

const setSearchPath = "SELECT set_config('search_path', $1, false)";
/**
 * Everything is in one schema: tables of other programs in the next ones are never taken for ours
 * (docs/decisions/0082). Without a schema, nothing is found.
 */
const useFirstSchema =
  "SELECT current_setting('search_path') AS text, current_schemas(false)::text[] AS schemas, set_config('search_path', coalesce(quote_ident(current_schema()), ''), false)";

/** Overrides role and database: an acknowledged write has been flushed. */
const commitDurably =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

/**
 * The defaults of role or database would end a waiting statement, a long backup, or an idle
 * connection.
 */
const liftTheirTimeouts =
  "SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('lock_timeout', 'transaction_timeout', 'idle_session_timeout') AND setting <> '0'";

type OnConnected = (error: Error | null, client?: Client) => void;
type OnEnded = (error: Error) => void;

export type HostClient = InstanceType<ReturnType<typeof clientOver>>;

/**
 * Makes the class of a pool's clients. Each uses the current host, and leaves it if it is unusable.
 */
export function clientOver(hosts: Hosts) {
  return class extends Client {
    readonly address: string;
    /** The value from the URL or the role, before it is reduced to its first schema. */
    searchPath = { text: "", schemas: [] as string[] };

    constructor(config?: ClientConfig) {
      const address = hosts.current;
      super({ ...config, connectionString: address, connectionTimeoutMillis: hosts.millisecondsToConnect });
      this.address = address;
      refusePasswordInTheClear(this);
    }

    override connect(): Promise<Client>;
    override connect(callback: OnConnected): void;
    override connect(callback?: OnConnected): Promise<Client> | void {
      if (callback === undefined) return super.connect();
      super.connect((error: Error | null) => {
        if (error) hosts.leave(this.address);
        callback(error, this);
      });
    }

    override end(): Promise<void>;
    override end(callback: OnEnded): void;
    override end(callback?: OnEnded): Promise<void> | void {
      const cutting = setTimeout(() => cut(this), maxMillisecondsToClose).unref();
      this.once("end", () => clearTimeout(cutting));
      return callback === undefined ? super.end() : super.end(callback);
    }

    /**
     * Prepares a new connection. Uses statements, because PgBouncer rejects unknown startup
     * parameters. Throws if a primary is needed and this is a standby.
     */
    async beginSession(): Promise<void> {
      const deadline = performance.now() + hosts.millisecondsToConnect;
      await beforeDeadline(this, deadline, async () => {
        if (hosts.searchPath !== "") void this.query(setSearchPath, [hosts.searchPath]).catch(() => {});
        const [{ rows }, path] = await Promise.all([
          this.query<{ transaction_read_only: string }>("SHOW transaction_read_only"),
          this.query<{ text: string; schemas: string[] }>(useFirstSchema),
          this.query("SET default_transaction_isolation = 'read committed'"),
          this.query(commitDurably),
          this.query(liftTheirTimeouts),
          this.query(`SET statement_timeout = ${statementMilliseconds}`),
          this.query(`SET idle_in_transaction_session_timeout = ${idleInTransactionMilliseconds}`),
        ]);
        if (path.rows[0]) this.searchPath = path.rows[0];
        if (!hosts.needsPrimary || rows[0]?.transaction_read_only === "off") return;
        hosts.leave(this.address);
        throw new Error(`${this.host}:${this.port} is not writable: it is a standby, or set to read-only`);
      });
    }
  };
}

/**
 * Lifts the timeouts of the current transaction: reading a whole table, building an index or
 * waiting for another node may take long.
 */
export async function liftTimeouts(query: (sql: string) => Promise<unknown>): Promise<void> {
  await query("SET LOCAL statement_timeout = 0");
  await query("SET LOCAL idle_in_transaction_session_timeout = 0");
}

/** SCRAM and MD5 are safe over any connection. */
function refusePasswordInTheClear({ connection }: Client): void {
  // Runs before pg's own listener, which would send the password. Connecting fails with this error.
  connection.on("authenticationCleartextPassword", () => {
    if (!(connection.stream instanceof TLSSocket))
      connection.stream.destroy(
        new Error(
          "the server requests the cleartext password without TLS: add sslmode=verify-full, or configure the server for scram-sha-256",
        ),
      );
  });
}
