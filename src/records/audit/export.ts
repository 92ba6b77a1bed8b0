/** Tables for people that leave the service, with entries for their begin and end. */
import { byteOrderMark, csvId, csvLine, csvTime } from "../../lib/csv.ts";
import { AppError } from "../../lib/errors.ts";
import type { Context } from "../../runtime/context.ts";
import * as audit from "./audit.ts";
import type { AuditEvent, AuditEventAnswer, By } from "./audit.ts";
import type { AuditFilter } from "./store.ts";

/** `of`: of the actions of entries, and what their last one counts. `batches`: each one read. */
export type Exported = {
  of: "people" | "audit";
  about: Omit<AuditEvent, "action" | "result">;
  headings: readonly string[];
  batches: AsyncIterable<string[][]>;
};

/**
 * The table in parts; first an empty one. The audit log says when it began, and how it ended, also
 * if nobody reads on. `mayGoOn`: asked before each part.
 */
export async function* exportTable(
  ctx: Context,
  { of, about, headings, batches }: Exported,
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<string> {
  await note(ctx, { ...about, action: `${of}.export`, result: "success" });
  let count = 0;
  let whole = false;
  try {
    yield "";
    yield byteOrderMark + csvLine(headings);
    for await (const rows of batches) {
      if (!(await mayGoOn())) throw new AppError("INSUFFICIENT_SCOPE", "This operator may not export any more.");
      count += rows.length;
      yield rows.map(csvLine).join("");
    }
    whole = true;
  } finally {
    const details = { [of === "people" ? "people" : "entries"]: count, whole };
    await note(ctx, { ...about, action: `${of}.exported`, result: whole ? "success" : "failure", details });
  }
}

async function note(ctx: Context, event: AuditEvent): Promise<void> {
  await ctx.storage.write((tx) => audit.record(ctx, tx, event, ctx.clock()));
}

const batchSize = 500;

const columns: [heading: string, cell: (entry: AuditEventAnswer) => string][] = [
  ["Time (UTC)", ({ at }) => csvTime(at)],
  ["ID", ({ id }) => csvId(id)],
  ["Actor", ({ actor }) => actor],
  ["Action", ({ action }) => action],
  ["Result", ({ result }) => result],
  ["App ID", ({ appId }) => csvId(appId ?? "")],
  ["User ID", ({ userId }) => csvId(userId ?? "")],
  ["Target", ({ target }) => csvId(target ?? "")],
  ["IP address", ({ ipAddress }) => ipAddress ?? ""],
  ["Request ID", ({ requestId }) => csvId(requestId ?? "")],
  ["Details", ({ details }) => JSON.stringify(details)],
  ["Changes", ({ changes }) => (changes === null ? "" : JSON.stringify(changes))],
];

/** The matching entries, newest first. `given`: the filter as its begin is noted. */
export function exportEntries(
  ctx: Context,
  filter: AuditFilter,
  given: Record<string, string>,
  by: By,
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<string> {
  const about = { ...by, appId: filter.appId ?? null, details: given };
  const headings = columns.map(([heading]) => heading);
  return exportTable(ctx, { of: "audit", about, headings, batches: entriesIn(ctx, filter) }, mayGoOn);
}

async function* entriesIn(ctx: Context, filter: AuditFilter): AsyncGenerator<string[][]> {
  let after: { at: number; id: string } | undefined;
  for (;;) {
    const entries = (await audit.list(ctx, { ...filter, ...(after && { after }), limit: batchSize })).toReversed();
    const last = entries.at(-1);
    if (!last) return;
    after = { at: Date.parse(last.at), id: last.id };
    yield entries.map((entry) => columns.map(([, cell]) => cell(entry)));
    if (entries.length < batchSize) return;
  }
}
