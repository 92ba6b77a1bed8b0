/** Tables for people that leave the service, with entries for their begin and end. */
import { AppError } from "../../lib/errors.ts";
import type { CoreContext } from "../../runtime/context.ts";
import * as audit from "./audit.ts";
import type { AuditEvent, By } from "./audit.ts";
import { formatOf, type Format } from "./formats.ts";
import type { AuditFilter } from "./store.ts";

/** `of`: in the names of the audit actions. `batches`: the lines of each read. */
type Exported = {
  of: "people" | "audit";
  about: Omit<AuditEvent, "action" | "result">;
  heading: string;
  batches: AsyncIterable<string[]>;
};

/**
 * The table in parts; first an empty one. The audit log says when it began, and how it ended, also
 * if nobody reads on. `mayGoOn`: asked before each part.
 */
export async function* exportTable(
  ctx: CoreContext,
  { of, about, heading, batches }: Exported,
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<string> {
  await note(ctx, { ...about, action: `${of}.export`, result: "success" });
  let count = 0;
  let whole = false;
  try {
    yield "";
    yield heading;
    for await (const lines of batches) {
      if (!(await mayGoOn())) throw new AppError("INSUFFICIENT_SCOPE", "This operator may not export any more.");
      count += lines.length;
      yield lines.join("");
    }
    whole = true;
  } finally {
    const details = { [of === "people" ? "people" : "entries"]: count, whole };
    await note(ctx, { ...about, action: `${of}.exported`, result: whole ? "success" : "failure", details });
  }
}

async function note(ctx: CoreContext, event: AuditEvent): Promise<void> {
  await ctx.storage.write((tx) => audit.record(ctx, tx, event, ctx.clock()));
}

const batchSize = 500;

/** `given`: the filter as it is audited. `oldest`: the oldest entries first. */
type Wanted = { filter: AuditFilter; given: Record<string, string>; format: Format; oldest: boolean };

/** The matching entries. */
export function exportEntries(
  ctx: CoreContext,
  { filter, given, ...how }: Wanted,
  by: By,
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<string> {
  const about = { ...by, appId: filter.appId ?? null, details: given };
  const { heading } = formatOf(how.format);
  return exportTable(ctx, { of: "audit", about, heading, batches: entriesIn(ctx, filter, how) }, mayGoOn);
}

async function* entriesIn(
  ctx: CoreContext,
  filter: AuditFilter,
  { format, oldest }: Pick<Wanted, "format" | "oldest">,
): AsyncGenerator<string[]> {
  const { line } = formatOf(format);
  let after: { at: number; id: string } | undefined;
  for (;;) {
    const found = await audit.list(ctx, { ...filter, ...(after && { after }), limit: batchSize, oldest });
    const entries = oldest ? found : found.toReversed();
    const last = entries.at(-1);
    if (!last) return;
    after = { at: Date.parse(last.at), id: last.id };
    yield entries.map(line);
    if (entries.length < batchSize) return;
  }
}
