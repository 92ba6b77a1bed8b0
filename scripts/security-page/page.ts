import type { Case } from "../../test/security/cases.ts";
import type { Requirement } from "../../test/security/checklist.ts";
import type { TitledTest } from "./titles.ts";

export type Content = {
  chapters: Record<string, string>;
  checklist: Requirement[];
  cases: Case[];
  tests: TitledTest[];
  notApplicable: Record<string, string>;
};

const intro = `# Security: what must hold, and what shows it

What could go wrong with a sign-in service is known: it went wrong somewhere before. This page lists what must hold of this one, and beside
each line the test that shows it against a running service, or the reason why the line does not apply.

- [The threat model](threat-model.md) says who attacks what, and what stands in the way.
- [SECURITY.md](../SECURITY.md) says how to report a weakness.

## How to read it

The **lines** (S1, R3 …) come from OWASP ASVS 5.0 (A), its cheat sheets (CS), RFC 9700 for OAuth, RFC 8725 for JWT, WebAuthn Level 3 (WA), NIST SP 800-63B-4, Standard
Webhooks (SW), the tests of the OpenID Foundation (oidcc, FAPI2), and faults of other systems. The **cases** at the end are such faults, one by one: each has a test that tries
the same here. Where the lines and [the decisions](decisions/) differ in a number, the decisions hold.

The tests are ordinary tests (\`npx vitest run test/security\`). Those in \`test/security/\` and \`test/browser/\` that begin with an id were written for it: they attack the service from outside, over
HTTP, by its command line or in a real browser. *Also* names tests elsewhere that show the same beside something else.

\`node scripts/security-page.ts\` writes this page from the titles of the tests; \`npm run check\` fails when they differ, and when an id has neither a test nor a reason. Do not edit it.
`;

/** What is wrong with the ids themselves, one sentence each. */
export function complaintsAbout({ checklist, cases, tests, notApplicable }: Content): string[] {
  const known = [...checklist, ...cases].map(({ id }) => id);
  const owned = new Set(tests.filter(({ isOwn }) => isOwn).flatMap(({ ids }) => ids));
  const bare = known.filter((id) => !owned.has(id) && !Object.hasOwn(notApplicable, id));
  return [
    ...(bare.length > 0
      ? [`neither a test in test/security nor a reason in test/security/not-applicable.ts: ${bare.join(", ")}`]
      : []),
    ...Object.keys(notApplicable).flatMap((id) =>
      !known.includes(id)
        ? [`test/security/not-applicable.ts names "${id}", which is no line and no case`]
        : owned.has(id)
          ? [`${id} has a test and a reason why it does not apply`]
          : [],
    ),
  ];
}

export function securityPage(content: Content): string {
  const { chapters, checklist, cases } = content;
  const sections = Object.entries(chapters).map(([letter, title]) => {
    const rows = checklist
      .filter(({ id }) => id.startsWith(letter))
      .map(({ id, holds, source }) =>
        row(`**${id}**`, `${cell(holds)}<br><sub>${cell(source)}</sub>`, shown(id, content)),
      );
    return `## ${letter}: ${title}\n\n| | What must hold | What shows it |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  const caseRows = cases.map(({ id, alsoKnownAs, project, mechanism }) =>
    row([`**${id}**`, ...alsoKnownAs].join("<br>"), cell(project), cell(mechanism), shown(id, content)),
  );
  const caseSection = `## Cases\n\n| | Project | What went wrong there | What shows that it does not here |\n|---|---|---|---|\n${caseRows.join("\n")}\n`;
  return [intro, ...sections, caseSection].join("\n");
}

function shown(id: string, { tests, notApplicable }: Content): string {
  const reason = notApplicable[id];
  if (reason !== undefined) return `Does not apply: ${cell(reason)}`;
  const mine = tests.filter(({ ids }) => ids.includes(id));
  const own = lines(mine.filter(({ isOwn }) => isOwn));
  const also = lines(mine.filter(({ isOwn }) => !isOwn));
  return [own.length > 0 ? own : ["**nothing yet**"], also.length > 0 ? ["*Also:*", ...also] : []].flat().join("<br>");
}

/** One line per file: its name, then what its tests say. */
function lines(tests: TitledTest[]): string[] {
  return [...Map.groupBy(tests, ({ file }) => file)].map(([file, those]) => {
    const name = file.split("/").at(-1) ?? file;
    const sentences = [...new Set(those.map(({ sentence }) => cell(plain(sentence))))];
    return `[${name}](../${file}): ${sentences.join("; ")}`;
  });
}

function row(...cells: string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** A title is not Markdown. */
function plain(sentence: string): string {
  return sentence.replaceAll(/[*_`<>[\]]/gu, (character) => `\\${character}`);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
