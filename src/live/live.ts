import packageFile from "../../package.json" with { type: "json" };
import { isoTime } from "../lib/clock.ts";
import { patienceMilliseconds, within, type Backlog, type Watched } from "../metrics/watched.ts";
import { part, type Context } from "../runtime/context.ts";
import type { Counts, LiveCounts } from "./counts.ts";

/** The current activity of a running service. Counts are those of this process. */
export type LiveState = Omit<Counts, "hashesPerSecond" | "transactions"> & {
  version: string;
  pid: number;
  startedAt: string;
  hashes: { running: number; waiting: number; perSecond: number };
  database: {
    kind: "sqlite" | "postgres";
    up: boolean;
    writable: boolean;
    /** Null while the database does not answer. */
    pingMilliseconds: number | null;
    waiting: number;
    connections: { open: number; idle: number } | null;
    transactions: Counts["transactions"];
  };
  /** All nodes' together. `overdue`: milliseconds. Null while the database does not answer. */
  webhooks: Backlog | null;
  mails: Backlog | null;
};

type Sources = { counts: LiveCounts; watched: Watched };

/** The report of the serving process; nothing in a command. */
const live = part(
  (): { sources: Sources | undefined; startedAt: number } => ({ sources: undefined, startedAt: 0 }),
  ({ sources }) => sources?.counts.end(),
);

/** Sets where the process's state is read, once it serves. */
export function showLive(ctx: Context, sources: Sources): void {
  Object.assign(live(ctx), { sources, startedAt: ctx.clock() });
}

/** The state of this process; undefined if it does not serve. Counting begins at the first call. */
export async function liveState(ctx: Context): Promise<LiveState | undefined> {
  const { sources, startedAt } = live(ctx);
  if (!sources) return undefined;
  const { hashesPerSecond, transactions, ...counts } = sources.counts.look();
  const { storage, writability, hashing } = sources.watched;
  const { waiting, connections } = storage.load();
  const seen = await lookAtDatabase(sources.watched);
  return {
    version: packageFile.version,
    pid: process.pid,
    startedAt: isoTime(startedAt),
    ...counts,
    hashes: { ...hashing(), perSecond: hashesPerSecond },
    database: {
      kind: storage.dialect,
      up: seen !== undefined,
      writable: seen !== undefined && writability.problem() === undefined,
      pingMilliseconds: seen?.pingMilliseconds ?? null,
      waiting,
      connections: connections ?? null,
      transactions,
    },
    webhooks: seen?.webhooks ?? null,
    mails: seen?.mails ?? null,
  };
}

/** Undefined if the database does not answer in time. */
async function lookAtDatabase({ storage, webhooks, mails }: Watched) {
  let seen: { pingMilliseconds: number; webhooks: Backlog; mails: Backlog } | undefined;
  async function look(): Promise<void> {
    const startedAt = performance.now();
    await storage.ping();
    const pingMilliseconds = Number((performance.now() - startedAt).toFixed(2));
    const [deliveries, mail] = await Promise.all([webhooks(), mails()]);
    seen = { pingMilliseconds, webhooks: deliveries, mails: mail };
  }
  await within(patienceMilliseconds, look());
  return seen;
}
