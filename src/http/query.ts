import { invalidRequest } from "../lib/errors.ts";
import { isStorable } from "../lib/text.ts";

/**
 * Parses a request's query. Throws INVALID_REQUEST for what two readers could understand
 * differently (duplicate parameters, lists such as `token[]`, malformed escapes), and for NUL and
 * lone surrogates. Messages never repeat the input.
 */
export function parseQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter((text) => text !== "")) {
    const separator = pair.indexOf("=");
    const name = decoded(separator === -1 ? pair : pair.slice(0, separator));
    const value = separator === -1 ? "" : decoded(pair.slice(separator + 1));
    if (/[[\]]/u.test(name)) throw invalidRequest("query: a parameter is written as a list");
    if (parameters.has(name)) throw invalidRequest("query: a parameter is given twice");
    parameters.set(name, value);
  }
  return parameters;
}

function decoded(text: string): string {
  let value: string;
  try {
    value = decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw invalidRequest("query: malformed percent-encoding");
  }
  if (!isStorable(value)) throw invalidRequest("query: a parameter holds NUL or half a character");
  return value;
}
