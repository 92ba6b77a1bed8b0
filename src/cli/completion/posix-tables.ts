import type { CompletableCommand, Kind } from "./tree.ts";

/**
 * The commands as functions for bash and zsh. Each line has a name and its description, separated
 * by a tab.
 */
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

/** `name "app create"` prints `contentOf` for that command; nothing for a command without any. */
function lookup(name: string, commands: CompletableCommand[], contentOf: (of: CompletableCommand) => string): string {
  const cases = commands
    .map((command) => ({ path: command.path, content: contentOf(command) }))
    .filter(({ content }) => content !== "")
    .map(({ path, content }) => `    ${quoted(path)}) printf '%s\\n' ${content} ;;`);
  return `${name}() {\n  case "$1" in\n${cases.join("\n")}\n  esac\n}\n`;
}

/**
 * The value of a flag; fails for a flag without one. A flag has the same value in all commands
 * unless a command differs.
 */
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

/** Quotes text as one shell word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** In both shells, for each word before the cursor: a flag, its value, a command or an argument. */
export const posixWord = `    case $flag in --config | --data) given+=("$flag" "$word") ;; esac
    if [[ -n $flag ]]; then flag=''; continue; fi
    case $word in
      --config=* | --data=*) given+=("$word") ;;
      --*=*) ;;
      -*) if _authsvc_value "$at" "$word" >/dev/null; then flag=$word; fi ;;
      *)
        if _authsvc_commands "$at" | cut -f 1 | grep -Fqx -- "$word"; then at=\${at:+$at }$word
        else ((position++)); fi ;;
    esac
`;
