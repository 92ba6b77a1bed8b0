import { invalidRequest } from "../lib/errors.ts";
import { isStorable } from "../lib/text.ts";
import type { Metadata } from "../storage/column-types.ts";

/** Of the JSON text in UTF-8: enough for settings and roles, and cheap to read for every token. */
const maxMetadataBytes = 4096;
const maxDepth = 8;

/**
 * A JSON merge patch (RFC 7396) applied to metadata; null for nothing left. Throws INVALID_REQUEST
 * naming the field and the rule.
 */
export function patchedMetadata(field: string, before: Metadata | null, patch: unknown): Metadata | null {
  if (patch === null) return null;
  if (!isObject(patch)) throw invalidRequest(field, "a JSON object");
  checkValues(field, patch, 1);
  const after = merged(before ?? {}, patch);
  if (Object.keys(after).length === 0) return null;
  if (Buffer.byteLength(JSON.stringify(after)) > maxMetadataBytes)
    throw invalidRequest(field, `at most ${maxMetadataBytes} bytes of JSON`);
  return after;
}

function isObject(value: unknown): value is Metadata {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** RFC 7396 §2: null removes a key; objects merge; anything else replaces. */
function merged(before: Metadata, patch: Metadata): Metadata {
  const kept = Object.entries(before).filter(([key]) => !Object.hasOwn(patch, key));
  const entries = Object.entries(patch).flatMap(([key, value]): [string, unknown][] => {
    if (value === null) return [];
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    return [[key, isObject(value) ? merged(isObject(old) ? old : {}, value) : value]];
  });
  return Object.fromEntries([...kept, ...entries]);
}

function checkValues(field: string, value: unknown, depth: number): void {
  if (typeof value === "string" && !isStorable(value)) throw invalidRequest(field, "no NUL, no unpaired surrogate");
  if (typeof value === "number" && !Number.isFinite(value)) throw invalidRequest(field, "must be a finite number");
  if (typeof value !== "object" || value === null) return;
  if (depth > maxDepth) throw invalidRequest(field, `at most ${maxDepth} levels deep`);
  for (const [key, member] of Object.entries(value)) {
    // Assigning it to an object would change its prototype, here or in a program that reads it.
    if (key === "__proto__") throw invalidRequest(field, "no key __proto__");
    if (!isStorable(key)) throw invalidRequest(field, "no key with NUL or an unpaired surrogate");
    checkValues(field, member, depth + 1);
  }
}
