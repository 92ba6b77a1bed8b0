import { invalidRequest } from "../lib/errors.ts";
import { isStorable } from "../lib/text.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * A JSON text as a value. Throws INVALID_REQUEST for what is not JSON, for a key that is given twice (two readers could take
 * different ones) and for strings that storage could not give back (NUL, lone surrogates). No message repeats what was sent.
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw invalidRequest("body: not JSON in UTF-8");
  }
  if (countKeysWritten(text) !== countKeysKept(value)) throw invalidRequest("body: a key is given twice");
  return value;
}

/** Keys in the text: in valid JSON, every string that a colon follows. */
function countKeysWritten(text: string): number {
  let keys = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gu)) {
    if (match[1] !== undefined) keys += 1;
  }
  return keys;
}

/** Walks without recursion: a body of brackets nests thousands deep. */
function countKeysKept(root: unknown): number {
  let keys = 0;
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string" && !isStorable(value))
      throw invalidRequest("body: a string holds NUL or half a character");
    if (typeof value !== "object" || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (!isStorable(key)) throw invalidRequest("body: a key holds NUL or half a character");
      if (!Array.isArray(value)) keys += 1;
      waiting.push(member);
    }
  }
  return keys;
}
