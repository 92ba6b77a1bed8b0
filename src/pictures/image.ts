/** Reads uploaded pictures by their content, and leaves out of them what is not the picture. */
import { crc32 } from "node:zlib";
import { hash } from "node:crypto";
import { invalidRequest } from "../lib/errors.ts";

export type PictureType = "image/png" | "image/jpeg" | "image/webp";

/** A checked picture, without metadata. `digest`: as in its address. */
export type Picture = { type: PictureType; digest: string; bytes: Buffer };

export const maxPictureBytes = 256 * 1024;
const maxSide = 4096;

/** Why a file is refused, and what to do. */
export const pictureProblems = {
  none: "choose a file",
  large: "at most 256 KiB; make the picture smaller, 512 × 512 pixels are enough",
  vector: "an SVG file can hold scripts; export it as PNG",
  heic: "HEIC and AVIF are not shown everywhere; save it as JPEG",
  other: "not a PNG, JPEG or WebP picture; save it as PNG or JPEG",
  webp: "mail programs do not show WebP; save the logo as PNG",
  moving: "an animation; save one frame of it as PNG or JPEG",
  print: "its colours are for printing (CMYK); save it in RGB",
  wide: "at most 4096 pixels wide and high; make the picture smaller",
  broken: "the file is damaged or incomplete; save or download it again",
} as const;

export type PictureProblem = keyof typeof pictureProblems;

/** Ends the reading of a file. */
class Refused extends Error {
  readonly problem: PictureProblem;
  constructor(problem: PictureProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** `use`: mails show logos, and mail programs no WebP. */
export function readPicture(file: Uint8Array | undefined, use: "person" | "logo"): Picture | PictureProblem {
  const bytes = Buffer.from(file ?? []);
  try {
    const { type, parts } = picked(bytes, use);
    const kept = Buffer.concat(parts);
    // A chunk written anew can make it larger.
    if (kept.length > maxPictureBytes) throw new Refused("large");
    return { type, digest: digestOfPicture(kept), bytes: kept };
  } catch (error) {
    if (error instanceof Refused) return error.problem;
    // Read past the end.
    if (error instanceof RangeError) return "broken";
    throw error;
  }
}

/** The part of it that is in an address. */
export function digestOfPicture(bytes: Uint8Array): string {
  return hash("sha256", bytes, "base64url").slice(0, 16);
}

/** Throws INVALID_REQUEST naming `field`. */
export function checkedPicture(file: Uint8Array | undefined, use: "person" | "logo", field: string): Picture {
  const read = readPicture(file, use);
  if (typeof read === "string") throw invalidRequest(field, pictureProblems[read]);
  return read;
}

function picked(bytes: Buffer, use: "person" | "logo"): { type: PictureType; parts: Buffer[] } {
  if (bytes.length === 0) throw new Refused("none");
  const name = bytes.toString("latin1", 0, 16);
  const isWebp = name.startsWith("RIFF") && name.slice(8, 12) === "WEBP";
  if (isWebp && use === "logo") throw new Refused("webp");
  if (/^\s*<|^\u00EF\u00BB\u00BF\s*</u.test(name)) throw new Refused("vector");
  if (name.slice(4, 8) === "ftyp") throw new Refused("heic");
  if (name.startsWith("GIF8")) throw new Refused("moving");
  const isPng = name.startsWith("\u0089PNG\r\n\u001A\n");
  const isJpeg = name.startsWith("\u00FF\u00D8\u00FF");
  if (!isWebp && !isPng && !isJpeg) throw new Refused("other");
  if (bytes.length > maxPictureBytes) throw new Refused("large");
  if (isWebp) return { type: "image/webp", parts: webpParts(bytes) };
  return isPng ? { type: "image/png", parts: pngParts(bytes) } : { type: "image/jpeg", parts: jpegParts(bytes) };
}

function checkSides(width: number, height: number): void {
  if (width > maxSide || height > maxSide) throw new Refused("wide");
  if (width < 1 || height < 1) throw new Refused("broken");
}

/** What is needed to draw it. Everything else of a PNG file is text, times, places. */
const pngKept = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND", "gAMA", "cHRM", "sRGB", "sBIT"]);

function pngParts(bytes: Buffer): Buffer[] {
  const parts = [bytes.subarray(0, 8)];
  let hasData = false;
  let turned: number | undefined;
  for (let at = 8; ;) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString("latin1", at + 4, at + 8);
    const end = at + 12 + length;
    if (end > bytes.length || (at === 8) !== (name === "IHDR")) throw new Refused("broken");
    if (bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at + 4, end - 4))) throw new Refused("broken");
    if (name === "IHDR" && length !== 13) throw new Refused("broken");
    if (name === "IHDR") checkSides(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12));
    if (name === "acTL") throw new Refused("moving");
    hasData ||= name === "IDAT" && length > 0;
    if (pngKept.has(name)) parts.push(bytes.subarray(at, end));
    if (name === "eXIf" && turned === undefined) {
      turned = orientationOf(bytes.subarray(at + 8, end - 4));
      if (turned !== undefined) parts.push(pngChunk("eXIf", exifWith(turned)));
    }
    if (name === "IEND") break;
    at = end;
  }
  if (!hasData) throw new Refused("broken");
  return parts;
}

function pngChunk(name: string, content: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(name, "latin1"), content, Buffer.alloc(4)]);
  chunk.writeUInt32BE(content.length, 0);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

/** What is needed to draw it: frames, tables of codes and quantities, scans, restarts. */
const jpegKept = new Set([0xc0, 0xc1, 0xc2, 0xc4, 0xcc, 0xda, 0xdb, 0xdd]);
/** Encoders write about ten. */
const maxScans = 100;

function jpegParts(bytes: Buffer): Buffer[] {
  const tables: Buffer[] = [];
  let turned: number | undefined;
  let hasFrame = false;
  let scans = 0;
  for (let at = 2; ;) {
    // Fill bytes may stand before a marker.
    while (bytes.readUInt8(at) === 0xff && bytes.readUInt8(at + 1) === 0xff) at += 1;
    if (bytes.readUInt8(at) !== 0xff) throw new Refused("broken");
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xd9) break;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length || end < at + 4) throw new Refused("broken");
    const content = bytes.subarray(at + 4, end);
    // Other frames: arithmetic, lossless or hierarchical, which browsers do not draw.
    if (marker >= 0xc3 && marker <= 0xcf && ![0xc4, 0xcc].includes(marker)) throw new Refused("other");
    if (marker >= 0xc0 && marker <= 0xc2) {
      if (hasFrame) throw new Refused("broken");
      hasFrame = true;
      checkSides(content.readUInt16BE(3), content.readUInt16BE(1));
      if (content.readUInt8(5) > 3) throw new Refused("print");
    }
    if (marker === 0xe1 && content.toString("latin1", 0, 6) === "Exif\0\0")
      turned ??= orientationOf(content.subarray(6));
    // Adobe's segment says how the colours are stored.
    const isAdobe = marker === 0xee && content.length === 12 && content.toString("latin1", 0, 5) === "Adobe";
    const isNeeded = jpegKept.has(marker) || isAdobe;
    let next = end;
    if (marker === 0xda) {
      if (!hasFrame) throw new Refused("broken");
      scans += 1;
      // Each is drawn over the whole picture: hundreds keep a browser busy.
      if (scans > maxScans) throw new Refused("other");
      next = endOfScan(bytes, end);
    }
    if (isNeeded) tables.push(bytes.subarray(at, next));
    at = next;
  }
  if (scans === 0) throw new Refused("broken");
  const exif = turned === undefined ? [] : [exifSegment(exifWith(turned))];
  return [bytes.subarray(0, 2), ...exif, ...tables, Buffer.from([0xff, 0xd9])];
}

/** The next marker after the data of a scan, which has escaped ones and restarts only. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw new Refused("broken");
}

function exifSegment(exif: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exif]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

function webpParts(bytes: Buffer): Buffer[] {
  const whole = 8 + bytes.readUInt32LE(4);
  if (whole > bytes.length) throw new Refused("broken");
  const chunks: Buffer[] = [];
  let extended: Buffer | undefined;
  let turned: number | undefined;
  let hasPicture = false;
  for (let at = 12; at < whole;) {
    const name = bytes.toString("latin1", at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (at + 8 + length > whole) throw new Refused("broken");
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (name === "ANIM" || name === "ANMF") throw new Refused("moving");
    if (name === "VP8X") {
      checkSides(content.readUIntLE(4, 3) + 1, content.readUIntLE(7, 3) + 1);
      extended = Buffer.from(bytes.subarray(at, end));
    }
    if (name === "EXIF")
      turned ??= orientationOf(content.toString("latin1", 0, 4) === "Exif" ? content.subarray(6) : content);
    if (name === "VP8 " || name === "VP8L") {
      if (hasPicture) throw new Refused("broken");
      hasPicture = true;
      checkSides(...sidesOfFrame(name, content));
    }
    if (["VP8 ", "VP8L", "ALPH"].includes(name)) chunks.push(bytes.subarray(at, end));
    at = end;
  }
  if (!hasPicture) throw new Refused("broken");
  if (extended) {
    // Only transparency and metadata of those that it announces are there.
    extended.writeUInt8((extended.readUInt8(8) & 0x10) | (turned === undefined ? 0 : 0x08), 8);
    chunks.unshift(extended);
    if (turned !== undefined) chunks.push(riffChunk("EXIF", exifWith(turned)));
  }
  const content = Buffer.concat([Buffer.from("WEBP", "latin1"), ...chunks]);
  return [riffChunk("RIFF", content)];
}

function riffChunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 0, "latin1");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

function sidesOfFrame(name: "VP8 " | "VP8L", content: Buffer): [width: number, height: number] {
  if (name === "VP8L") {
    if (content.readUInt8(0) !== 0x2f) throw new Refused("broken");
    const bits = content.readUInt32LE(1);
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
  }
  if (content.readUIntBE(3, 3) !== 0x9d012a) throw new Refused("broken");
  return [content.readUInt16LE(6) & 0x3fff, content.readUInt16LE(8) & 0x3fff];
}

/** The tag Orientation of Exif's first directory; undefined if it is upright or unreadable. */
function orientationOf(exif: Buffer): number | undefined {
  try {
    const isLittle = exif.toString("latin1", 0, 2) === "II";
    const short = (at: number): number => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
    const directory = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
    for (let entry = 0; entry < short(directory); entry += 1) {
      const at = directory + 2 + entry * 12;
      const value = short(at + 8);
      if (short(at) === 0x0112) return value >= 2 && value <= 8 ? value : undefined;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** Exif with nothing but how the picture is turned. */
function exifWith(orientation: number): Buffer {
  const exif = Buffer.from("4d4d002a00000008000101120003000000010000000000000000", "hex");
  exif.writeUInt16BE(orientation, 18);
  return exif;
}
