import { element } from "./element.ts";

/** Texts with the name or the colon behind them, words, numbers. */
const tokens = /"(?:\\.|[^"\\])*"(?:\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g;
const jwt = /^"[\w-]+\.[\w-]+\.[\w-]+"$/;

/** JSON as people read it: indented, its kinds of value told apart by colour. */
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
  if (token.endsWith(":")) return [element("span", { class: "json-name" }, token.slice(0, -1)), ":"];
  if (token.startsWith('"eyJ') && jwt.test(token)) return ['"', ...jwtNodes(token.slice(1, -1)), '"'];
  if (token.startsWith('"')) return [element("span", { class: "json-text" }, token)];
  return [element("span", { class: "json-other" }, token)];
}

const jwtParts = ["jwt-header", "jwt-claims", "jwt-signature"];

/** The three parts of a JWT in the colours of their decoded forms. */
function jwtNodes(token: string): (Node | string)[] {
  return token.split(".").flatMap((text, index) => {
    const span = element("span", { class: jwtParts[index] ?? "" }, text);
    return index === 0 ? [span] : [".", span];
  });
}
