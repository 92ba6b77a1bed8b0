import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import type { Finding } from "../../operator/doctor/finding.ts";
import { commandLine } from "../parts/command-line.ts";
import { part, state } from "../parts/data.ts";

const findingsShown = 6;

/** What is not done yet, each with the command that does it. Nothing if all is done. */
export function unfinishedPart(findings: readonly Finding[]): Html {
  const shown = findings.slice(0, findingsShown);
  const more = findings.length - shown.length;
  const list = part(
    "What is not done yet",
    html`<ul class="todo">
        ${shown.map(
          ({ status, message, fix }) =>
            html`<li>
              <p>${status === "problem" ? state("problem", "bad") : state("to do")} ${escapeUnseen(message)}</p>
              ${fix !== null && way(fix)}
            </li>`,
        )}
      </ul>
      ${
        more > 0 &&
        html`<p class="hint">${more} more:</p>
          ${commandLine(["doctor"])}`
      }`,
  );
  return html`<div data-live="unfinished">${findings.length > 0 && list}</div>`;
}

/** A fix is a command, a sentence, or a sentence that ends with one. */
function way(fix: string): Html {
  const [, before = fix, words, after = ""] = /^(.*?)\bauthsvc ([^,]*)(.*)$/u.exec(fix) ?? [];
  return html`${before !== "" && html`<p class="hint">${escapeUnseen(before)}</p>`}
  ${words !== undefined && commandLine(words.split(" "))}
  ${after !== "" && html`<p class="hint">${escapeUnseen(after.replace(/^, /u, ""))}</p>`}`;
}
