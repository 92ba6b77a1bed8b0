import { CommanderError } from "commander";
import { didYouMean, nearest } from "../config/nearest.ts";
import { AppError } from "../lib/errors.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { visible } from "./text.ts";

/**
 * An error as the text for standard error (empty: everything is said already) and the exit code: one line, with `debug` the stack as well.
 * `knownFlags` are for suggestions.
 */
export async function reportOf(
  error: unknown,
  debug: boolean,
  knownFlags: Iterable<string>,
): Promise<{ text: string; exitCode: ExitCode }> {
  if (error instanceof CommanderError) return usageReport(error, knownFlags);
  // Ctrl-C in a prompt.
  if (error instanceof Error && error.name === "ExitPromptError") return { text: "", exitCode: exitCodes.interrupted };
  // Whatever is not ours is described by the log's rules: database errors carry queries and values in their messages.
  const { describeError } = await import("../lib/log.ts");
  const description = describeError(error);
  const line = oneLine(error instanceof AppError ? sentenceOf(error) : `unexpected failure: ${description.error}`);
  const details = debug ? `${description.error}\n${description.stack ?? ""}\n` : "";
  return { text: line + details, exitCode: error instanceof AppError ? exitCodeOf[error.code] : exitCodes.failed };
}

function sentenceOf({ code, message, details }: AppError): string {
  if (details === "") return message;
  // The details of a refused value name it and the rule; the message would only say that something is refused.
  return code === "INVALID_REQUEST" ? details : `${message} ${details}`;
}

function usageReport(error: CommanderError, knownFlags: Iterable<string>): { text: string; exitCode: ExitCode } {
  if (error.exitCode === 0) return { text: "", exitCode: exitCodes.done };
  // A group without its subcommand: its help is printed already.
  if (error.code === "commander.help") return { text: "", exitCode: exitCodes.usage };
  const sentence = error.message
    .replace(/^error: /, "")
    .replace(/\s*\(Did you mean (?:one of )?(.*?)\?\)$/s, "; did you mean $1?")
    // What was typed may be a secret in the wrong place, and this line may end in a build log.
    .replace(
      /^unknown option '(--[^'=]*)=.*$/s,
      (_, flag: string) => `unknown option '${flag}'${didYouMean(nearest(flag, knownFlags))}`,
    )
    .replace(/^(too many arguments.*?but got \d+): .*$/s, "$1");
  return { text: oneLine(sentence), exitCode: exitCodes.usage };
}

function oneLine(sentence: string): string {
  return `authsvc: ${visible(sentence.replace(/\s*[\r\n]+\s*/g, " ").trim())}\n`;
}
