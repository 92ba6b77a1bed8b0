import { gunzipSync } from "node:zlib";
import { AppError } from "../../lib/errors.ts";

const block = 512;
const maxBytes = 512 * 1024 * 1024;
/** Of a header, POSIX.1-1988: a regular file, whose type is `0` or NUL. */
const fileType = /^[0\0]$/u;

/** The content of the regular file `name` in a .tar.gz. Throws CONFLICT if there is none. */
export function fileInTarGz(archive: Buffer, name: string): Buffer {
  const tar = unpacked(archive);
  for (let at = 0; at + block <= tar.length;) {
    const text = (from: number, to: number): string =>
      tar.toString("latin1", at + from, at + to).replace(/\0.*$/su, "");
    const size = sizeOf(text(124, 136));
    const start = at + block;
    if (text(0, 100) === name && fileType.test(tar.toString("latin1", at + 156, at + 157))) {
      if (start + size > tar.length) break;
      return tar.subarray(start, start + size);
    }
    at = start + Math.ceil(size / block) * block;
  }
  throw new AppError("CONFLICT", `The archive has no file ${name}.`);
}

/** Octal digits, and blanks around them; empty is 0. Throws CONFLICT: a negative one has no end. */
function sizeOf(text: string): number {
  if (!/^ *[0-7]* *$/u.test(text))
    throw new AppError("CONFLICT", "The archive is damaged: a size in it is not a number.");
  return Number.parseInt(text, 8) || 0;
}

function unpacked(archive: Buffer): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: maxBytes });
  } catch (cause) {
    throw new AppError("CONFLICT", "The archive cannot be unpacked.", { cause });
  }
}
