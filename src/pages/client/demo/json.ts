import { element } from "./element.ts";

/** Strings (with the colon after a name), keywords, numbers. */
const tokens = /"(?:\\.|[^"\\])*"(?:\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g;

/** Indented JSON with a colour for each kind of value. */
export function jsonNodes(value: unknown): (Node | string)[] {
  if (typeof value === "string") return [value];
  const text = JSON.stringify(value, null, 2);
  const nodes: (Node | string)[] = [];
  let end = 0;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    nodes.push(text.slice(end, index), ...coloured(token));
    end = index + token.length;
  }
  return [...nodes, text.slice(end)];
}

function coloured(token: string): (Node | string)[] {
  if (token.endsWith(":")) return [token];
  if (token.startsWith('"')) return [element("span", { class: "json-text" }, ...shortened(token))];
  return [element("span", { class: "json-other" }, token)];
}

/** Values of this length are tokens, which nobody reads to the end. */
const long = /([\w.-]{80,})/;
const [headLength, tailLength] = [12, 8];

/**
 * Text in which the middle of each token is hidden. Selecting and copying still gets all of it.
 */
export function shortened(text: string): (Node | string)[] {
  return text.split(long).flatMap((piece, index) => {
    if (index % 2 === 0) return [piece];
    const middle = element("span", { class: "middle" }, piece.slice(headLength, -tailLength));
    return [piece.slice(0, headLength), middle, piece.slice(-tailLength)];
  });
}

const jwtParts = ["jwt-header", "jwt-claims", "jwt-signature"];

/** The three parts of a JWT, coloured like their decoded forms. */
export function jwtNodes(token: string): (Node | string)[] {
  return token.split(".").flatMap((text, index) => {
    const span = element("span", { class: jwtParts[index] ?? "" }, text);
    return index === 0 ? [span] : [".", span];
  });
}
