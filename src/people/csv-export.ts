/** Everybody whom a list of people shows, as a table for people (docs/decisions/0070). */
import { AppError } from "../lib/errors.ts";
import { byteOrderMark, csvId, csvLine, csvTime } from "../lib/csv.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import * as list from "./list.ts";
import type { Asked, Listed, Wanted } from "./list.ts";

const batchSize = 250;

const columns: [heading: string, cell: (person: Listed, applications: Map<string, string>) => string][] = [
  ["ID", ({ id }) => csvId(id)],
  ["Application", ({ appId }, applications) => applications.get(appId) ?? appId],
  ["App ID", ({ appId }) => csvId(appId)],
  ["Name", ({ name }) => name ?? ""],
  ["Address", ({ email }) => email ?? ""],
  ["Address verified", ({ email, emailVerified }) => (email === null ? "" : yesOrNo(emailVerified))],
  ["State", ({ listedAs }) => (listedAs === "blocked" ? "second factor blocked" : listedAs)],
  ["Methods", ({ authMethods }) => methodsOf(authMethods).join(" ")],
  ["Authenticator app", ({ hasFactor }) => yesOrNo(hasFactor)],
  ["Created (UTC)", ({ createdAt }) => csvTime(createdAt)],
  ["Last sign-in (UTC)", ({ lastLoginAt }) => csvTime(lastLoginAt)],
  ["Disabled (UTC)", ({ disabledAt }) => csvTime(disabledAt)],
];

const yesOrNo = (is: boolean): string => (is ? "yes" : "no");

function methodsOf({ passkey, password, oauth }: Listed["authMethods"]): string[] {
  return [...(passkey ? ["passkey"] : []), ...(password ? ["password"] : []), ...oauth];
}

/**
 * The table in parts, of which each is a read of its own; first an empty one. The audit log says
 * when it began, and how it ended, also if nobody reads on. `mayGoOn`: asked before each part.
 */
export async function* table(
  ctx: Context,
  { asked, wanted, applications }: { asked: Asked; wanted: Wanted; applications: Map<string, string> },
  by: By,
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<string> {
  const about = { ...by, appId: asked.appId ?? null };
  const { state, group, method } = asked;
  const filter = {
    ...(state !== undefined && { state }),
    ...(group !== undefined && { group }),
    ...(method !== undefined && { method }),
    ...(asked.lacksFactor === true && { lacksFactor: true }),
    // Often an address, which the log keeps of nobody.
    ...(asked.text !== undefined && { search: true }),
  };
  await note(ctx, { ...about, action: "people.export", result: "success", details: filter });
  let people = 0;
  let whole = false;
  try {
    yield "";
    yield byteOrderMark + csvLine(columns.map(([heading]) => heading));
    for await (const ids of list.allIds(ctx, wanted, batchSize)) {
      if (!(await mayGoOn())) throw new AppError("INSUFFICIENT_SCOPE", "This operator may not export any more.");
      const batch = await list.byIds(ctx, ids);
      people += batch.length;
      yield batch.map((person) => csvLine(columns.map(([, cell]) => cell(person, applications)))).join("");
    }
    whole = true;
  } finally {
    const result = whole ? "success" : "failure";
    await note(ctx, { ...about, action: "people.exported", result, details: { people, whole } });
  }
}

async function note(ctx: Context, event: audit.AuditEvent): Promise<void> {
  await ctx.storage.write((tx) => audit.record(ctx, tx, event, ctx.clock()));
}
