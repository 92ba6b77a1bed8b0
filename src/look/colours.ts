import { chromaOf, contrast, darkest, lightest, mirrored, withLightness, type Rgb } from "./colour-space.ts";

/**
 * Backgrounds of the accent colour: the card and the page, per scheme. styles.css has the same
 * values; a test compares them. The one nearer to mid-grey decides.
 */
export const grounds = {
  light: ["#ffffff", "#f5f5f7"],
  dark: ["#1a1b1f", "#101114"],
} as const;

/** WCAG 2.2: 1.4.3 for text, 1.4.11 for the outline of controls. */
const textContrast = 4.5;
const shapeContrast = 3;
/** Aim slightly higher: rounding to hexadecimal costs up to about 0.03. */
const margin = 0.05;
/** Below this a colour looks grey. */
const greyChroma = 0.02;

/** The colours derived from an app's colour for one background; all `#rrggbb`. */
export type Accent = {
  /** The fill of the main button. */
  accent: string;
  /** Its border, at least 3:1 against the background if the fill has less. */
  accentEdge: string;
  /** The fill on hover, with the same contrast limits. */
  accentHover: string;
  /** Text on either fill: at least 4.5:1. */
  onAccent: string;
  /** Links and focus rings: at least 4.5:1 against the background. */
  accentText: string;
};

/** Normalises `#rgb` and `#rrggbb` to lower-case `#rrggbb`; undefined for everything else. */
export function parseColour(text: string | null | undefined): string | undefined {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text ?? "")?.[1]?.toLowerCase();
  if (digits === undefined) return undefined;
  return `#${digits.length === 3 ? digits.replace(/./g, "$&$&") : digits}`;
}

/**
 * Adapts an app's colour (`#rrggbb`) to a scheme: keeps the hue, changes lightness only as contrast
 * requires. On a light background the fill stays: a darkened yellow is olive, and dark text on
 * yellow is readable.
 */
export function accentFor(colour: string, scheme: "light" | "dark"): Accent {
  const brand = fromHex(colour);
  const edge = readableOn(brand, scheme, shapeContrast);
  const accent = scheme === "light" && chromaOf(brand) >= greyChroma ? brand : edge;
  const onAccent = contrast(accent, lightest) >= textContrast ? lightest : darkest;
  return {
    accent: toHex(accent),
    accentEdge: toHex(edge),
    accentHover: toHex(hoverOf(accent, onAccent, scheme)),
    onAccent: toHex(onAccent),
    accentText: toHex(readableOn(brand, scheme, textContrast)),
  };
}

/**
 * The stylesheet for an app's colour (`#rrggbb`), in light and dark. Depends only on the colour.
 */
export function accentStylesheet(colour: string): string {
  const light = properties(accentFor(colour, "light"));
  const dark = properties(accentFor(colour, "dark"));
  return `:root{${light}}@media(prefers-color-scheme:dark){:root{${dark}}}`;
}

function properties({ accent, accentEdge, accentHover, onAccent, accentText }: Accent): string {
  return `--accent:${accent};--accent-edge:${accentEdge};--accent-hover:${accentHover};--on-accent:${onAccent};--accent-text:${accentText}`;
}

/**
 * Darkens the colour on a light background, or lightens it on a dark one, until its contrast
 * reaches `bar`.
 */
function readableOn(colour: Rgb, scheme: "light" | "dark", bar: number): Rgb {
  if (meets(colour, scheme, bar)) return colour;
  // On a dark background black becomes white, not a mid-grey that looks disabled.
  if (chromaOf(colour) < greyChroma && meets(mirrored(colour), scheme, bar + margin)) return mirrored(colour);
  const target = scheme === "light" ? 0 : 1;
  // Black on light and white on dark always pass. Bisect to find the nearest colour that passes.
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

/**
 * The most visible step, darker or lighter, that keeps the text readable and the button visible;
 * else the accent itself.
 */
function hoverOf(accent: Rgb, onAccent: Rgb, scheme: "light" | "dark"): Rgb {
  const [away, towards] = onAccent === lightest ? ([0, 1] as const) : ([1, 0] as const);
  const steps = [0.14, 0.1, 0.06].flatMap((share) => [
    withLightness(accent, share, away),
    withLightness(accent, share, towards),
  ]);
  // Black and white can move in one direction only, and need a larger step to be distinguishable.
  steps.push(withLightness(accent, 0.3, towards), withLightness(accent, 0.08, towards));
  const bar = meets(accent, scheme, shapeContrast) ? shapeContrast + margin : 1;
  const keepsBars = (step: Rgb) => contrast(step, onAccent) >= textContrast + margin && meets(step, scheme, bar);
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

/** The WCAG contrast of two `#rrggbb` colours, from 1 to 21. */
export function contrastOf(first: string, second: string): number {
  return contrast(fromHex(first), fromHex(second));
}
