import path from "node:path";
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

const spec = "../../docs/spec";
const intro = `# Security rules and their tests

For maintainers: each rule, and the files with its tests. Their titles begin with its id, so \`grep -rn "S2[,:]" test\`
finds them. *Also* lists files that cover the rule along with something else. [Security](../../docs/security.md) says
what the service promises.

Sources: OWASP ASVS 5.0 (A), its cheat sheets (CS), RFC 9700 for OAuth, RFC 8725 for JWT, WebAuthn Level 3 (WA), NIST SP
800-63B-4, Standard Webhooks (SW), the tests of the OpenID Foundation (oidcc, FAPI2), and vulnerabilities of other
systems; *contract* is [the contract](${spec}/http-api.md), with the section. If a rule and [the
decisions](${spec}/decisions.md) differ in a number, the decisions apply. The cases at the end are
vulnerabilities of other systems, tried here.

\`npm run security-rules\` generates this list; \`npm run check\` fails if it is out of date, or if an id has neither a
test nor a reason in \`not-applicable.ts\`. Do not edit it.
`;

/** Problems with the ids themselves, one sentence each. */
export function complaintsAbout({ checklist, cases, tests, notApplicable }: Content): string[] {
  const known = [...checklist, ...cases].map(({ id }) => id);
  const owned = new Set(tests.filter(({ isOwn }) => isOwn).flatMap(({ ids }) => ids));
  const bare = known.filter((id) => !owned.has(id) && !Object.hasOwn(notApplicable, id));
  return [
    ...(bare.length > 0
      ? [`neither a test of its own nor a reason in test/security/not-applicable.ts: ${bare.join(", ")}`]
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

/** The list as Markdown: one line for each rule and case. */
export function listOfRules(content: Content): string {
  const { chapters, checklist, cases } = content;
  const sections = Object.entries(chapters).map(([letter, title]) => {
    const rules = checklist.filter(({ id }) => id.startsWith(letter));
    const lines = rules.map(({ id, holds, source }) => `- **${id}** ${holds} (${source}): ${filesOf(id, content)}\n`);
    return `## ${letter}: ${title}\n\n${lines.join("")}`;
  });
  const caseLines = cases.map(({ id, alsoKnownAs, project, mechanism }) => {
    const others = alsoKnownAs.length > 0 ? ` (${alsoKnownAs.join(", ")})` : "";
    return `- **${id}**${others} ${project}: ${mechanism}: ${filesOf(id, content)}\n`;
  });
  return [intro, ...sections, `## Cases\n\n${caseLines.join("")}`].join("\n");
}

function filesOf(id: string, { tests, notApplicable }: Content): string {
  const reason = notApplicable[id];
  if (reason !== undefined) return `does not apply: ${reason}`;
  const mine = tests.filter(({ ids }) => ids.includes(id));
  const own = links(mine.filter(({ isOwn }) => isOwn));
  const also = links(mine.filter(({ isOwn }) => !isOwn)).filter((link) => !own.includes(link));
  const named = own.length > 0 ? own.join(", ") : "**nothing yet**";
  return also.length > 0 ? `${named}; *also* ${also.join(", ")}` : named;
}

/** Each file once, relative to the list. */
function links(tests: TitledTest[]): string[] {
  const files = new Set(tests.map(({ file }) => path.posix.relative("test/security", file)));
  return [...files].map((file) => `[${file.replace(/^\.\.\//u, "").replace(/\.test\.ts$/u, "")}](${file})`);
}
