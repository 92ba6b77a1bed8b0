/** Everybody whom a list of people shows, as a table for people (docs/decisions/0070). */
import { byteOrderMark, csvId, csvLine, csvTime } from "../lib/csv.ts";
import type { By } from "../records/audit/audit.ts";
import { exportTable } from "../records/audit/export.ts";
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

/** The matching people. Each batch is a read of its own. */
export function table(
  ctx: Context,
  { asked, wanted, applications }: { asked: Asked; wanted: Wanted; applications: Map<string, string> },
  by: By,
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<string> {
  const { state, group, method } = asked;
  const details = {
    ...(state !== undefined && { state }),
    ...(group !== undefined && { group }),
    ...(method !== undefined && { method }),
    ...(asked.lacksFactor === true && { lacksFactor: true }),
    // Often an address, which the log keeps of nobody.
    ...(asked.text !== undefined && { search: true }),
  };
  const about = { ...by, appId: asked.appId ?? null, details };
  const heading = byteOrderMark + csvLine(columns.map(([words]) => words));
  const batches = peopleIn(ctx, wanted, applications);
  return exportTable(ctx, { of: "people", about, heading, batches }, mayGoOn);
}

async function* peopleIn(ctx: Context, wanted: Wanted, applications: Map<string, string>): AsyncGenerator<string[]> {
  for await (const ids of list.allIds(ctx, wanted, batchSize)) {
    const people = await list.byIds(ctx, ids);
    yield people.map((person) => csvLine(columns.map(([, cell]) => cell(person, applications))));
  }
}
