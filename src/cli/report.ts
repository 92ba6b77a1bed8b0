import { CommanderError } from "commander";
import { AppError } from "../lib/errors.ts";
import { didYouMean, nearest } from "../lib/nearest.ts";
import { exitCodeOf, exitCodes, type ExitCode } from "./exit-codes.ts";
import { visible } from "./output/text.ts";

/**
 * An error as text for standard error (empty if already reported) and the exit code: one line, or
 * with `debug` the stack too. `knownFlags` is called only for suggestions.
 */
export async function reportOf(
  error: unknown,
  debug: boolean,
  knownFlags: () => Iterable<string>,
): Promise<{ text: string; exitCode: ExitCode }> {
  if (error instanceof CommanderError) return usageReport(error, knownFlags);
  // Ctrl-C in a prompt.
  if (error instanceof Error && error.name === "ExitPromptError") return { text: "", exitCode: exitCodes.interrupted };
  const { describeError } = await import("../lib/log.ts");
  const description = describeError(error);
  const line = oneLine(await reasonOf(error));
  const details = debug ? `${description.error}\n${description.stack ?? ""}\n` : "";
  return { text: line + details, exitCode: error instanceof AppError ? exitCodeOf[error.code] : exitCodes.failed };
}

/** The error as a sentence for the operator. */
export async function reasonOf(error: unknown): Promise<string> {
  if (error instanceof AppError) return sentenceOf(error);
  // Other errors follow the log's rules: database errors contain queries and values.
  const { describeError } = await import("../lib/log.ts");
  return storageProblem(error) ?? `unexpected failure: ${describeError(error).error}`;
}

/** The command that lists what exists, for an unknown id. */
const lists: Partial<Record<AppError["code"], string>> = {
  APP_NOT_FOUND: "authsvc app list",
  KEY_NOT_FOUND: "authsvc key list",
  WEBHOOK_NOT_FOUND: "authsvc webhook list",
  METHOD_NOT_FOUND: "authsvc app provider list APPID",
  LOGIN_NOT_FOUND: "authsvc user logins USERID",
  TOKEN_NOT_FOUND: "authsvc user tokens USERID",
  USER_NOT_FOUND: "authsvc user list --app APPID --email ADDRESS",
  ORGANIZATION_NOT_FOUND: "authsvc organization list --app APPID",
};

/**
 * Database problems that the operator can fix, by the codes of SQLite and PostgreSQL (class 53:
 * insufficient resources).
 */
const storageProblems: [code: RegExp, sentence: string][] = [
  [/^(SQLITE_FULL|53100)$/, "The database disk is full. Free some space, and run the command again."],
  [/^SQLITE_BUSY/, "The database is locked by another process."],
  [/^SQLITE_READONLY/, "The database is not writable: its file or folder is read-only."],
  [/^25006$/, "The database is not writable: it is read-only, or a standby."],
  [/^SQLITE_IOERR/, "The database disk reported an I/O error."],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB)/, "The database file is damaged. See: authsvc db check"],
];

function storageProblem(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = "code" in cause ? String(cause.code) : "";
    const problem = storageProblems.find(([form]) => form.test(code));
    if (problem) return problem[1];
  }
  return undefined;
}

function sentenceOf({ code, message, details }: AppError): string {
  const list = lists[code];
  if (details === "") return list === undefined ? message : `${message} To find it: ${list}`;
  // The details of a refused value name it and the rule; the message would add nothing.
  return code === "INVALID_REQUEST" ? details : `${message} ${details}`;
}

function usageReport(error: CommanderError, knownFlags: () => Iterable<string>): { text: string; exitCode: ExitCode } {
  if (error.exitCode === 0) return { text: "", exitCode: exitCodes.done };
  // A group without a subcommand: its help was printed.
  if (error.code === "commander.help") return { text: "", exitCode: exitCodes.usage };
  const sentence = error.message
    .replace(/^error: /, "")
    .replace(/\s*\(Did you mean (?:one of )?(.*?)\?\)$/s, "; did you mean $1?")
    // A mistyped flag may contain a secret, and this line may end up in a build log.
    .replace(
      /^unknown option '(--[^'=]*)=.*$/s,
      (_, flag: string) => `unknown option '${flag}'${didYouMean(nearest(flag, knownFlags()))}`,
    )
    // A secret was given as an argument.
    .replace(/^unknown option '(--[^'=]*)'(?:; did you mean .*)?$/s, (whole, flag: string) => {
      const flags = new Set(knownFlags());
      const instead = [`${flag}-stdin`, `${flag}-file`].filter((name) => flags.has(name));
      return instead.length === 0 ? whole : `unknown option '${flag}'; did you mean ${instead.join(" or ")}?`;
    })
    .replace(/^unknown option '(-[^-]).+'$/s, "unknown option '$1'")
    .replace(/^(too many arguments.*?but got \d+): .*$/s, "$1")
    .replace(/^option '(--[^ ']+)[^']*' argument '.*?' is invalid\./s, "the value of $1 is not valid.")
    .replace(/^command-argument value '.*?' is invalid for argument '(.*?)'\./s, "$1 is not valid.")
    .replace(/^unknown command '(?![a-z][a-z-]{0,19}').*'/s, "unknown command");
  return { text: oneLine(sentence), exitCode: exitCodes.usage };
}

function oneLine(sentence: string): string {
  return `authsvc: ${visible(sentence.replace(/\s*[\r\n]+\s*/g, " ").trim())}\n`;
}
