import type { Argument, Command, Option } from "commander";

/**
 * The possible values in one place of a command line. `apps`, `clients`, `groups`, `users` and
 * `emails` come from the database.
 */
export type Kind =
  | { of: "apps" | "clients" | "groups" | "users" | "emails" | "files" | "folders" | "anything" }
  | { words: readonly string[] };

export type CompletableFlag = { long: string; about: string; value: Kind | undefined };

/**
 * A command for completion. `path` is what precedes it (`app create`, empty for the program
 * itself).
 */
export type CompletableCommand = {
  path: string;
  commands: { name: string; about: string }[];
  flags: CompletableFlag[];
  arguments: Kind[];
};

const knownProviders = ["google", "github", "microsoft", "apple", "discord", "facebook"];

/** The program and every visible command, each with the global flags. */
export function completableCommands(program: Command): CompletableCommand[] {
  return describe(program, [], program.options);
}

function describe(command: Command, above: string[], everywhere: readonly Option[]): CompletableCommand[] {
  const below = command.createHelp().visibleCommands(command);
  const options = [...new Set([...command.options, ...everywhere])].filter(({ hidden }) => !hidden);
  const flags = options.flatMap((option) => (typeof option.long === "string" ? [flagOf(option, option.long)] : []));
  return [
    {
      path: above.join(" "),
      commands: below.map((sub) => ({ name: sub.name(), about: sub.description() })),
      flags: [...flags, { long: "--help", about: "show help", value: undefined }],
      arguments: command.registeredArguments.map((argument) => kindOfArgument(argument, above)),
    },
    ...below.filter((sub) => sub.name() !== "help").flatMap((sub) => describe(sub, [...above, sub.name()], everywhere)),
  ];
}

function flagOf(option: Option, long: string): CompletableFlag {
  const about = option.description;
  if (!option.required && !option.optional) return { long, about, value: undefined };
  if (option.argChoices) return { long, about, value: { words: option.argChoices } };
  const kinds: Record<string, Kind> = {
    "--app": { of: "apps" },
    "--user": { of: "users" },
    "--allowed-groups": { of: "groups" },
    "--email": { of: "emails" },
  };
  const placeholder = /<([\w=.]+?)(?:\.\.\.)?>/u.exec(option.flags)?.[1];
  const kind = placeholder === "file" ? "files" : placeholder === "folder" ? "folders" : "anything";
  return { long, about, value: kinds[long] ?? { of: kind } };
}

function kindOfArgument(argument: Argument, [group = ""]: string[]): Kind {
  if (argument.argChoices) return { words: argument.argChoices };
  if (argument.name() === "PROVIDER") return { words: knownProviders };
  if (argument.name() === "FILE") return { of: "files" };
  if (argument.name() === "GROUP") return { of: "groups" };
  if (argument.name() === "USER") return { of: "users" };
  if (argument.name() !== "ID") return { of: "anything" };
  const kinds: Record<string, Kind> = { app: { of: "apps" }, client: { of: "clients" }, user: { of: "users" } };
  return kinds[group] ?? { of: "anything" };
}
