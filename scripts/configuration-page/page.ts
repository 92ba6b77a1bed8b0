import { allSettings, problemOf, type Setting } from "../../src/config/settings.ts";

const head = `# Configuration

Every setting of authsvc. This page is made from the schema that the program checks its configuration with (\`npm run configuration-page\`); \`authsvc config example\` prints the same as a file to start from.

## Where settings come from

Later ones win, setting by setting:

1. the defaults below;
2. the file: \`--config FILE\`, else \`AUTHSVC_CONFIG\`, else \`config.yaml\` in the working directory, if there is one;
3. variables of the environment, \`AUTHSVC_…\`, with \`__\` between the levels;
4. flags: \`--data\` with every command, \`--host\` and \`--port\` with \`serve\`.

A key or a variable that is not a setting, a bad value, and half of a pair (\`certFile\` without \`keyFile\`) are errors: one line that names it, the rule and the nearest name, and exit code 2. Nothing is started or changed then.
An empty variable is an error too, except for a list. Numbers and \`true\` or \`false\` are written plainly; a list in a variable is separated by commas.

\`\`\`sh
authsvc config example > config.yaml     # every setting, commented out
authsvc config check                     # is it good, before anything is started with it
authsvc config show                      # what holds, and whether file (line), variable, flag or default said so
\`\`\`

The file is read at the start. A change needs a restart; only the certificate is read again on SIGHUP.

## Secrets

Three settings are secrets: SECRETS. Each may be given as a file instead: the setting with \`File\` behind it, the variable with \`_FILE\`. A line break at the end of that file is left out. Both forms at once is an error. No command prints a secret,
\`config show\` says only that there is one, and the start warns about a \`config.yaml\` with a secret in it that other users of the machine can read.

Relative paths start at the folder of the file that they stand in; those of variables and flags at the working directory.

## All settings
`;

/** The text of docs/configuration.md. */
export function configurationPage(): string {
  const rows = allSettings.map((setting) => `| [\`${setting.key}\`](#${anchorOf(setting)}) | ${defaultOf(setting)} |`);
  const secrets = allSettings.filter(({ doc }) => doc.secret).map(({ key }) => `\`${key}\``);
  return [
    head.replace("SECRETS", `${secrets.slice(0, -1).join(", ")} and ${secrets.at(-1)}`),
    "| setting | default |",
    "|---|---|",
    ...rows,
    "",
    ...allSettings.flatMap((setting) => [...sectionOf(setting), ""]),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

function sectionOf(setting: Setting): string[] {
  const { key, variable, doc } = setting;
  const flag = /Flag: (--\w+)\./u.exec(doc.about)?.[1];
  return [
    `### \`${key}\``,
    "",
    textOf(setting),
    "",
    "| | |",
    "|---|---|",
    `| variable | \`${variable}\` |`,
    ...(flag === undefined ? [] : [`| flag | \`${flag}\` |`]),
    `| value | ${ruleOf(setting)} |`,
    `| default | ${defaultOf(setting)} |`,
    ...(doc.example === undefined || doc.example.startsWith("(") ? [] : [`| example | \`${doc.example}\` |`]),
    ...(doc.secret ? [`| secret | or in a file: [\`${key}File\`](#${anchorOf({ key: `${key}File` })}) |`] : []),
  ];
}

const defaultSentence = / ?Default: (.+?)\.(?= [A-Z]|$)/u;

/** What stands in the table already is not said again. */
function textOf({ doc }: Setting): string {
  const text = doc.about.replace(defaultSentence, "").replace(/ ?Flag: --\w+\./u, "");
  // A command in the text of a setting.
  return text.replace(/(Make one with:) (.+)$/u, "$1 `$2`").trim();
}

function defaultOf({ defaultValue, doc }: Setting): string {
  const said = defaultSentence.exec(doc.about)?.[1];
  if (said !== undefined) return said;
  return defaultValue === undefined ? "none" : `\`${JSON.stringify(defaultValue).replaceAll('"', "")}\``;
}

/** The rule as the program itself says it when a value breaks it. */
function ruleOf(setting: Setting): string {
  const { key, rule } = setting;
  const { kind } = rule;
  const wrong = kind === "list" ? ["\0"] : kind === "text" ? "\0" : "no";
  const problem = problemOf(setting, wrong);
  if (problem === undefined) throw new Error(`${key} takes every value`);
  const said = problem.replace(/^(?:entry 1 )?must /u, "");
  return kind === "list" ? `a list; each must ${said}` : said.replace(/^be /u, "");
}

/** As GitHub makes it from the heading. */
function anchorOf({ key }: Pick<Setting, "key">): string {
  return key.toLowerCase().replaceAll(".", "");
}
