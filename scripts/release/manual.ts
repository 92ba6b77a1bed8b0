import type { Command, Help } from "commander";
import { version } from "./release.ts";

/** authsvc.1, from the commands and what their help says. */
export function manualPage(program: Command, epoch: number): string {
  const date = new Date(epoch * 1000).toISOString().slice(0, 10);
  const help = program.createHelp();
  const globalOptions = help.visibleOptions(program);
  const lines = [
    `.TH AUTHSVC 1 ${date} "authsvc ${version}" "User Commands"`,
    ".nh",
    ".ad l",
    ...section("NAME", [String.raw`authsvc \- self-hosted sign-in for your applications`]),
    ...section("SYNOPSIS", [".B authsvc", String.raw`.RI [ options ] " command " [ arguments ]`]),
    ...section("DESCRIPTION", [
      ".B authsvc",
      text("runs and administers a service that signs in the users of your applications."),
      text("Commands work directly on its database, whether it runs or not. They take effect at the next request."),
      text("The result goes to standard output, everything else to standard error."),
      ".PP",
      text("For a first look, start it with a demo application on http://localhost:8080:"),
      ...example("authsvc serve --dev"),
      ".PP",
      text("Every command shows its options with examples:"),
      ...example("authsvc help app update"),
    ]),
    ...section(
      "OPTIONS",
      globalOptions.flatMap((option) => entry(option.flags, help.optionDescription(option))),
    ),
    ...section(
      "COMMANDS",
      leaves(program, help).flatMap((command) => commandLines(command, help)),
    ),
    ...section("EXIT STATUS", [
      ...entry("0", "done"),
      ...entry("1", "failed"),
      ...entry("2", "wrong usage or configuration"),
      ...entry("3", "not found"),
      ...entry("4", "refused: a conflict, or not confirmed"),
      ...entry("5", "a difference was found"),
      ...entry("130", "interrupted"),
    ]),
    ...section("ENVIRONMENT", [
      text("Every setting of the configuration file can be a variable, whose name begins with AUTHSVC_."),
      text("This prints all of them:"),
      ...example("authsvc config example"),
    ]),
    ...section("FILES", [
      ...entry("config.yaml", "the configuration, if it is in the current folder; --config names another file"),
      ...entry("data/", "the database and the master key; --data names another folder"),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function leaves(command: Command, help: Help): Command[] {
  const below = help.visibleCommands(command).filter((sub) => sub.name() !== "help");
  return below.length === 0 ? [command] : below.flatMap((sub) => leaves(sub, help));
}

function commandLines(command: Command, help: Help): string[] {
  const own = help.visibleOptions(command).filter(({ long }) => long !== "--help");
  return [
    `.SS ${quoted(help.commandUsage(command).replace(" [options]", ""))}`,
    text(sentence(command.description())),
    ...help.visibleArguments(command).flatMap((argument) => entry(argument.name(), help.argumentDescription(argument))),
    ...own.flatMap((option) => entry(option.flags, help.optionDescription(option))),
  ];
}

function section(title: string, lines: string[]): string[] {
  return [`.SH ${quoted(title)}`, ...lines];
}

function entry(term: string, about: string): string[] {
  return [".TP", `.B ${quoted(term)}`, text(about)];
}

function example(line: string): string[] {
  return [".PP", ".RS 4", ".nf", text(line), ".fi", ".RE"];
}

function sentence(about: string): string {
  return `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
}

function quoted(words: string): string {
  return `"${escaped(words).replaceAll('"', String.raw`\(dq`)}"`;
}

/** A line of text: a dot or an apostrophe at its beginning would be a request. */
function text(line: string): string {
  return escaped(line).replace(/^(?=[.'])/u, String.raw`\&`);
}

function escaped(words: string): string {
  return words
    .replaceAll("\\", String.raw`\e`)
    .replaceAll("-", String.raw`\-`)
    .replaceAll("…", "...")
    .replaceAll(/[^\0-\x7F]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return String.raw`\[u${code.toString(16).toUpperCase().padStart(4, "0")}]`;
    });
}
