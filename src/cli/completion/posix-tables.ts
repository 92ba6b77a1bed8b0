import type { CompletableCommand, Kind } from "./tree.ts";

/** The commands as functions that bash and zsh both understand. Names and what they are for are separated by a tab, one a line. */
export function posixTables(commands: CompletableCommand[]): string {
  return [
    lookup("_authsvc_commands", commands, ({ commands: below }) =>
      lines(below.map(({ name, about }) => [name, about])),
    ),
    lookup("_authsvc_flags", commands, ({ flags }) => lines(flags.map(({ long, about }) => [long, about]))),
    lookup("_authsvc_arguments", commands, ({ arguments: kinds }) => lines(kinds.map((kind) => [kindText(kind)]))),
    flagValues(commands),
  ].join("\n");
}

/** `name "app create"` prints what `contentOf` says of that command; nothing for a command without. */
function lookup(name: string, commands: CompletableCommand[], contentOf: (of: CompletableCommand) => string): string {
  const cases = commands
    .map((command) => ({ path: command.path, content: contentOf(command) }))
    .filter(({ content }) => content !== "")
    .map(({ path, content }) => `    ${quoted(path)}) printf '%s\\n' ${content} ;;`);
  return `${name}() {\n  case "$1" in\n${cases.join("\n")}\n  esac\n}\n`;
}

/** What follows a flag; fails for one that stands alone. The same flag takes the same everywhere but where a command says otherwise. */
function flagValues(commands: CompletableCommand[]): string {
  const cases = commands.flatMap(({ path, flags }) =>
    flags.flatMap(({ long, value }) =>
      value ? [`    ${quoted(`${path} ${long}`.trim())}) printf '%s\\n' ${quoted(kindText(value))} ;;`] : [],
    ),
  );
  return `_authsvc_value() {\n  case "\${1:+$1 }$2" in\n${cases.join("\n")}\n    *) return 1 ;;\n  esac\n}\n`;
}

function kindText(kind: Kind): string {
  return "words" in kind ? `words ${kind.words.join(" ")}` : kind.of;
}

function lines(rows: string[][]): string {
  return rows.map((cells) => quoted(cells.join("\t"))).join(" ");
}

/** Text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
