import { parseAst } from "rolldown/parseAst";

export interface ImportLine {
  /** The module specifier between the quotes. */
  from: string;
  line: number;
  /** `import type …`, `export type … from` or `import("…").T`: erased at run time. */
  isType: boolean;
}

/** A function `create…` with the dependencies that its parameters list by name. */
export interface Factory {
  name: string;
  line: number;
  lists: string[];
  /** The factories whose dependencies it takes as well: `Parameters<typeof createX>[0] & …`. */
  includes: string[];
}

/** The parts of a source file that the rules check. */
export interface Module {
  /** Relative to the repository, with slashes: `src/users/store.ts`. */
  path: string;
  imports: ImportLine[];
  /** Lines that read `process.env`. */
  environmentReads: number[];
  factories: Factory[];
  lineCount: number;
}

type Node = Record<string, unknown> & { type: string; start: number; end: number };

/**
 * Uses a parser instead of a pattern: imports in comments or strings do not count, imports over
 * several lines do.
 */
export function readModule(path: string, source: string): Module {
  const imports: ImportLine[] = [];
  const environmentReads: number[] = [];
  const factories: Factory[] = [];
  const lineOf = (node: Node): number => source.slice(0, node.start).split("\n").length;

  function visit(node: Node): void {
    const from = importedFrom(node);
    if (from !== undefined) imports.push({ from, line: lineOf(node), isType: isTypeImport(node) });
    if (readsEnvironment(node)) environmentReads.push(lineOf(node));
    const name = factoryName(node);
    if (name !== undefined) factories.push({ name, line: lineOf(node), ...dependenciesOf(node, source) });
    for (const child of childrenOf(node)) visit(child);
  }

  visit(parseAst(source, { lang: "ts", sourceType: "module" }, path) as unknown as Node);
  return { path, imports, environmentReads, factories, lineCount: source.replace(/\n$/, "").split("\n").length };
}

const importing = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

function importedFrom(node: Node): string | undefined {
  if (!importing.has(node.type) || !isNode(node["source"])) return undefined;
  const { value } = node["source"];
  return typeof value === "string" ? value : undefined;
}

/** `import { type A } from "x"` is not one: with verbatimModuleSyntax, x is still loaded. */
function isTypeImport(node: Node): boolean {
  return node.type === "TSImportType" || node["importKind"] === "type" || node["exportKind"] === "type";
}

function readsEnvironment(node: Node): boolean {
  if (node.type === "MemberExpression") {
    return (
      isIdentifier(node["object"], "process") &&
      (isIdentifier(node["property"], "env") || isText(node["property"], "env"))
    );
  }
  if (node.type === "VariableDeclarator") {
    return (
      isIdentifier(node["init"], "process") &&
      isNode(node["id"]) &&
      childrenOf(node["id"]).some((property) => isIdentifier(property["key"], "env"))
    );
  }
  return node.type === "ImportSpecifier" && isIdentifier(node["imported"], "env");
}

function factoryName(node: Node): string | undefined {
  const name = node.type === "FunctionDeclaration" && isNode(node["id"]) ? node["id"]["name"] : undefined;
  return typeof name === "string" && /^create[A-Z]/.test(name) ? name : undefined;
}

function dependenciesOf(factory: Node, source: string): Pick<Factory, "lists" | "includes"> {
  const parameters = [factory["params"]].flat().filter(isNode);
  const parts = parameters
    .map((parameter) => parameter["typeAnnotation"])
    .filter(isNode)
    .flatMap(childrenOf)
    .flatMap((type) => (type.type === "TSIntersectionType" ? childrenOf(type) : [type]));
  const text = ({ start, end }: Node): string => source.slice(start, end);
  return {
    lists: parts
      .filter(({ type }) => type === "TSTypeLiteral")
      .flatMap(childrenOf)
      .map((member) => (isNode(member["key"]) ? text(member["key"]) : text(member))),
    includes: parts.flatMap((part) => /^Parameters<typeof (\w+)>\[0\]$/.exec(text(part))?.[1] ?? []),
  };
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isIdentifier(value: unknown, name: string): boolean {
  return isNode(value) && value.type === "Identifier" && value["name"] === name;
}

function isText(value: unknown, text: string): boolean {
  return isNode(value) && value.type === "Literal" && value["value"] === text;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";
}
