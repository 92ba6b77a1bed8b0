import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import type { Visit } from "../route.ts";

/** Chooses an application, or with `all` none of them. Nothing if there is no choice. */
export function applicationChoice(
  { operator }: Visit,
  applications: readonly { id: string; name: string }[],
  chosen: string | undefined,
  { name = "app", all = true }: { name?: string; all?: boolean } = {},
): Html | undefined {
  if (operator.appId !== undefined) return undefined;
  return html`<label
    >Application<select name="${name}" ${!all && html`required`}>
      <option value="">${all && "All"}</option>
      ${applications.map((each) => html`<option value="${each.id}" ${each.id === chosen && html`selected`}>${escapeUnseen(each.name)}</option>`)}
    </select></label
  >`;
}
