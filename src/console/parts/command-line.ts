import { html, type Html } from "../../lib/html.ts";
import { capitalized, escapeUnseen } from "../../lib/text.ts";

const plainWord = /^[\w@%+=:,./-]+$/u;

/** A command for a POSIX shell, with invisible characters written as escapes. */
function commandText(words: readonly string[]): string {
  return ["authsvc", ...words].map(shellWord).join(" ");
}

function shellWord(word: string): string {
  if (plainWord.test(word)) return word;
  const escaped = escapeUnseen(word);
  if (escaped === word) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  // Bash and zsh read escapes between $' and '.
  return `$'${escapeUnseen(word.replaceAll(/[\\']/gu, String.raw`\$&`))}'`;
}

/** The equivalent command for a terminal or a pipeline. */
export function commandLine(words: readonly string[]): Html {
  return html`<div class="command">
    <code>${commandText(words)}</code><button type="button" class="copy" data-copy hidden>Copy</button>
  </div>`;
}

/** A value to copy, such as an id or an address. */
export function copyable(text: string): Html {
  return html`<span class="command value">
    <code>${escapeUnseen(text)}</code><button type="button" class="copy" data-copy hidden>Copy</button>
  </span>`;
}

/** Several lines to copy and paste. They are not changed: escape what must be. */
export function pasted(label: string, text: string): Html {
  return html`<div class="command value">
    <pre tabindex="0" aria-label="${label}">${text}</pre>
    <button type="button" class="copy" data-copy hidden>Copy</button>
  </div>`;
}

/** A fix of `doctor`: a command, a sentence, or a sentence that ends with one. */
export function fixOf(fix: string): Html {
  const [, before = fix, words, after = ""] = /^(.*?)\bauthsvc ([^,]*)(.*)$/u.exec(fix) ?? [];
  return html`${before !== "" && html`<p class="hint">${escapeUnseen(capitalized(before))}</p>`}
  ${words !== undefined && commandLine(words.split(" "))}
  ${after !== "" && html`<p class="hint">${escapeUnseen(after.replace(/^, /u, ""))}</p>`}`;
}
