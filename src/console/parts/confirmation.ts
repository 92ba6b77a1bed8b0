/** What an operator types before something is deleted for good. */
import { invalidRequest } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import type { Post } from "../route.ts";

/** `names`: its address, its name; any of them confirms. */
export type Named = { id: string; names: readonly (string | null)[] };

const endOfId = 6;

function given({ id, names }: Named): string[] {
  const present = names.filter((name) => name !== null).filter((name) => asRead(name) !== "");
  return present.length > 0 ? present : [id.slice(-endOfId)];
}

/** Composed letters and one blank for several, as somebody reads it. */
function asRead(text: string): string {
  return text.normalize("NFC").replaceAll(/\s+/gu, " ").trim();
}

export function confirmationField(named: Named, entered: string): Html {
  return html`<label
    >Confirmation <span class="hint">Type <bdi>${escapeUnseen(given(named)[0] ?? "")}</bdi></span
    ><input name="confirmation" value="${entered}" required autocomplete="off" autocapitalize="off" spellcheck="false"
  /></label>`;
}

export function isConfirmed(named: Named, entered: string): boolean {
  return given(named).some((name) => [name, escapeUnseen(name)].map(asRead).includes(asRead(entered)));
}

/** Throws INVALID_REQUEST. */
export function demandConfirmation({ form }: Post, named: Named): void {
  if (isConfirmed(named, form.get("confirmation") ?? "")) return;
  throw invalidRequest("Confirmation", `type ${escapeUnseen(given(named)[0] ?? "")}`);
}
