import { html, type Html } from "../lib/html.ts";
import { framePage, type Frame } from "../pages/parts/frame.ts";
import { age } from "./age.ts";
import type { Delivery } from "./event-inbox.ts";
import { stylesheetPath as stylesheet } from "./stylesheet.ts";

/** GET /dev/webhooks: for developers, so in English and without translations. */
export function webhooksPage(frame: Frame, deliveries: readonly Delivery[], now: number): Html {
  const title = "Webhooks";
  const body = html`<p><a href="/dev">Development mode</a></p>
    <div>
      <h1>${title}</h1>
      <p class="hint">
        Every event of this application, as your receiver would get it, kept in memory until the service stops.
      </p>
    </div>
    ${
      deliveries.length === 0
        ? html`<p>No event yet. Reload this page after a sign-in.</p>`
        : html`<ul class="rows">
            ${deliveries.map(
              ({ receivedAt, id, timestamp, signature, body: sent }) =>
                html`<li>
                  <b><bdi>${eventOf(sent)}</bdi></b>
                  <div class="hint">${age(Date.parse(receivedAt), now)}</div>
                  <pre>${headerLines({ id, timestamp, signature })}${indented(sent)}</pre>
                </li>`,
            )}
          </ul>`
    }`;
  return framePage(frame, { title, body, stylesheet });
}

function headerLines(headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `webhook-${name}: ${value}\n`);
  return `${lines.join("")}\n`;
}

/** Anything on this machine may have sent it. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function eventOf(body: string): string {
  const value = parsed(body);
  const event = typeof value === "object" && value !== null && "event" in value ? value.event : undefined;
  return typeof event === "string" ? event : "unknown";
}

function indented(body: string): string {
  const value = parsed(body);
  return value === undefined ? body : JSON.stringify(value, undefined, 2);
}
