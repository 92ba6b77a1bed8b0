import { digestOf } from "../lib/random.ts";

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

const maxCharacters = 12_000;
const form = /^([\w-]{22})\|(\d{1,15})\|([\d:,]+)(?:\|([\d:,]+)\|(\d{1,15}))?$/u;

export function formatCursor({ origin, at, after, rest }: Cursor): string {
  const parts = [origin, at, after, ...(rest ? [rest.until, rest.id] : [])];
  return Buffer.from(parts.join("|")).toString("base64url");
}

/** Undefined for anything but a cursor that `formatCursor` could have made. */
export function parseCursor(text: string): Cursor | undefined {
  if (text.length > maxCharacters) return undefined;
  const [, origin, at, after, until, id] = form.exec(Buffer.from(text, "base64url").toString("latin1")) ?? [];
  if (origin === undefined || at === undefined || after === undefined) return undefined;
  const rest = until === undefined ? undefined : { until, id: Number(id) };
  const cursor = { origin, at: Number(at), after, rest };
  return formatCursor(cursor) === text ? cursor : undefined;
}
