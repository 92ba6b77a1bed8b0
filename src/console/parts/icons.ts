import { html, type Html } from "../../lib/html.ts";
import type { Section } from "../sections.ts";

/** Lines in a square of 24. */
const drawings: Record<Section, Html> = {
  Overview: html`<path d="M4 20V11M10 20V4M16 20v-6M21 20H3" />`,
  People: html`<circle cx="9" cy="8" r="3.5" /><path
      d="M2.5 20c.5-4 3-6 6.5-6s6 2 6.5 6M16 5a3.5 3.5 0 0 1 0 6.5M18 14.5c2 .8 3.2 2.6 3.5 5.5"
    />`,
  Applications: html`<rect x="3.5" y="3.5" width="7" height="7" rx="1.5" /><rect
      x="13.5"
      y="3.5"
      width="7"
      height="7"
      rx="1.5"
    /><rect x="3.5" y="13.5" width="7" height="7" rx="1.5" /><rect x="13.5" y="13.5" width="7" height="7" rx="1.5" />`,
  Webhooks: html`<path d="M3 12h13M11 6.5l5.5 5.5-5.5 5.5M20.5 4v16" />`,
  Mail: html`<rect x="3" y="5" width="18" height="14" rx="2" /><path d="M3.5 7l8.5 6.5L20.5 7" />`,
  Keys: html`<circle cx="8" cy="15.5" r="4.5" /><path d="M11.5 12.5L20 4M15.5 8.5l3 3" />`,
  Capacity: html`<path d="M4 18a9 9 0 1 1 16 0M12 15l4-5" /><circle cx="12" cy="15.5" r="1.5" />`,
  Agents: html`<rect x="4" y="8" width="16" height="11" rx="2.5" /><path d="M12 8V4M9 13v1.5M15 13v1.5" />`,
  Audit: html`<path d="M8 6h13M8 12h13M8 18h13M3.5 6h.5M3.5 12h.5M3.5 18h.5" />`,
  Service: html`<rect x="4" y="4" width="16" height="7" rx="2" /><rect x="4" y="13" width="16" height="7" rx="2" /><path
      d="M8 7.5h.5M8 16.5h.5M12 7.5h4M12 16.5h4"
    />`,
  Team: html`<path d="M12 3l8 3v5.5c0 4.5-3 8-8 9.5-5-1.5-8-5-8-9.5V6zM9 12l2 2 4-4.5" />`,
};

/** Beside the section's name, which says the same. */
export function sectionIcon(section: Section): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${drawings[section]}</svg>`;
}
