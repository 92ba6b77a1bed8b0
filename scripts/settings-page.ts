// `npm run settings-page`: writes docs/settings.md from the rows of settings. With `--check`, the
// exit code tells whether it is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { clientRows } from "../src/applications/clients/settings.ts";
import { fileKeyOf, flagOf, valueText, type Setting } from "../src/applications/setting.ts";
import { applicationRows } from "../src/applications/settings.ts";

const head = `# Settings of applications and clients

This page is generated (\`npm run settings-page\`) from the table that commands, console and state files are made of. The
settings of the whole service are in [configuration](configuration.md).

- **setting** is the key in a [state file](applications-as-code.md), where \`on\` and \`off\` are \`true\` and \`false\`, and
  \`null\` is no value. Operators set it with the flag or the file, and owners in the [console](console.md).
- **create**: \`app create\` has the flag too. \`client create\` has all flags of \`client update\` but \`--enabled\`.
- **API**: an application's own server can change it with its API key, by [\`PATCH
  /applications/{appId}\`](integrating.md#your-apps-own-settings-applicationsappid).
- **access**: it decides who gets in and how, what tokens say, or where people, tokens and data are sent. A [team's
  console](console.md#for-a-team) asks for the passkey before it changes.
`;

type Rows = readonly (readonly [field: string, row: Setting])[];

/** Of settings that share a flag, or have a command. */
const otherFlags: Record<string, string> = {
  "authMethods.passkey.enabled": "--methods",
  "authMethods.password.enabled": "--methods",
  "authMethods.oauth.enabled": "--methods",
  trusts: "client credential add",
};

function table(title: string, rows: Rows): string[] {
  return [
    `## ${title}`,
    "",
    "| setting | what it is | value | default | flag | console | |",
    "|---|---|---|---|---|---|---|",
    ...rows.map(([field, row]) => `| ${cells(field, row).join(" | ")} |`),
    "",
  ];
}

function cells(field: string, row: Setting): string[] {
  const { about, label, form, atCreation, byApiKey, opensAccess } = row;
  const limit = /^settings\.rateLimits\.(.+)$/u.exec(field)?.[1];
  const flag = limit === undefined ? (otherFlags[field] ?? flagOf(row)) : `--limit ${limit}=NUMBER`;
  const marks = Object.entries({ create: atCreation, API: byApiKey, access: opensAccess }).filter(([, has]) => has);
  return [
    code(fileKeyOf(field, row)),
    about,
    valueWords(row),
    defaultWords(row),
    code(flag),
    form === undefined ? "" : label,
    marks.map(([mark]) => mark).join(", "),
  ];
}

function valueWords(row: Setting): string {
  const { kind, rule, unit = "", none, options = {}, range = { least: 0, most: 0 } } = row;
  const names = [...new Set([...Object.keys(options), ...(none === undefined ? [] : [none])])].map(code).join(", ");
  if (kind === "number") return `${range.least} to ${range.most} ${unit}`;
  if (kind === "duration") return `${code(valueText(row, range.least))} to ${code(valueText(row, range.most))}`;
  const words = { switch: "`on`, `off`", choice: names, choices: `list of ${names}`, lines: "list", list: "list" };
  return [words[kind as keyof typeof words], rule].filter((each) => each !== undefined).join("; ");
}

function defaultWords(row: Setting): string {
  if (row.empty !== undefined) return row.empty;
  if (row.default === undefined) return "";
  const text = valueText(row, row.default);
  return text === "" ? "none" : code(text);
}

function code(text: string): string {
  return `\`${text}\``;
}

const file = path.resolve(import.meta.dirname, "../docs/settings.md");
const written = [head, ...table("Applications", applicationRows), ...table("Clients", clientRows)].join("\n");

if (!process.argv.includes("--check")) writeFileSync(file, written);
else if (readFileSync(file, "utf8") !== written) {
  console.error("docs/settings.md is out of date. Run: npm run settings-page");
  process.exitCode = 1;
}
