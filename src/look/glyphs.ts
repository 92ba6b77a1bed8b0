import { Html } from "../lib/html.ts";

/** A small drawing in the colour of the surrounding text; hidden from screen readers. */
function glyph(shapes: string, look: "glyph" | "glyph forward" = "glyph"): Html {
  return Html.dangerouslyCreate(
    `<svg class="${look}" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${shapes}</svg>`,
  );
}

/** A person and a key. */
export const passkeyGlyph: Html = glyph(
  '<circle cx="9.5" cy="7.5" r="3.75"/><path d="M2.75 20.25v-1a5.5 5.5 0 0 1 5.5-5.5h2.5c.5 0 1 .1 1.5.2"/><circle cx="17.5" cy="13" r="2.75"/><path d="M17.5 15.75v5.5M17.5 18.75h2"/>',
);

export const alertGlyph: Html = glyph('<circle cx="12" cy="12" r="9.25"/><path d="M12 7.5v5M12 16.25v.01"/>');

export const clockGlyph: Html = glyph('<circle cx="12" cy="12" r="9.25"/><path d="M12 6.75v5.5l3.5 2"/>');

export const tickGlyph: Html = glyph('<path d="m5.5 12.5 4.25 4.25 8.75-9.25"/>');

export const lockGlyph: Html = glyph(
  '<rect x="5" y="10.75" width="14" height="9.5" rx="2.5"/><path d="M8.25 10.75V7.5a3.75 3.75 0 0 1 7.5 0v3.25"/>',
);

export const phoneGlyph: Html = glyph(
  '<rect x="6.75" y="2.75" width="10.5" height="18.5" rx="2.5"/><path d="M11 18h2"/>',
);

export const tabletGlyph: Html = glyph(
  '<rect x="4.25" y="2.75" width="15.5" height="18.5" rx="2.5"/><path d="M10.5 18h3"/>',
);

export const laptopGlyph: Html = glyph(
  '<rect x="4.25" y="4.75" width="15.5" height="11" rx="2"/><path d="M2.25 19.25h19.5"/>',
);

export const keyGlyph: Html = glyph(
  '<circle cx="8" cy="15.75" r="4.25"/><path d="m11 12.75 8.25-8.25M15.500 8.250l3 3"/>',
);

export const plusGlyph: Html = glyph('<path d="M12 5.25v13.5M5.25 12h13.5"/>');

/** Lines on a card. */
export const codesGlyph: Html = glyph(
  '<rect x="3.75" y="4.75" width="16.5" height="14.5" rx="2.5"/><path d="M7.5 9.5h9M7.5 14.5h5"/>',
);

export const windowsGlyph: Html = glyph(
  '<rect x="8" y="8" width="13" height="12" rx="2.5"/><path d="M4.5 15.5A1.5 1.5 0 0 1 3 14V6.5A2.5 2.5 0 0 1 5.5 4H14a2 2 0 0 1 1.9 1.4M8 11.75h13"/>',
);

export const linkGlyph: Html = glyph(
  '<path d="M10 7.5H7.5a4.5 4.5 0 0 0 0 9H10M14 7.5h2.5a4.5 4.5 0 0 1 3 7.85M8.5 12H12M3.5 3.5l17 17"/>',
);

/** Mirrored in right-to-left languages. */
export const forwardGlyph: Html = glyph('<path d="m9 5.5 6.5 6.5-6.5 6.5"/>', "glyph forward");
