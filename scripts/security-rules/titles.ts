/**
 * A test by its title. `isOwn`: written for these ids and listed under them; otherwise it covers
 * them along with something else.
 */
export type TitledTest = { file: string; ids: string[]; isOwn: boolean };

/** A mistake in a title, for its author. */
export type Complaint = string;

// E1, E2 … are reliability experiments, not lines of the checklist.
const project =
  "(?:Authorizer|BetterAuth|Casdoor|dragonflight|flask-security|GoTrue|Hanko|Kratos|Logto|Okta|Supabase|VoidAuth|authboss|ovumcy|scheb|usd)";
const id = String.raw`(?:[A-DF-Z]\d{1,2}|(?:CVE|GHSA)-[\w-]+|${project}-[\w-]+)`;
const idForm = new RegExp(`^${id}$`, "u");
const startsWithIds = new RegExp(`^(${id}(?:, ${id})*)\\b(: )?`, "u");
const namesRules = / ?\(security rules? ([^)]*)\)/u;
/** A literal that is the first argument of a call: `it("…"`, `it.each(…)("…"`, `describe("…"`. */
const firstArguments = /\(\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)\s*,/gu;

/**
 * Reads the titles of a test file that name ids: `S3, GHSA-…: sentence` or `sentence (security
 * rules S3, S4)`.
 */
export function readTitles(
  file: string,
  source: string,
  isKnown: (id: string) => boolean,
): { tests: TitledTest[]; complaints: Complaint[] } {
  const tests: TitledTest[] = [];
  const complaints: Complaint[] = [];
  const mayOwn = /^test\/(?:security|browser|http|console|executable|sdk)\//u.test(file);

  for (const [, literal = ""] of source.matchAll(firstArguments)) {
    const title = textOf(literal);
    const before = startsWithIds.exec(title);
    const after = namesRules.exec(title);
    const ids = before
      ? (before[1] ?? "").split(", ")
      : (after?.[1] ?? "").split(/, | and /u).filter((word) => idForm.test(word));
    if (ids.length === 0) continue;
    if (before && before[2] === undefined) {
      complaints.push(`${file}: no ": " after the ids of "${title}"`);
      continue;
    }
    const unknown = ids.filter((id) => !isKnown(id));
    for (const id of unknown) complaints.push(`${file}: no rule and no case has the id "${id}": "${title}"`);
    if (unknown.length === 0) tests.push({ file, ids, isOwn: Boolean(before) && mayOwn });
  }
  return { tests, complaints };
}

function textOf(literal: string): string {
  return literal.slice(1, -1).replaceAll(/\\(.)/gu, "$1");
}
