import type { CompletableCommand, Kind } from "./tree.ts";

/** Completion for fish: a file authsvc.fish in ~/.config/fish/completions. */
export function fishCompletion(commands: CompletableCommand[]): string {
  return `# fish completion for authsvc; made by: authsvc completion fish
set -g __authsvc_paths ${commands.map(({ path }) => quoted(path)).join(" ")}
set -g __authsvc_valued ${valuedFlags(commands).join(" ")}

# What was typed before the word under the cursor: the command, then its arguments, each on a line.
function __authsvc_typed
    set -l at ''
    set -l rest
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip -eq 1
            set skip 0
        else if string match -q -- '-*' $word
            contains -- $word $__authsvc_valued; and set skip 1
        else if contains -- (string trim -- "$at $word") $__authsvc_paths
            set at (string trim -- "$at $word")
        else
            set -a rest $word
        end
    end
    echo "$at"
    for word in $rest
        echo "$word"
    end
end

# Whether a command is typed, and (with a second argument) how many arguments follow it.
function __authsvc_at
    set -l typed (__authsvc_typed)
    test "$typed[1]" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    test (math (count $typed) - 1) -eq $argv[2]
end

function __authsvc_values
    set -l words (commandline -opc)
    set -l given
    for i in (seq 2 (count $words))
        if string match -qr -- '^--(config|data)=' $words[$i]
            set -a given $words[$i]
        else if contains -- $words[$i] --config --data
            set -a given $words[$i..(math $i + 1)]
        end
    end
    $words[1] completion-values $argv[1] (string replace -r -- '^--[a-z-]+=' '' (commandline -ct)) $given 2>/dev/null
end

complete -c authsvc -f
${commands.flatMap(completionsOf).join("\n")}
`;
}

function completionsOf({ path, commands, flags, arguments: kinds }: CompletableCommand): string[] {
  const here = `__authsvc_at ${quoted(path)}`;
  return [
    ...commands.map(({ name, about }) => line(`${here} 0`, `-a ${quoted(name)}`, about)),
    ...flags.map(({ long, about, value }) =>
      line(here, `-l ${long.slice(2)} ${value ? valueOf(value) : ""}`.trim(), about),
    ),
    ...kinds.map((kind, position) => line(`${here} ${position}`, sourceOf(kind))),
  ].filter((text) => text !== "");
}

function line(condition: string, what: string, about?: string): string {
  if (what === "") return "";
  return `complete -c authsvc -n ${quoted(condition)} ${what}${about === undefined ? "" : ` -d ${quoted(about)}`}`;
}

/** The required value of a flag. Files are only offered where they fit. */
function valueOf(kind: Kind): string {
  const source = sourceOf(kind);
  return source === "-F" ? "-r -F" : `-x ${source}`;
}

function sourceOf(kind: Kind): string {
  if ("words" in kind) return `-a ${quoted(kind.words.join(" "))}`;
  switch (kind.of) {
    case "files":
      return "-F";
    case "folders":
      return "-a '(__fish_complete_directories)'";
    case "apps":
    case "clients":
    case "groups":
    case "users":
    case "emails":
      return `-a '(__authsvc_values ${kind.of})'`;
    case "anything":
      return "";
  }
}

/** Flags with a value, of all commands. */
function valuedFlags(commands: CompletableCommand[]): string[] {
  return [...new Set(commands.flatMap(({ flags }) => flags.flatMap(({ long, value }) => (value ? [long] : []))))];
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
