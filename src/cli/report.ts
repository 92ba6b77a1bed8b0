import { CommanderError } from "commander";
import { didYouMean, nearest } from "../config/nearest.ts";
import { AppError } from "../lib/errors.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { visible } from "./text.ts";

/**
 * An error as the text for standard error (empty: everything is said already) and the exit code: one line, with `debug` the stack as well.
 * `knownFlags` are for suggestions, and asked for by these only.
 */
export async function reportOf(
  error: unknown,
  debug: boolean,
  knownFlags: () => Iterable<string>,
): Promise<{ text: string; exitCode: ExitCode }> {
  if (error instanceof CommanderError) return usageReport(error, knownFlags);
  // Ctrl-C in a prompt.
  if (error instanceof Error && error.name === "ExitPromptError") return { text: "", exitCode: exitCodes.interrupted };
  // Whatever is not ours is described by the log's rules: database errors carry queries and values in their messages.
  const { describeError } = await import("../lib/log.ts");
  const description = describeError(error);
  const line = oneLine(
    error instanceof AppError
      ? sentenceOf(error)
      : (storageProblem(error) ?? `unexpected failure: ${description.error}`),
  );
  const details = debug ? `${description.error}\n${description.stack ?? ""}\n` : "";
  return { text: line + details, exitCode: error instanceof AppError ? exitCodeOf[error.code] : exitCodes.failed };
}

/** Where to look for what exists, of what was not found by its id. */
const lists: Partial<Record<AppError["code"], string>> = {
  APP_NOT_FOUND: "authsvc app list",
  KEY_NOT_FOUND: "authsvc key list",
  WEBHOOK_NOT_FOUND: "authsvc webhook list",
  METHOD_NOT_FOUND: "authsvc app provider list APPID",
  LOGIN_NOT_FOUND: "authsvc user logins USERID",
  USER_NOT_FOUND: "authsvc user list --app APPID --email ADDRESS",
};

/** What the operator of the database can mend, by the codes of SQLite and PostgreSQL (class 53: insufficient resources). */
const storageProblems: [code: RegExp, sentence: string][] = [
  [/^(SQLITE_FULL|53100)$/, "The disk of the database is full. Make room, and run the same command again."],
  [/^SQLITE_BUSY/, "The database is locked by another process."],
  [/^SQLITE_READONLY/, "The database cannot be written: its file or folder is read-only."],
  [/^SQLITE_IOERR/, "The disk of the database reports an error."],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB)/, "The database file is damaged. See: authsvc db check"],
];

function storageProblem(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = "code" in cause ? String(cause.code) : "";
    const known = storageProblems.find(([form]) => form.test(code));
    if (known) return known[1];
  }
  return undefined;
}

function sentenceOf({ code, message, details }: AppError): string {
  const list = lists[code];
  if (details === "") return list === undefined ? message : `${message} To find it: ${list}`;
  // The details of a refused value name it and the rule; the message would only say that something is refused.
  return code === "INVALID_REQUEST" ? details : `${message} ${details}`;
}

function usageReport(error: CommanderError, knownFlags: () => Iterable<string>): { text: string; exitCode: ExitCode } {
  if (error.exitCode === 0) return { text: "", exitCode: exitCodes.done };
  // A group without its subcommand: its help is printed already.
  if (error.code === "commander.help") return { text: "", exitCode: exitCodes.usage };
  const sentence = error.message
    .replace(/^error: /, "")
    .replace(/\s*\(Did you mean (?:one of )?(.*?)\?\)$/s, "; did you mean $1?")
    // What was typed may be a secret in the wrong place, and this line may end in a build log.
    .replace(
      /^unknown option '(--[^'=]*)=.*$/s,
      (_, flag: string) => `unknown option '${flag}'${didYouMean(nearest(flag, knownFlags()))}`,
    )
    // The one who typed a secret as an argument.
    .replace(/^unknown option '(--[^'=]*)'(?:; did you mean .*)?$/s, (whole, flag: string) => {
      const known = new Set(knownFlags());
      const instead = [`${flag}-stdin`, `${flag}-file`].filter((name) => known.has(name));
      return instead.length === 0 ? whole : `unknown option '${flag}'; did you mean ${instead.join(" or ")}?`;
    })
    .replace(/^(too many arguments.*?but got \d+): .*$/s, "$1");
  return { text: oneLine(sentence), exitCode: exitCodes.usage };
}

function oneLine(sentence: string): string {
  return `authsvc: ${visible(sentence.replace(/\s*[\r\n]+\s*/g, " ").trim())}\n`;
}
