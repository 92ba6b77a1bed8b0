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
  for (const { key, member } of membersOf(value)) {
    if (typeof member === "string" && !isStorable(member))
      throw invalidRequest("body", "a string contains NUL or an unpaired surrogate");
    // Some readers of an object skip it instead of refusing it as unknown.
    if (key === "__proto__") throw invalidRequest("body", 'unknown key "__proto__"');
    if (key !== undefined && !isStorable(key))
      throw invalidRequest("body", "a key contains NUL or an unpaired surrogate");
  }
  if (repeatsKey(text, value)) throw invalidRequest("body", "a key is given twice");
  return value;
}

/** Whether an object in this JSON text, of this value, has a key twice. */
export function repeatsKey(text: string, value: unknown): boolean {
  let kept = 0;
  for (const { key } of membersOf(value)) if (key !== undefined) kept += 1;
  return countKeysWritten(text) !== kept;
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
 * A value and all values in it, with their keys in objects. Not recursive: nesting can be thousands
 * of levels deep.
 */
function* membersOf(root: unknown): Generator<{ key?: string; member: unknown }> {
  const waiting: { key?: string; member: unknown }[] = [{ member: root }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    const { member } = next;
    if (Array.isArray(member)) for (const one of member) waiting.push({ member: one });
    else if (typeof member === "object" && member !== null)
      for (const [key, value] of Object.entries(member)) waiting.push({ key, member: value });
  }
}
