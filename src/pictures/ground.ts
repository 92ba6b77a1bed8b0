/** Whether a transparent logo can be seen on light and on dark pages. */
import { inflateSync } from "node:zlib";
import type { LogoGround } from "../storage/column-types.ts";

/** A larger logo is not looked at: that would hold the thread. */
const maxPixelBytes = 2 ** 20;
/** Of a light and a dark page, near enough. */
const [lightPage, darkPage] = [1, 0.01];
const leastContrast = 1.6;

/**
 * The ground under the logo where the page has the other colour: light for a logo that is lost on
 * dark, dark for one that is lost on light. Null if it needs none. JPEG is never transparent.
 */
export function groundFor({ type, bytes }: { type: string; bytes: Buffer }): LogoGround | null {
  if (type !== "image/png") return null;
  const lights = lightsOf(bytes);
  if (lights === undefined || lights.length === 0) return null;
  const seenOn = (page: number): number => lights.filter((light) => contrast(light, page) >= leastContrast).length;
  if (seenOn(darkPage) < lights.length / 2) return "light";
  return seenOn(lightPage) < lights.length / 2 ? "dark" : null;
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Channels of each colour type. */
const channelsOf: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** The luminance of visible pixels; undefined if all are opaque, or it is not readable here. */
function lightsOf(png: Buffer): number[] | undefined {
  const [width, height, depth, colours] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24] ?? 0, png[25] ?? 0];
  const channels = channelsOf[colours];
  const { data, palette, alphas } = chunksOf(png);
  const isPlain = depth === 8 && png[28] === 0 && channels !== undefined;
  if (!isPlain || width * height * channels > maxPixelBytes) return undefined;
  let rows: Buffer;
  try {
    rows = inflateSync(Buffer.concat(data), { maxOutputLength: height * (width * channels + 1) });
  } catch {
    // Damaged, or more than its head says: browsers show what they can.
    return undefined;
  }
  if (rows.length < height * (width * channels + 1)) return undefined;
  unfilter(rows, { width, height, channels });
  const lights: number[] = [];
  let isOpaque = true;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = y * (width * channels + 1) + 1 + x * channels;
      const index = rows[at] ?? 0;
      const isColoured = colours === 2 || colours === 6;
      const [from, start] = colours === 3 ? [palette, index * 3] : [rows, at];
      const alpha = colours === 3 ? (alphas[index] ?? 255) : channels % 2 === 0 ? (rows[at + channels - 1] ?? 0) : 255;
      if (alpha < 255) isOpaque = false;
      if (alpha < 128) continue;
      const [red, green, blue] = isColoured || colours === 3 ? [0, 1, 2] : [0, 0, 0];
      lights.push(luminance(from[start + red] ?? 0, from[start + green] ?? 0, from[start + blue] ?? 0));
    }
  return isOpaque ? undefined : lights;
}

function luminance(red: number, green: number, blue: number): number {
  return 0.2126 * (red / 255) ** 2.2 + 0.7152 * (green / 255) ** 2.2 + 0.0722 * (blue / 255) ** 2.2;
}

function chunksOf(png: Buffer): { data: Buffer[]; palette: Buffer; alphas: Buffer } {
  const found: ReturnType<typeof chunksOf> = { data: [], palette: Buffer.alloc(0), alphas: Buffer.alloc(0) };
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const content = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    const name = png.toString("latin1", at + 4, at + 8);
    if (name === "IDAT") found.data.push(content);
    if (name === "PLTE") found.palette = content;
    if (name === "tRNS") found.alphas = content;
  }
  return found;
}

/** In place (PNG §9.2). */
function unfilter(
  rows: Buffer,
  { width, height, channels }: { width: number; height: number; channels: number },
): void {
  const length = width * channels + 1;
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * length] ?? 0;
    for (let x = 1; x < length; x += 1) {
      const at = y * length + x;
      const left = x > channels ? (rows[at - channels] ?? 0) : 0;
      const up = y > 0 ? (rows[at - length] ?? 0) : 0;
      const corner = y > 0 && x > channels ? (rows[at - length - channels] ?? 0) : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      rows[at] = (rows[at] ?? 0) + guess;
    }
  }
}

function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
