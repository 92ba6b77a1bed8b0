import { allSettings, problemOf, type Setting } from "../../src/config/settings.ts";

const head = `# Configuration

Every setting of authsvc. This page is generated from the configuration schema (\`npm run configuration-page\`);
\`authsvc config example\` prints the same as a starting file.

## Where settings come from

Later sources override earlier ones, per setting:

1. the defaults below; for the master key, [systemd's credential](deploying.md#systemd) \`master-key\` if there is one;
2. the file: \`--config FILE\`, or \`AUTHSVC_CONFIG\`, or \`config.yaml\` in the working directory if present;
3. environment variables \`AUTHSVC_…\`, with \`__\` between levels;
4. flags: \`--data\` with every command, \`--host\` and \`--port\` with \`serve\`.

An unknown key or variable, an invalid value, or half of a pair (\`certFile\` without \`keyFile\`) is an error with exit
code 2. The message has its name, the rule, the value (never of a secret) and the nearest name, and nothing is started
or changed. An empty variable is an error too, except for a list. Write numbers, \`true\` and \`false\` without quotes,
and separate a list in a variable by commas. In files such as that of \`docker --env-file\`, quotes are part of a value;
\`~\` is not expanded. The error says so in both cases. Variables that Kubernetes sets for a Service named \`authsvc\`
(\`AUTHSVC_PORT=tcp://…\`) are ignored.

\`\`\`sh
authsvc config example > config.yaml     # every setting, commented out
authsvc config check                     # checks it and its files before a start
authsvc config show                      # every value and its source: file (line), variable, flag or default
\`\`\`

The file is read at start. A change needs a restart; only the certificate is reloaded on SIGHUP.

## Secrets

Three settings are secrets: SECRETS. Each can be given as a file instead: the setting with the suffix \`File\`, the
variable with \`_FILE\`. A trailing line break in that file is ignored. Giving both forms is an error. No command prints a
secret, \`config show\` masks it, and the start warns if other users of the machine can read a \`config.yaml\` with a secret.

Relative paths in the file start at its folder; those of variables and flags at the working directory.

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

/** Omits what the table already says. */
function textOf({ doc }: Setting): string {
  const text = doc.about.replace(defaultSentence, "").replace(/ ?Flag: --\w+\./u, "");
  // A command in the text of a setting.
  return text.replace(/(Generate one with:) (.+)$/u, "$1 `$2`").trim();
}

function defaultOf({ defaultValue, doc }: Setting): string {
  const said = defaultSentence.exec(doc.about)?.[1];
  if (said !== undefined) return said;
  return defaultValue === undefined ? "none" : `\`${JSON.stringify(defaultValue).replaceAll('"', "")}\``;
}

/** The rule in the words of the program's error. */
function ruleOf(setting: Setting): string {
  const { key, rule } = setting;
  const { kind } = rule;
  const wrong = kind === "list" ? ["\0"] : kind === "text" ? "\0" : "no";
  const problem = problemOf(setting, wrong);
  if (problem === undefined) throw new Error(`${key} takes every value`);
  const said = problem.replace(/^(?:entry 1 )?must /u, "");
  return kind === "list" ? `a list; each must ${said}` : said.replace(/^be /u, "");
}

/** The anchor that GitHub makes from the heading. */
function anchorOf({ key }: Pick<Setting, "key">): string {
  return key.toLowerCase().replaceAll(".", "");
}
