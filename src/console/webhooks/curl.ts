import { escapeUnseen } from "../../lib/text.ts";

/**
 * A request for a terminal, in bash and zsh. The comment is an argument of `:`, because an
 * interactive zsh runs what follows `#`.
 */
export function curlText(
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
  comment: string,
): string {
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const lines = [`curl --globoff --include ${quoted(new URL(url).href)}`, ...named, `--data-raw ${quoted(body)}`];
  return [`: ${quoted(comment)}`, lines.join(" \\\n  ")].join("\n");
}

/** Invisible characters as bytes, so that none gets lost or is run when the text is copied. */
function quoted(word: string): string {
  if (escapeUnseen(word) === word) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const escaped = Array.from(word, (character) => {
    if (character === "\\" || character === "'") return `\\${character}`;
    // In an interactive bash it would repeat an earlier command.
    return character === "!" || escapeUnseen(character) !== character ? bytesOf(character) : character;
  });
  return `$'${escaped.join("")}'`;
}

function bytesOf(character: string): string {
  return Array.from(Buffer.from(character), (byte) => String.raw`\x${byte.toString(16).padStart(2, "0")}`).join("");
}
