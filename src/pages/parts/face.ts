import { html, type Html } from "../../lib/html.ts";
import { storedPicture } from "../../lib/stored-picture.ts";
import { initialOf } from "../../lib/text.ts";
import { logoUrl, safeHref, type Frame, type Look } from "./frame.ts";

export type Person = { id: string; name: string | null; email: string | null; picture: string | null };

/**
 * A person at a glance: initials on their own colour. The picture covers them if the page may load
 * it; if it fails to load, they remain.
 */
export function face(look: Look, person: Person): Html {
  const { id, name, email, picture } = person;
  const href = picture !== null && mayShow(look, picture) ? (storedPicture(picture)?.path ?? picture) : undefined;
  return html`<svg class="face" viewBox="0 0 40 40" aria-hidden="true" focusable="false">
    <path d="M0 0h40v40H0z" fill="oklch(52% .1 ${hueOf(id)})" />
    <text x="20" y="20" text-anchor="middle" dominant-baseline="central" font-size="16" font-weight="600" fill="#fff">
      ${initialsOf(name ?? email ?? id)}
    </text>
    ${href !== undefined && html`<image href="${href}" width="40" height="40" preserveAspectRatio="xMidYMid slice" />`}
  </svg>`;
}

/**
 * Whether pages load a picture: an uploaded one, or one from the logo's origin, which they contact
 * anyway. Another origin would learn of each visit.
 */
export function mayShow(look: Look, picture: string): boolean {
  if (storedPicture(picture)) return true;
  return URL.canParse(picture) && new URL(picture).origin === logoUrl(look)?.origin;
}

/** Opens a picture that the page itself may not load. Its host does not learn about the page. */
export function pictureLink({ texts }: Frame, picture: string): Html | undefined {
  const href = safeHref(picture);
  return href === undefined
    ? undefined
    : html`<a href="${href}" target="_blank" rel="noopener noreferrer">${texts.openPicture}</a>`;
}

/** Two letters in scripts whose letters stand alone; in others, two would form a word. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u);
  const [first = "", last = ""] = [words[0] ?? "", words.length > 1 ? (words.at(-1) ?? "") : ""].map(initialOf);
  return /^\p{Lu}{2}$/u.test(first + last) ? first + last : first;
}

/** In degrees; the same on every page. */
function hueOf(id: string): number {
  return [...id].reduce((hue, character) => (hue * 31 + (character.codePointAt(0) ?? 0)) % 360, 0);
}
