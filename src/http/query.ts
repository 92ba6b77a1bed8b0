import { invalidRequest } from "../lib/errors.ts";
import { isId } from "../lib/names.ts";
import { isStorable } from "../lib/text.ts";

/**
 * The query's parameters, as often as they are given. Throws INVALID_REQUEST for malformed escapes,
 * NUL and lone surrogates. Messages never repeat the input.
 */
export function parsePairs(query: string): [name: string, value: string][] {
  return query
    .split("&")
    .filter((text) => text !== "")
    .map((pair) => {
      const separator = pair.indexOf("=");
      const name = decoded(separator === -1 ? pair : pair.slice(0, separator));
      return [name, separator === -1 ? "" : decoded(pair.slice(separator + 1))];
    });
}

/**
 * Parses a request's query. Throws INVALID_REQUEST for what two readers could understand
 * differently (duplicate parameters, lists such as `token[]`), and as `parsePairs` does.
 */
export function parseQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of parsePairs(query)) {
    if (/[[\]]/u.test(name)) throw invalidRequest("query", "a parameter is sent as a list");
    if (parameters.has(name)) throw invalidRequest("query", "a parameter is given twice");
    parameters.set(name, value);
  }
  return parameters;
}

/** Throws INVALID_REQUEST for a parameter that is not among `known`. */
export function refuseUnknownParameters(query: ReadonlyMap<string, string>, names: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalidRequest("query", `unknown parameter ${JSON.stringify(unknown.slice(0, 64))}`);
}

/** A parameter that is a number; `missing` if it is not sent. Throws INVALID_REQUEST. */
export function wholeNumberIn(
  query: ReadonlyMap<string, string>,
  name: string,
  { from, to, missing }: { from: number; to: number; missing: number },
): number {
  const text = query.get(name);
  if (text === undefined) return missing;
  const value = /^\d{1,4}$/u.test(text) ? Number(text) : Number.NaN;
  if (!(value >= from && value <= to)) throw invalidRequest(name, `a whole number from ${from} to ${to}`);
  return value;
}

/** The page of a list whose cursor is the last id, and which has no parameters but `also`. */
export function pageIn(
  query: ReadonlyMap<string, string>,
  also: readonly string[] = [],
): { after: string; limit: number } {
  refuseUnknownParameters(query, ["limit", "cursor", ...also]);
  const limit = wholeNumberIn(query, "limit", { from: 1, to: 200, missing: 50 });
  const after = query.get("cursor") ?? "";
  if (after !== "" && !isId(after)) throw invalidRequest("cursor", "must be the nextCursor of the previous page");
  return { after, limit };
}

function decoded(text: string): string {
  let value: string;
  try {
    value = decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw invalidRequest("query", "malformed percent-encoding");
  }
  if (!isStorable(value)) throw invalidRequest("query", "a parameter contains NUL or an unpaired surrogate");
  return value;
}
