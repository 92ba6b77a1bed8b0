/** sRGB channels between 0 and 1. */
export type Rgb = readonly [red: number, green: number, blue: number];

type Triple = readonly [number, number, number];

export const darkest: Rgb = [0, 0, 0];
export const lightest: Rgb = [1, 1, 1];

/**
 * The contrast ratio of WCAG 2.2, from 1 to 21. https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
 */
export function contrast(first: Rgb, second: Rgb): number {
  const [a, b] = [luminance(first), luminance(second)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = toLinear(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * Moves the colour's OKLab lightness by `share` (0 to 1) of the way to `target` (0 black, 1 white).
 * Keeps the hue; reduces chroma in proportion, and further where the screen cannot show it.
 * https://bottosson.github.io/posts/oklab/
 */
export function withLightness(colour: Rgb, share: number, target: 0 | 1): Rgb {
  const [lightness, a, b] = toOklab(colour);
  const moved = lightness + (target - lightness) * share;
  // Near white and black little chroma is possible; a gradual fade looks better than clipping.
  const chroma = fittingChroma([moved, a, b], 1 - share * share);
  const [red, green, blue] = fromOklab([moved, a * chroma, b * chroma]);
  return [clamp(red), clamp(green), clamp(blue)];
}

/** OKLab chroma: 0 for greys, about 0.1 for muted and 0.3 for the strongest colours. */
export function chromaOf(colour: Rgb): number {
  const [, a, b] = toOklab(colour);
  return Math.hypot(a, b);
}

/** Inverts the lightness of a grey: black becomes white. */
export function mirrored(grey: Rgb): Rgb {
  const [lightness] = toOklab(grey);
  const [red, green, blue] = fromOklab([1 - lightness, 0, 0]);
  return [clamp(red), clamp(green), clamp(blue)];
}

/**
 * The largest share of a colour's chroma, at most `most`, that the screen can show at this
 * lightness.
 */
function fittingChroma([lightness, a, b]: Triple, most: number): number {
  if (fits(fromOklab([lightness, a * most, b * most]))) return most;
  let low = 0;
  let high = most;
  for (let step = 0; step < 12; step += 1) {
    const middle = (low + high) / 2;
    if (fits(fromOklab([lightness, a * middle, b * middle]))) low = middle;
    else high = middle;
  }
  return low;
}

function toOklab(colour: Rgb): Triple {
  const [red, green, blue] = toLinear(colour);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]: Triple): Triple {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return fromLinear([
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]);
}

function toLinear([red, green, blue]: Rgb): Triple {
  return [linear(red), linear(green), linear(blue)];
}

function fromLinear([red, green, blue]: Triple): Triple {
  return [encoded(red), encoded(green), encoded(blue)];
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

function encoded(channel: number): number {
  return channel <= 0.0031308 ? channel * 12.92 : 1.055 * channel ** (1 / 2.4) - 0.055;
}

function fits(colour: Triple): boolean {
  return colour.every((channel) => channel >= -0.0005 && channel <= 1.0005);
}

function clamp(channel: number): number {
  return Math.min(1, Math.max(0, channel));
}
