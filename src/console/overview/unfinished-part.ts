import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import type { Finding } from "../../upkeep/doctor/finding.ts";
import { commandLine } from "../parts/command-line.ts";
import { amount, part, state, withInstants } from "../parts/data.ts";

const findingsShown = 8;
/** The same item often applies to many applications. */
const shownOfACheck = 3;

/** Leads to the list from the head of the page. */
export function unfinishedLine(findings: readonly Finding[]): Html {
  const hasProblem = findings.some(({ status }) => status === "problem");
  const words = `${amount(findings.length)} ${findings.length === 1 ? "thing is" : "things are"} not done yet`;
  const line = html`<p class="${hasProblem ? "problem" : "part"}"><a href="#unfinished">${words}</a></p>`;
  return html`<div data-live="unfinished-line">${findings.length > 0 && line}</div>`;
}

/** Unfinished set-up, each with the command that finishes it. Nothing if all is done. */
export function unfinishedPart(findings: readonly Finding[]): Html {
  const shown = [...Map.groupBy(findings, ({ check }) => check).values()]
    .flatMap((ofCheck) => ofCheck.slice(0, shownOfACheck))
    .slice(0, findingsShown);
  const more = findings.length - shown.length;
  const list = part(
    "What is not done yet",
    html`<ul class="todo">
        ${shown.map(
          ({ status, message, fix }) =>
            html`<li>
              <p>${status === "problem" ? state("problem", "bad") : state("to do")} ${withInstants(message)}</p>
              ${fix !== null && way(fix)}
            </li>`,
        )}
      </ul>
      ${
        more > 0 &&
        html`<p class="hint">${amount(more)} more:</p>
          ${commandLine(["doctor"])}`
      }`,
  );
  return html`<div id="unfinished" data-live="unfinished">${findings.length > 0 && list}</div>`;
}

/** A fix is a command, a sentence, or a sentence that ends with one. */
function way(fix: string): Html {
  const [, before = fix, words, after = ""] = /^(.*?)\bauthsvc ([^,]*)(.*)$/u.exec(fix) ?? [];
  return html`${before !== "" && html`<p class="hint">${escapeUnseen(before.charAt(0).toUpperCase() + before.slice(1))}</p>`}
  ${words !== undefined && commandLine(words.split(" "))}
  ${after !== "" && html`<p class="hint">${escapeUnseen(after.replace(/^, /u, ""))}</p>`}`;
}
