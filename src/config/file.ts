import { isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import type { Document, Pair, YAMLMap } from "yaml";
import { didYouMean, nearest } from "./nearest.ts";
import { allSettings, invalidConfig, settingsByKey } from "./settings.ts";
import type { Given } from "./settings.ts";

// The library's own sentences repeat the line they complain about, which may hold a secret.
const syntaxErrors: Record<string, string> = {
  DUPLICATE_KEY: "this key is given twice",
  TAB_AS_INDENT: "indented with a tab; YAML wants spaces",
  BAD_INDENT: "the indentation or a bracket does not fit the lines above",
  MULTIPLE_DOCS: "a second document begins here; there may be only one",
  MISSING_CHAR: "a quote, a bracket or a colon is missing",
  BAD_ALIAS: "an alias without an anchor (a value that starts with * or & needs quotes)",
  TAG_RESOLVE_FAILED: "an unknown tag (a value that starts with ! needs quotes)",
};

/** The settings in the text of a `config.yaml`; `name` is how messages call the file. Throws INVALID_CONFIG with line and column. */
export function readConfigFile(content: string, name: string): Given[] {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name} line ${line}, column ${col}`;
  };
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    throw invalidConfig(`${at(problem.pos[0])}: ${syntaxErrors[problem.code] ?? "this is not valid YAML"}`);
  }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) return [];
  if (!isMap(document.contents))
    throw invalidConfig(`${at(0)}: the file must hold keys and values, such as "baseUrl: https://auth.example.com"`);
  return readGroup(document, document.contents, [], at);
}

function readGroup(document: Document, group: YAMLMap, above: string[], at: (offset: number) => string): Given[] {
  return group.items.flatMap((pair: Pair) => {
    const name = isScalar(pair.key) ? String(pair.key.value) : "?";
    const path = [...above, name];
    const key = path.join(".");
    const offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : (group.range?.[0] ?? 0);
    const origin = `${at(offset)}: ${key}`;
    const members = membersOf(path);
    if (name.includes(".") && settingsByKey.has(key))
      throw invalidConfig(`${origin} must be written as groups: each part on a line of its own, below the other`);
    if (settingsByKey.has(key)) {
      return [{ key, value: plainValue(document, pair.value, origin), origin }];
    }
    if (members.length === 0) throw invalidConfig(`${origin} is not a setting${didYouMean(suggestion(path))}`);
    if (isMap(pair.value)) return readGroup(document, pair.value, path, at);
    // A heading whose settings are all commented out.
    if (plainValue(document, pair.value, origin) === null) return [];
    throw invalidConfig(`${origin} must be a group of settings: ${members.join(", ")}`);
  });
}

function plainValue(document: Document, node: unknown, origin: string): unknown {
  if (!isNode(node)) return null;
  try {
    return node.toJS(document);
  } catch (cause) {
    // Aliases that unfold into millions of values.
    throw invalidConfig(`${origin} must be a plain value, without aliases`, cause);
  }
}

/** The names directly below a group; empty when there is no such group. */
function membersOf(path: string[]): string[] {
  const prefix = path.length === 0 ? "" : `${path.join(".")}.`;
  const below = allSettings.filter(({ key }) => key.startsWith(prefix)).map(({ key }) => key.slice(prefix.length));
  return [...new Set(below.map((key) => key.split(".")[0] ?? key))];
}

/** The setting meant by an unknown key: one of its neighbours, else the same name in another group (`port` → `listen.port`). */
function suggestion(path: string[]): string | undefined {
  const name = path.at(-1) ?? "";
  const above = path.slice(0, -1);
  const neighbour = nearest(name, membersOf(above));
  if (neighbour !== undefined) return [...above, neighbour].join(".");
  const elsewhere = allSettings.find(({ key }) => key.split(".").at(-1)?.toLowerCase() === name.toLowerCase());
  return (
    elsewhere?.key ??
    nearest(
      path.join("."),
      allSettings.map(({ key }) => key),
    )
  );
}
