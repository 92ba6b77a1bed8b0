import { invalidRequest } from "../../lib/errors.ts";

/** A line of a file, numbered from 1, or why it cannot be read. `isOpen`: without a newline. */
export type Line = { line: number; isOpen?: boolean } & ({ text: string } | { problem: string });

const newline = 0x0a;
/** A user with fifty passkeys needs a twentieth of this. */
const maxBytes = 1_048_576;
/**
 * The longest line that is skipped. A longer one means that there are no lines: /dev/zero has no
 * end.
 */
const maxSkippedBytes = 64 * maxBytes;

/**
 * The lines of a stream of any length, with one line in memory. Lines that are too long are
 * skipped. Throws INVALID_REQUEST if the stream has no lines.
 */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let line = 1;
  let parts: Buffer[] = [];
  let size = 0;

  function add(part: Buffer): void {
    size += part.length;
    if (size > maxSkippedBytes)
      throw invalidRequest("FILE", `line ${line} is longer than 64 MiB: this is not a file of JSON Lines`);
    if (size > maxBytes) parts = [];
    else parts.push(part);
  }

  function end(): Line {
    const bytes = Buffer.concat(parts);
    const ended: Line = size > maxBytes ? { line, problem: `longer than ${maxBytes} bytes` } : decoded(line, bytes);
    [parts, size] = [[], 0];
    line += 1;
    return ended;
  }

  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, at));
      yield end();
      from = at + 1;
    }
    add(chunk.subarray(from));
  }
  if (size > 0) yield { ...end(), isOpen: true };
}

function decoded(line: number, bytes: Buffer): Line {
  try {
    // Removes a byte order mark.
    return { line, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { line, problem: "not UTF-8 text" };
  }
}
