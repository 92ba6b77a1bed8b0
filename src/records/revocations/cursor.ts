/**
 * Cursors of the feed. Sealed, because PostgreSQL's positions are transaction numbers, which tell
 * the load of all databases of the server.
 */
import { digestOf } from "../../lib/random.ts";
import type { Context } from "../../runtime/context.ts";

/** How far a caller has read. Positions are those of `storage/queries/commit-order.ts`. */
export type Cursor = {
  /** Identifies the database and its history: `originOf`. */
  origin: string;
  /** When the caller had read everything up to `after`. */
  at: number;
  after: string;
  /** Set if more pages follow: read entries up to `until` whose number is above `id`. */
  rest: { until: string; id: number } | undefined;
};

/** A digest, so that applications do not learn the database's identifiers. */
export function originOf(epoch: string, life: string): string {
  return digestOf(`${epoch} ${life}`).slice(0, 22);
}

const form = /^([\w-]{22})\|(\d{1,15})\|([\d:,]+)(?:\|([\d:,]+)\|(\d{1,15}))?$/u;
/** The form of a cursor, of any database. */
const sealed = /^[\w-]{40,12000}$/u;

export function write(ctx: Context, { origin, at, after, rest }: Cursor): string {
  const parts = [origin, at, after, ...(rest ? [rest.until, rest.id] : [])];
  return ctx.keyring.sealCursor(parts.join("|"), "revocations");
}

/** `foreign`: of another database; undefined: not a cursor at all. */
export function read(ctx: Context, cursor: string): Cursor | "foreign" | undefined {
  if (!sealed.test(cursor)) return undefined;
  const text = ctx.keyring.openCursor(cursor, "revocations");
  if (text === undefined) return "foreign";
  const [, origin, at, after, until, id] = form.exec(text) ?? [];
  if (origin === undefined || at === undefined || after === undefined) return undefined;
  return { origin, at: Number(at), after, rest: until === undefined ? undefined : { until, id: Number(id) } };
}
