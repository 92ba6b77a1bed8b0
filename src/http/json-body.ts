import { invalidRequest } from "../lib/errors.ts";
import { isStorable } from "../lib/text.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses JSON. Throws INVALID_REQUEST for invalid JSON, for duplicate keys (two readers could take
 * different ones), for the key `__proto__`, and for strings that storage cannot keep (NUL, lone
 * surrogates). Messages never repeat the input.
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw invalidRequest("body", "must be JSON in UTF-8");
  }
  if (countKeysWritten(text) !== countKeysKept(value)) throw invalidRequest("body", "a key is given twice");
  return value;
}

/** The number of keys in the text: in valid JSON, every string followed by a colon. */
function countKeysWritten(text: string): number {
  let keys = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gu)) {
    if (match[1] !== undefined) keys += 1;
  }
  return keys;
}

/**
 * The number of keys in the parsed value. Not recursive: nesting can be thousands of levels deep.
 */
function countKeysKept(root: unknown): number {
  let keys = 0;
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string" && !isStorable(value))
      throw invalidRequest("body", "a string contains NUL or an unpaired surrogate");
    if (typeof value !== "object" || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      // Some readers of an object skip it instead of refusing it as unknown.
      if (key === "__proto__") throw invalidRequest("body", 'unknown key "__proto__"');
      if (!isStorable(key)) throw invalidRequest("body", "a key contains NUL or an unpaired surrogate");
      if (!Array.isArray(value)) keys += 1;
      waiting.push(member);
    }
  }
  return keys;
}
