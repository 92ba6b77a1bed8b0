import { isoTime } from "../lib/clock.ts";
import { html, type Html } from "../lib/html.ts";
import { ago } from "../look/dates.ts";

/** "5 minutes ago", by the clock that developers move. The instant is its tooltip. */
export function age(epochMilliseconds: number, now: number): Html {
  const instant = isoTime(epochMilliseconds);
  return html`<time datetime="${instant}" title="${instant.slice(0, 19).replace("T", " ")} UTC"
    >${ago(epochMilliseconds, now, { lang: "en" })}</time
  >`;
}
