/**
 * A PostgreSQL server as the seed has it: one statement at a time runs there, and who waits for a
 * lock goes on when the generator says so.
 */
import type { Socket } from "node:net";
import { Client } from "pg";
import type { Generator } from "./generator.ts";
import { time, type Owner } from "./time.ts";

/** A connection as the server sees it. */
export type Session = {
  node: string;
  /** Undefined before it connects. */
  socket: Socket | undefined;
  /** Of the server's process; 0 before it is known. */
  pid: number;
  /** Resolves when the server has answered all that was sent, or is gone. */
  answered: Promise<void>;
  isAnswered: boolean;
  isInTransaction: boolean;
  /** Nobody waits for its answer any more. */
  isAbandoned: boolean;
  wasChosen: boolean;
  /** The statement that it runs. */
  label: string;
};

/** Its connections are real. */
export const outsider: Owner = { isDead: false };

/** What the server may do with processes on this machine: those of a cluster of its own. */
export type Signals = "stops processes" | "none";

const settings = {
  // The port finds circles before the server does.
  deadlock_timeout: "1h",
  max_parallel_workers_per_gather: "0",
  jit: "off",
};

export class Server {
  readonly #admin: Client;
  readonly #signals: Signals;
  readonly #generator: Generator;
  readonly #reached: (situation: string) => void;
  readonly #onCircle: (labels: string[]) => void;
  readonly #database: string;
  #last: Promise<unknown> = Promise.resolve();
  readonly #waiting = new Map<Session, PromiseWithResolvers<void>>();
  #released: (() => void)[] = [];

  private constructor(admin: Client, database: string, { generator, reached, onCircle, signals }: Around) {
    this.#admin = admin;
    this.#database = database;
    this.#generator = generator;
    this.#reached = reached;
    this.#onCircle = onCircle;
    this.#signals = signals;
  }

  /** Creates an empty database. `url` leads to another one, where nobody counts the connections. */
  static async create(url: string, database: string, around: Around): Promise<Server> {
    const admin = new Client({ connectionString: url });
    await time.belongingTo(outsider, async () => await admin.connect());
    await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${database} STRATEGY FILE_COPY`);
    for (const [name, value] of Object.entries(settings))
      await admin.query(`ALTER DATABASE ${database} SET ${name} = '${value}'`);
    return new Server(admin, database, around);
  }

  async drop(): Promise<void> {
    await this.#last;
    for (const session of this.#waiting.keys()) this.#signal(session, "SIGCONT");
    await this.#admin.query(`DROP DATABASE ${this.#database} WITH (FORCE)`);
    await this.#admin.end();
  }

  /** Runs what was sent until it is answered; meanwhile others may run if it waits for a lock. */
  async run(session: Session, send: () => void): Promise<void> {
    await this.#alone(async () => {
      send();
      await this.#untilStill(session);
      // Locks end with their transaction.
      if (!session.isInTransaction || this.#waiting.has(session)) await this.#wake();
    });
    await this.#waiting.get(session)?.promise;
  }

  isWaiting(session: Session): boolean {
    return this.#waiting.has(session);
  }

  /** As the server does when a statement takes too long. */
  async cancel(session: Session): Promise<void> {
    await this.#alone(async () => {
      if (!this.#waiting.has(session)) return;
      await this.#goOn(session, async () => await this.#cancel(session));
      await this.#wake();
    });
  }

  /** The client is gone. The server notices that once the statement is over. */
  async leave(session: Session): Promise<void> {
    await this.#alone(async () => {
      session.isAbandoned = true;
      if (this.#waiting.has(session)) return;
      await this.#end(session);
      await this.#wake();
    });
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work).finally(() => {
      const released = this.#released;
      this.#released = [];
      for (const release of released) release();
    });
    this.#last = done.catch(() => {});
    await time.outside(done);
  }

  async #untilStill(session: Session): Promise<void> {
    for (let pause = 10; ; pause = 20) {
      await Promise.race([session.answered, time.realPause(pause)]);
      if (session.isAnswered) break;
      const [blocked] = await this.#blockers([session]);
      if (!blocked || blocked.length === 0 || session.isAnswered) continue;
      if (!this.#waiting.has(session)) this.#noteWait(session, blocked);
      this.#signal(session, "SIGSTOP");
      return;
    }
    const waited = this.#waiting.get(session);
    this.#waiting.delete(session);
    if (waited) this.#released.push(waited.resolve);
    if (session.isAbandoned) await this.#end(session);
  }

  #noteWait(session: Session, blockers: readonly number[]): void {
    const others = [...this.#waiting.keys()].filter(({ node }) => node !== session.node);
    this.#waiting.set(session, Promise.withResolvers());
    this.#reached("a statement waits for a lock");
    if (others.some(({ pid }) => blockers.includes(pid))) this.#reached("two nodes wait for one row");
  }

  /** Lets those go on whose lock is free, one after the other. */
  async #wake(): Promise<void> {
    while (this.#waiting.size > 0) {
      const sessions = [...this.#waiting.keys()];
      const blockers = await this.#blockers(sessions);
      const free = sessions.filter((_, place) => blockers[place]?.length === 0);
      if (free.length > 0) {
        await this.#goOn(this.#generator.pick(free));
        continue;
      }
      const circle = circleOf(sessions.map(({ pid }, place) => [pid, blockers[place] ?? []] as const));
      if (circle.length === 0) return;
      this.#reached("a circle of locks");
      const members = sessions.filter(({ pid }) => circle.includes(pid));
      this.#onCircle(members.map(({ label }) => label));
      const victim = this.#generator.pick(members);
      victim.wasChosen = true;
      await this.#goOn(victim, async () => await this.#cancel(victim));
    }
  }

  async #goOn(session: Session, before: () => Promise<void> = async () => {}): Promise<void> {
    await before();
    this.#signal(session, "SIGCONT");
    await this.#untilStill(session);
  }

  async #cancel({ pid }: Session): Promise<void> {
    await this.#admin.query("SELECT pg_cancel_backend($1)", [pid]);
  }

  async #end(session: Session): Promise<void> {
    session.socket?.destroy();
    const running = "SELECT 1 FROM pg_stat_activity WHERE pid = $1";
    while (session.pid !== 0 && (await this.#admin.query(running, [session.pid])).rowCount !== 0)
      await time.realPause(1);
  }

  async #blockers(sessions: readonly Session[]): Promise<number[][]> {
    const asked = {
      name: "blockers",
      text: "SELECT pg_blocking_pids(pid) AS pids FROM unnest($1::int[]) WITH ORDINALITY AS asked(pid, place) ORDER BY place",
      values: [sessions.map(({ pid }) => pid)],
    };
    return (await this.#admin.query<{ pids: number[] }>(asked)).rows.map(({ pids }) => pids);
  }

  /** A process that got its lock stays where it is until its turn comes. */
  #signal({ pid }: Session, signal: "SIGSTOP" | "SIGCONT"): void {
    if (this.#signals === "stops processes") process.kill(pid, signal);
  }
}

export type Around = {
  generator: Generator;
  reached: (situation: string) => void;
  onCircle: (labels: string[]) => void;
  signals: Signals;
};

/** Those who wait for each other; nobody if there is no circle. */
function circleOf(waits: readonly (readonly [pid: number, blockers: readonly number[]])[]): number[] {
  const blockers = new Map(waits);
  const reachable = (from: number): Set<number> => {
    const seen = new Set<number>();
    const next = [...(blockers.get(from) ?? [])];
    for (let pid = next.pop(); pid !== undefined; pid = next.pop()) {
      if (seen.has(pid)) continue;
      seen.add(pid);
      next.push(...(blockers.get(pid) ?? []));
    }
    return seen;
  };
  const [first] = waits.find(([pid]) => reachable(pid).has(pid)) ?? [];
  if (first === undefined) return [];
  return [first, ...[...reachable(first)].filter((pid) => pid !== first && reachable(pid).has(first))];
}
