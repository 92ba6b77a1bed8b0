import { AppError } from "../../../lib/errors.ts";

const newline = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const hashDigits = 40;
/** Far longer than a hash and its count. */
const maxLineBytes = 128;

/** The value of each hexadecimal digit; 16 for other bytes. */
const digitValues = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 16 : value;
});

/** Gets the first eight bytes of a hash. */
export type OnHash = (high: number, low: number) => void;

/**
 * Reads lines `SHA1:count` piece by piece. A count of zero is padding of the range API and is
 * skipped. A bad line throws INVALID_REQUEST with its number and none of its content.
 */
export class HashLines {
  private rest: Buffer = Buffer.alloc(0);
  private line = 0;
  private readonly onHash: OnHash;

  constructor(onHash: OnHash) {
    this.onHash = onHash;
  }

  read(chunk: Buffer): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let from = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
      this.readLine(bytes, from, end);
      from = end + 1;
    }
    if (bytes.length - from > maxLineBytes) throw this.bad();
    this.rest = bytes.subarray(from);
  }

  /** A last line needs no line break. */
  end(): void {
    this.readLine(this.rest, 0, this.rest.length);
    this.rest = Buffer.alloc(0);
  }

  private readLine(bytes: Buffer, from: number, lineEnd: number): void {
    this.line += 1;
    const end = lineEnd > from && bytes[lineEnd - 1] === carriageReturn ? lineEnd - 1 : lineEnd;
    if (end === from) return;
    const digitsEnd = from + hashDigits;
    if (end < digitsEnd + 2 || bytes[digitsEnd] !== colon) throw this.bad();
    const high = this.number(bytes, from);
    const low = this.number(bytes, from + 8);
    for (let at = from + 16; at < digitsEnd; at += 8) this.number(bytes, at);
    let isPadding = true;
    for (let at = digitsEnd + 1; at < end; at += 1) {
      const digit = (bytes[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) throw this.bad();
      if (digit > 0) isPadding = false;
    }
    if (!isPadding) this.onHash(high, low);
  }

  /** Eight digits. */
  private number(bytes: Buffer, from: number): number {
    let number = 0;
    for (let at = from; at < from + 8; at += 1) {
      const value = digitValues[bytes[at] ?? 0] ?? 16;
      if (value === 16) throw this.bad();
      number = (number << 4) | value;
    }
    return number >>> 0;
  }

  private bad(): AppError {
    return new AppError(
      "INVALID_REQUEST",
      `Line ${Math.max(this.line, 1)} of the input is not a SHA-1 in hexadecimal, a colon and a count.`,
    );
  }
}
