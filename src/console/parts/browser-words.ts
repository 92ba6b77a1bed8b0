import { html, type Html } from "../../lib/html.ts";
import { browserOf, deviceOf } from "../../lib/user-agent.ts";
import { shown } from "./data.ts";

/** A browser by its name; an unknown one by its header. */
export function browserWords(userAgent: string | null): Html | string {
  if (userAgent === null) return "unknown";
  const [browser, device] = [browserOf(userAgent), deviceOf(userAgent)];
  if (browser === undefined && device === undefined) return shown(userAgent);
  return html`${browser ?? "Browser"}${device !== undefined && ` on ${device}`}`;
}
