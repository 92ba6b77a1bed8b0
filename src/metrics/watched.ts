import { second } from "../lib/clock.ts";
import type { Writability } from "../storage/errors/writability.ts";
import type { Counted } from "./instruments.ts";
import type { Storage } from "../storage/storage.ts";

export type Backlog = { waiting: number; overdue: number };

/** The values read at every scrape, and for each live view. */
export type Watched = {
  storage: Pick<Storage, "dialect" | "load" | "ping">;
  writability: Pick<Writability, "problem">;
  hashing(): { running: number; waiting: number };
  webhooks(): Promise<Backlog>;
  mails(): Promise<Backlog>;
  /** Milliseconds since the oldest entry that `audit.syslog` has not confirmed, if it is set. */
  auditLag: (() => Promise<number>) | undefined;
  /** Waiting calls of the revocation feed. */
  feedWaits(): number;
  /** Epoch milliseconds; undefined without own TLS. */
  certificateValidUntil(): number | undefined;
  /** The counts of each HTTP thread. */
  threads?: (() => Promise<Counted[]>) | undefined;
};

/** How long to wait for a hanging database. */
export const patienceMilliseconds = 3 * second;

/** Whether `work` succeeded in time. */
export async function within(milliseconds: number, work: Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), milliseconds);
  const done = work.then(
    () => true,
    () => false,
  );
  return await Promise.race([done, late]).finally(() => clearTimeout(timer));
}
