import { Html } from "../lib/html.ts";

/**
 * The providers' marks, redrawn for this project. Providers require that a mark is shown unchanged
 * beside the name, with space around it: Google and Microsoft in their colours, the others in their
 * own or the text's colour.
 */
const marks: ReadonlyMap<string, Html> = new Map([
  [
    "google",
    mark(
      '<g fill="none" stroke-width="4.3"><path stroke="#ea4335" d="M19.07 6.11A9.35 9.35 0 0 0 3.7 7.71"/><path stroke="#fbbc05" d="M3.9 7.33a9.35 9.35 0 0 0 0 9.34"/><path stroke="#34a853" d="M3.7 16.29a9.35 9.35 0 0 0 14.48 2.74"/><path stroke="#4285f4" d="M17.89 19.28A9.35 9.35 0 0 0 21.33 12"/></g><path fill="#4285f4" d="M12 9.85h11.3q.2 1.100.2 2.15v2.15H12z"/>',
    ),
  ],
  [
    "microsoft",
    mark(
      '<path fill="#f25022" d="M2 2h9.5v9.5H2z"/><path fill="#7fba00" d="M12.5 2H22v9.5h-9.5z"/><path fill="#00a4ef" d="M2 12.5h9.5V22H2z"/><path fill="#ffb900" d="M12.5 12.5H22V22h-9.5z"/>',
    ),
  ],
  [
    "github",
    mark(
      '<mask id="mark-github"><circle cx="12" cy="12" r="11.5" fill="#fff"/><path fill="#000" d="M5.8 10.3 5.7 6q0-.9.9-.6l3.5 1.4q1.9-.4 3.8 0l3.5-1.4q.9-.3.9.6l-.1 4.3q1 4.7-4.2 5.500.8.9.8 2.5V24H9.2v-5.7q0-1.600.8-2.5-5.2-.8-4.2-5.5z"/><path d="M9.9 20.1c-3.100.7-3.1-1.3-4-2.2q-.5-.5-1.2-.6" fill="none" stroke="#000" stroke-width="1.4" stroke-linecap="round"/></mask><path d="M0 0h24v24H0z" mask="url(#mark-github)"/>',
    ),
  ],
  [
    "apple",
    mark(
      '<path d="M12.1 7.2c-1.2 0-2.2-.9-3.8-.9C5.2 6.3 3 8.9 3 12.7c0 4.5 3 9.8 5.6 9.8 1.3 0 2-.8 3.6-.8s2.200.8 3.600.8c2 0 3.9-2.9 4.8-5.5-2-.9-3.2-2.6-3.2-4.8 0-1.9 1-3.4 2.5-4.3-1-1-2.4-1.6-3.9-1.6-1.7 0-2.800.9-3.900.9z"/><path d="M15.9 1c.1 2.4-1.9 4.5-4.1 4.4-.2-2.2 1.8-4.3 4.1-4.4z"/>',
    ),
  ],
  [
    "discord",
    mark(
      '<path fill="#5865f2" fill-rule="evenodd" d="M8.6 4.4c-1.400.3-2.800.7-4 1.3C2.3 9 1.5 12.7 1.8 17c1.5 1.2 3.2 2 5.1 2.6l1.3-2.1q3.8 1.2 7.6 0l1.3 2.1c1.9-.6 3.6-1.4 5.1-2.600.3-4.3-.5-8-2.8-11.3-1.2-.6-2.6-1-4-1.3L14.7 6q-2.7-.4-5.4 0zM8.6 14.7c1.1 0 2-1 2-2.2s-.9-2.2-2-2.2-2 1-2 2.200.9 2.2 2 2.2zm6.8 0c1.1 0 2-1 2-2.2s-.9-2.2-2-2.2-2 1-2 2.200.9 2.2 2 2.2z"/>',
    ),
  ],
  [
    "facebook",
    mark(
      '<circle cx="12" cy="12" r="12" fill="#0866ff"/><path fill="#fff" d="M10 23.8V15.5H7V12h3V9.8c0-3.3 1.9-5 4.8-5q1.3 0 2.300.2v3h-1.5c-1.5 0-2 .8-2 1.9V12h3.4l-.6 3.5h-2.8v8.35q-1.800.3-3.6 0z"/>',
    ),
  ],
]);

const neutral = mark(
  '<g fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"><path d="M13.5 4.5h4a2.5 2.5 0 0 1 2.5 2.5v10a2.5 2.5 0 0 1-2.5 2.5h-4"/><path d="M4 12h10.5M11 8.25 14.75 12 11 15.75"/></g>',
  "glyph forward",
);

export function hasMark(name: string): boolean {
  return marks.has(name);
}

export function providerMark(name: string): Html {
  return marks.get(name) ?? neutral;
}

/** `forward` drawings are mirrored in right-to-left languages. */
function mark(shapes: string, look: "glyph" | "glyph forward" = "glyph"): Html {
  return Html.dangerouslyCreate(
    `<svg class="${look}" viewBox="0 0 24 24" width="20" height="20" fill="currentColor" aria-hidden="true" focusable="false">${shapes}</svg>`,
  );
}
