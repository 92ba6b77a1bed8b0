import { spawnSync } from "node:child_process";

/** Debian's packages of programs that have another name. */
const debianPackages: Record<string, string> = {
  "systemd-analyze": "systemd",
  man: "man-db",
  promtool: "prometheus",
  pgbouncer: "pgbouncer",
  rsyslogd: "rsyslog rsyslog-openssl",
};

/** No package of Debian has them. */
const notInDebian = ["oapi-codegen", "helm", "kubeconform", "go", "deno", "bun"];

/** Why tests that start a program are left out here; undefined if it is there. */
export function noProgram(name: string, ...args: string[]): string | undefined {
  const { error, status } = spawnSync(name, args.length > 0 ? args : ["--version"]);
  // 127: a version manager's command without a program.
  if (error === undefined && status !== 127) return undefined;
  const hint = notInDebian.includes(name) ? "" : ` (Debian: apt-get install ${debianPackages[name] ?? name})`;
  return `there is no ${name} here${hint}`;
}

/** The end of a title, from which the closing lines of the run take the reason. */
export function leftOut(reason: string | undefined): string {
  return reason === undefined ? "" : ` (skipped: ${reason})`;
}

/** Said of tests that `npm test` leaves out. */
export const runsLong = "`npm run test:long` runs them";

/** Said of tests of the sources, when commands run on the executable. */
export const aboutSources = "they are about the sources, not the executable";

/** What may be missing where CI runs, and why. Any other reason fails the run there. */
const allowedInCi: [reason: RegExp, why: string][] = [
  [/^`npm run test:long` runs them$/u, "the next command of .ci/run"],
  [/^they are about /u, "the same tests run on what they are about"],
  [
    /^there is no (?:lintian|rpm|promtool|man|qemu|systemd-analyze|systemd-notify|shellcheck|oathtool|pgbouncer|rsyslogd|zsh|fish)\b/u,
    "from apt, which may fail for a day",
  ],
  [/^(?:Apache with |there is no (?:nginx|apache2?|haproxy|caddy)\b)/u, "from apt, which may fail for a day"],
  [/^there is no root of Debian/u, "from apt, which may fail for a day"],
  [/^there is no (?:helm|kubeconform|oapi-codegen|deno|bun|docker|php|ruby|go|java)\b/u, "not among what CI installs"],
  [/ is not installed here; TEST_\w+ may say where it is$/u, "not among what CI installs"],
  [/^there is no python3 with openapi-python-client here$/u, "from another registry, which may fail for a day"],
  [/\bcannot be (?:installed here|reached)$/u, "from another registry, which may fail for a day"],
  [/^(?:there is no Python with venv here|Python has no kubernetes-validate here)$/u, "not among what CI installs"],
  [/^(?:systemd does not start here|no namespaces can be made|this process may not )/u, "not in every container"],
  [/^the limit of open files is below/u, "not in every container"],
];

const noReason = "the test gives no reason";

/** Why tests were left out, and how many for each reason; `undefined` is a test that gives none. */
export type LeftOut = Map<string | undefined, number>;

/** A line for each reason, the most frequent first. Some fail the run in CI. */
export function linesAbout(leftOut: LeftOut, { isCi }: { isCi: boolean }): { lines: string[]; isRefused: boolean } {
  const shown = [...leftOut].toSorted(([, a], [, b]) => b - a);
  const refused = shown.filter(([reason]) => isCi && !allowedInCi.some(([allowed]) => allowed.test(reason ?? "")));
  return {
    lines: [
      ...shown.map(([reason, count]) => `${count} left out: ${reason ?? noReason}`),
      ...refused.map(([reason]) => `CI must not leave tests out: ${reason ?? noReason}`),
    ],
    isRefused: refused.length > 0,
  };
}
