import { chromaOf, contrast, darkest, lightest, mirrored, withLightness, type Rgb } from "./colour-space.ts";

/**
 * Grounds that an accent can stand on: the card and the page behind it, per scheme. styles.css has the same values; a test
 * compares them. Of the two, the one nearer to mid-grey decides.
 */
export const grounds = {
  light: ["#ffffff", "#f5f5f7"],
  dark: ["#1a1b1f", "#101114"],
} as const;

/** WCAG 2.2: 1.4.3 for text, 1.4.11 for the shape of a control. */
const textContrast = 4.5;
const shapeContrast = 3;
/** Aim a little above each bar: hexadecimal rounding costs up to about 0.03. */
const margin = 0.05;
/** Below this a colour reads as grey. */
const greyChroma = 0.02;

/** The colours that one app's colour becomes on one ground; all `#rrggbb`. */
export type Accent = {
  /** Fill of the main button: at least 3:1 against the ground. */
  accent: string;
  /** The same under the pointer; keeps both bars. */
  accentHover: string;
  /** Text on either: at least 4.5:1. */
  onAccent: string;
  /** Links and focus rings: at least 4.5:1 against the ground. */
  accentText: string;
};

/** `#rrggbb` in lower case for `#rgb` or `#rrggbb`; undefined for everything else. */
export function parseColour(text: string | null | undefined): string | undefined {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text ?? "")?.[1]?.toLowerCase();
  if (digits === undefined) return undefined;
  return `#${digits.length === 3 ? digits.replace(/./g, "$&$&") : digits}`;
}

/** Corrects an app's colour (`#rrggbb`) for a scheme: hue kept, lightness moved only as far as the bars ask. */
export function accentFor(colour: string, scheme: "light" | "dark"): Accent {
  const brand = fromHex(colour);
  const accent = readableOn(brand, scheme, shapeContrast);
  const onAccent = contrast(accent, lightest) >= textContrast ? lightest : darkest;
  return {
    accent: toHex(accent),
    accentHover: toHex(hoverOf(accent, onAccent, scheme)),
    onAccent: toHex(onAccent),
    accentText: toHex(readableOn(brand, scheme, textContrast)),
  };
}

/** The stylesheet that gives a page an app's colour (`#rrggbb`), in light and dark. Depends on nothing but the colour. */
export function accentStylesheet(colour: string): string {
  const light = properties(accentFor(colour, "light"));
  const dark = properties(accentFor(colour, "dark"));
  return `:root{${light}}@media(prefers-color-scheme:dark){:root{${dark}}}`;
}

function properties({ accent, accentHover, onAccent, accentText }: Accent): string {
  return `--accent:${accent};--accent-hover:${accentHover};--on-accent:${onAccent};--accent-text:${accentText}`;
}

/** The colour, made darker on a light ground or lighter on a dark one until it stands out from it by `bar`. */
function readableOn(colour: Rgb, scheme: "light" | "dark", bar: number): Rgb {
  if (meets(colour, scheme, bar)) return colour;
  // Black ink becomes white ink on a dark ground, not a mid-grey that looks switched off.
  if (chromaOf(colour) < greyChroma && meets(mirrored(colour), scheme, bar + margin)) return mirrored(colour);
  const target = scheme === "light" ? 0 : 1;
  // Black on light and white on dark always pass; halve the way until the nearest colour that passes is found.
  let near = 0;
  let far = 1;
  for (let step = 0; step < 16; step += 1) {
    const share = (near + far) / 2;
    if (meets(withLightness(colour, share, target), scheme, bar + margin)) far = share;
    else near = share;
  }
  return withLightness(colour, far, target);
}

function meets(colour: Rgb, scheme: "light" | "dark", bar: number): boolean {
  return grounds[scheme].every((ground) => contrast(colour, fromHex(ground)) >= bar);
}

/** A step darker or lighter, the widest that can be seen and keeps the text readable and the button visible; else the accent. */
function hoverOf(accent: Rgb, onAccent: Rgb, scheme: "light" | "dark"): Rgb {
  const [away, towards] = onAccent === lightest ? ([0, 1] as const) : ([1, 0] as const);
  const steps = [0.14, 0.1, 0.06].flatMap((share) => [
    withLightness(accent, share, away),
    withLightness(accent, share, towards),
  ]);
  // Black and white cannot move outwards, and need a longer way inwards to be told apart.
  steps.push(withLightness(accent, 0.3, towards), withLightness(accent, 0.08, towards));
  const keepsBars = (step: Rgb) =>
    contrast(step, onAccent) >= textContrast + margin && meets(step, scheme, shapeContrast + margin);
  return steps.find((step) => contrast(step, accent) >= 1.1 && keepsBars(step)) ?? accent;
}

function fromHex(colour: string): Rgb {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    (start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255,
  );
  return [red, green, blue];
}

function toHex(colour: Rgb): string {
  return `#${colour
    .map((channel) =>
      Math.round(channel * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

/** WCAG contrast of two `#rrggbb` colours, 1 to 21. */
export function contrastOf(first: string, second: string): number {
  return contrast(fromHex(first), fromHex(second));
}
