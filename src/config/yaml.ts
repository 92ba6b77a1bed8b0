import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, stringify, type Document, type Pair } from "yaml";
import { invalidConfig } from "./settings.ts";

/** A value in a YAML file, with its position. */
export type YamlNode = {
  /** `shop.yaml line 3, column 5`: the position of the key if there is one, else of the value. */
  where: string;
  /** Undefined unless this is a group of keys. A key that is not a string is called `?`. */
  entries(): { name: string; node: YamlNode }[] | undefined;
  /** Undefined unless this is a list. */
  items(): YamlNode[] | undefined;
  /**
   * As a JavaScript value; null if missing. Throws INVALID_CONFIG for aliases that expand into
   * millions of values.
   */
  value(): unknown;
};

// The library's own messages quote the offending line, which may contain a secret.
const syntaxErrors: Record<string, string> = {
  DUPLICATE_KEY: "this key appears twice",
  TAB_AS_INDENT: "indented with a tab; YAML requires spaces",
  BAD_INDENT: "the indentation or a bracket does not match the lines above",
  MULTIPLE_DOCS: "a second document begins here; only one is allowed",
  MISSING_CHAR: "a quote, a bracket, a colon or the hyphen of a list is missing",
  BLOCK_AS_IMPLICIT_KEY: "the next line is indented too far, or this value needs quotes",
  MULTILINE_IMPLICIT_KEY: "a colon is missing after this key",
  BAD_SCALAR_START: "a value that starts with @, % or ` needs quotes",
  UNEXPECTED_TOKEN: "unexpected text; a value may need quotes",
  BAD_ALIAS: "an alias without an anchor (a value that starts with * or & needs quotes)",
  TAG_RESOLVE_FAILED: "an unknown tag (a value that starts with ! needs quotes)",
};

/**
 * Parses a YAML text with one document. Error messages call the file `name`. Throws INVALID_CONFIG
 * with line and column.
 */
export function readYaml(content: string, name: string): YamlNode {
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
  return nodeOf(document, document.contents, offsetOf(document.contents, 0), at);
}

/** Writes a value as YAML, one key per line. */
export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

function nodeOf(document: Document, node: unknown, offset: number, at: (offset: number) => string): YamlNode {
  return {
    where: at(offset),
    entries() {
      if (!isMap(node)) return undefined;
      return node.items.map((pair: Pair) => ({
        name: isScalar(pair.key) ? String(pair.key.value) : "?",
        node: nodeOf(document, pair.value, offsetOf(pair.key, offsetOf(node, offset)), at),
      }));
    },
    items() {
      return isSeq(node) ? node.items.map((item) => nodeOf(document, item, offsetOf(item, offset), at)) : undefined;
    },
    value(): unknown {
      if (!isNode(node)) return null;
      try {
        return node.toJS(document);
      } catch (cause) {
        throw invalidConfig(`${at(offset)} must be a plain value without aliases`, cause);
      }
    },
  };
}

function offsetOf(node: unknown, otherwise: number): number {
  return isNode(node) ? (node.range?.[0] ?? otherwise) : otherwise;
}
