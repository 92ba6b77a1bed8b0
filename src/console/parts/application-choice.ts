import { html, type Html } from "../../lib/html.ts";
import type { Visit } from "../route.ts";
import { selectField, type Options } from "./fields.ts";

/** Chooses an application, or with `all` none of them. Nothing if there is no choice. */
export function applicationChoice(
  { operator }: Visit,
  applications: readonly { id: string; name: string }[],
  chosen: string | undefined,
  { name = "app", all = true }: { name?: string; all?: boolean } = {},
): Html | undefined {
  if (operator.appId !== undefined) return undefined;
  const options: Options = [["", all ? "All" : ""], ...applications.map((each) => [each.id, each.name] as const)];
  return selectField("Application", name, options, chosen, !all && html`required`);
}
