/** Faults of the product, planted by name: each replaces a text in one file as it is loaded. */
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { accountBugs } from "./bugs/accounts.ts";
import { blindBugs } from "./bugs/blind.ts";
import { clientBugs } from "./bugs/clients.ts";
import { companyBugs } from "./bugs/companies.ts";
import { faultBugs, lyingCommits } from "./bugs/faults.ts";
import { founderBugs } from "./bugs/founders.ts";
import { lockBugs } from "./bugs/locks.ts";
import { methodBugs } from "./bugs/methods.ts";
import { operatorBugs } from "./bugs/operators.ts";
import { organizationBugs } from "./bugs/organizations.ts";
import { peopleBugs } from "./bugs/people.ts";
import { probedBugs } from "./bugs/probed.ts";
import { programBugs } from "./bugs/programs.ts";
import { residentBugs } from "./bugs/residents.ts";
import { sessionBugs } from "./bugs/sessions.ts";
import { webhookBugs } from "./bugs/webhooks.ts";
import { alone, type Bug } from "./planted.ts";

/** These see what breaks of sessions, people and programs; all others only make it rarer. */
const names = "people club readers machines server resourceServers attacker commands feed console";
const first = alone(...names.split(" "));

export const bugs: readonly Bug[] = [
  ...[...sessionBugs, ...peopleBugs, ...programBugs, ...faultBugs].map((bug) => ({ without: first, ...bug })),
  ...operatorBugs,
  ...organizationBugs,
  ...accountBugs,
  ...residentBugs,
  ...companyBugs,
  ...webhookBugs,
  ...clientBugs,
  ...methodBugs,
  ...founderBugs,
  ...probedBugs,
  ...lockBugs,
  ...blindBugs,
];

export const bugNames = bugs.map(({ name }) => name);
/** Those that only several nodes on PostgreSQL show. */
export const lockBugNames = lockBugs.map(({ name }) => name);
/** No fault of the product, but of the database: facts must be lost. */
export const control = lyingCommits.name;

/** Before anything of `src` is imported. Throws if the text is not there exactly once. */
export function plant(name: string): Bug {
  const bug = [...bugs, lyingCommits].find((each) => each.name === name);
  if (!bug) throw new Error(`no bug ${name}; there are: ${bugs.map((each) => each.name).join(", ")}`);
  const file = fileURLToPath(new URL(`../../src/${bug.file}`, import.meta.url));
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith("file:") || fileURLToPath(url) !== file) return loaded;
      const source = Buffer.from(loaded.source as Uint8Array | string).toString();
      if (source.split(bug.replaced).length !== 2) throw new Error(`the text of ${name} is not once in ${bug.file}`);
      return { ...loaded, source: source.replace(bug.replaced, () => bug.by) };
    },
  });
  return bug;
}
