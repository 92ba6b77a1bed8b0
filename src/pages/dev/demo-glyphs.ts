import { Html } from "../../lib/html.ts";

/** A small drawing of who makes a call; hidden from screen readers. */
function glyph(shapes: string): Html {
  return Html.dangerouslyCreate(
    `<svg class="glyph" viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${shapes}</svg>`,
  );
}

export const serverGlyph: Html = glyph(
  '<rect x="3.5" y="4" width="17" height="7" rx="2"/><rect x="3.5" y="13" width="17" height="7" rx="2"/><path d="M7 7.5v.01M7 16.5v.01M11 7.5h6M11 16.5h6"/>',
);

export const browserGlyph: Html = glyph(
  '<rect x="3" y="4.5" width="18" height="15" rx="2.5"/><path d="M3 9.25h18M6.25 6.9v.01M9 6.9v.01"/>',
);
