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

const intro = `# Security: rules and their tests

What can go wrong with a sign-in service is known from other systems. This page lists the rules for this one, each with
the test that verifies it against a running service, or the reason why it does not apply.

- [The threat model](threat-model.md): who attacks what, and what stops them.
- [SECURITY.md](../SECURITY.md): how to report a vulnerability.

## How to read it

The **rules** (S1, R3 …) come from OWASP ASVS 5.0 (A), its cheat sheets (CS), RFC 9700 for OAuth, RFC 8725 for JWT,
WebAuthn Level 3 (WA), NIST SP 800-63B-4, Standard Webhooks (SW), the tests of the OpenID Foundation (oidcc, FAPI2), and
vulnerabilities of other systems. The **cases** at the end are such vulnerabilities; a test tries each of them here.
*contract* is [the contract](spec/http-api.md), with the section. If a rule and [the decisions](spec/decisions.md) differ
in a number, the decisions apply.

The tests are ordinary tests (\`npx vitest run test/security\`). Those in \`test/security/\` and \`test/browser/\` that
begin with an id were written for it: they attack the service from outside, over HTTP, on the command line or in a real
browser. *Also* lists other tests that cover the same.

\`npm run security-page\` generates this page from the titles of the tests. \`npm run check\` fails if it is out of date,
or if an id has neither a test nor a reason. Do not edit it.
`;

/** Problems with the ids themselves, one sentence each. */
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
        ? [`test/security/not-applicable.ts names "${id}", which is no rule and no case`]
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
    return `## ${letter}: ${title}\n\n| | Rule | Tests |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  const caseRows = cases.map(({ id, alsoKnownAs, project, mechanism }) =>
    row([`**${id}**`, ...alsoKnownAs].join("<br>"), cell(project), cell(mechanism), shown(id, content)),
  );
  const caseSection = `## Cases\n\n| | Project | What went wrong there | Tests here |\n|---|---|---|---|\n${caseRows.join("\n")}\n`;
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

/** One line per file: its path, then its tests. */
function lines(tests: TitledTest[]): string[] {
  return [...Map.groupBy(tests, ({ file }) => file)].map(([file, those]) => {
    const name = file.replace(/^test\/(?:security\/)?/u, "");
    const sentences = [...new Set(those.map(({ sentence }) => cell(plain(sentence))))];
    return `[${name}](../${file}): ${sentences.join("; ")}`;
  });
}

function row(...cells: string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Escapes Markdown in a title. */
function plain(sentence: string): string {
  return sentence.replaceAll(/[*_`<>[\]]/gu, (character) => `\\${character}`);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
