import { crc32, deflateSync } from "node:zlib";

/** Files as people choose them, with the bytes of real formats. */

export function pngChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

type Pixel = [red: number, green: number, blue: number, alpha: number];

/** One colour, or what `pixel` answers. `more`: chunks before the data. */
export function png(
  width: number,
  height: number,
  { pixel = () => [200, 30, 90, 255], more = [] }: { pixel?: (x: number, y: number) => Pixel; more?: Buffer[] } = {},
): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_unused, x) => pixel(x, y)).flat()]),
  );
  return pngOf(width, height, deflateSync(Buffer.concat(rows)), more);
}

/** 8 bits of red, green, blue and alpha. `data`: compressed, whatever the size says. */
export function pngOf(width: number, height: number, data: Buffer, more: Buffer[] = []): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\u0089PNG\r\n\u001A\n", "latin1"),
    pngChunk("IHDR", head),
    ...more,
    pngChunk("IDAT", data),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A grey pixel, as libjpeg writes it. */
const greyJpeg = Buffer.from(
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z",
  "base64",
);

export function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** `segments`: in front of all others. */
export function jpeg(...segments: Buffer[]): Buffer {
  return Buffer.concat([greyJpeg.subarray(0, 2), ...segments, greyJpeg.subarray(2)]);
}

/** Its one scan so many times. */
export function jpegOfScans(count: number): Buffer {
  const [start, end] = [greyJpeg.indexOf(Buffer.from([0xff, 0xda])), greyJpeg.length - 2];
  const scans = Array.from({ length: count }, () => greyJpeg.subarray(start, end));
  return Buffer.concat([greyJpeg.subarray(0, start), ...scans, greyJpeg.subarray(end)]);
}

/** Four components, as for printing. */
export function cmykJpeg(): Buffer {
  const at = greyJpeg.indexOf(Buffer.from([0xff, 0xc0]));
  const frame = segment(0xc0, Buffer.from([8, 0, 1, 0, 1, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]));
  return Buffer.concat([greyJpeg.subarray(0, at), frame, greyJpeg.subarray(at + 2 + greyJpeg.readUInt16BE(at + 2))]);
}

export const place = "48.137154N 11.576124E";

/** Exif with a place, and the picture turned by 90 degrees (6). */
export function exifSegment(): Buffer {
  const directory = Buffer.alloc(2 + 2 * 12 + 4);
  directory.writeUInt16BE(2, 0);
  directory.writeUInt16BE(0x0112, 2);
  directory.writeUInt16BE(3, 4);
  directory.writeUInt32BE(1, 6);
  directory.writeUInt16BE(6, 10);
  directory.writeUInt16BE(0x010e, 14);
  directory.writeUInt16BE(2, 16);
  directory.writeUInt32BE(place.length, 18);
  directory.writeUInt32BE(8 + directory.length, 22);
  const tiff = Buffer.concat([Buffer.from("4d4d002a00000008", "hex"), directory, Buffer.from(place)]);
  return segment(0xe1, Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]));
}

/** Lossless, 17 × 16 pixels. */
export const webp = Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvEAAPEAcQERGIiP4HAA==", "base64");

export function movingWebp(): Buffer {
  const chunk = (name: string, content: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(content.length);
    return Buffer.concat([Buffer.from(name, "latin1"), length, content]);
  };
  const extended = chunk("VP8X", Buffer.from([0x02, 0, 0, 0, 16, 0, 0, 15, 0, 0]));
  const content = Buffer.concat([Buffer.from("WEBP"), extended, chunk("ANIM", Buffer.alloc(6)), webp.subarray(12)]);
  return chunk("RIFF", content);
}

export function fileOf(bytes: Buffer, name = "me.png", type = "image/png"): File {
  return new File([new Uint8Array(bytes)], name, { type });
}
