import { parseAst } from "rolldown/parseAst";

export interface ImportLine {
  /** The module specifier between the quotes. */
  from: string;
  line: number;
  /** `import type …`, `export type … from` or `import("…").T`: erased at run time. */
  isType: boolean;
}

/** The parts of a source file that the rules check. */
export interface Module {
  /** Relative to the repository, with slashes: `src/users/store.ts`. */
  path: string;
  imports: ImportLine[];
  /** Lines that read `process.env`. */
  environmentReads: number[];
  /** What reads the time or draws by itself. */
  timeAndChance: { what: string; line: number }[];
  /** Where it uses the table of memberships, or reads the organization's id of a path. */
  memberships: { what: string; line: number }[];
}

type Node = Record<string, unknown> & { type: string; start: number; end: number };

/**
 * Uses a parser instead of a pattern: imports in comments or strings do not count, imports over
 * several lines do.
 */
export function readModule(path: string, source: string): Module {
  const imports: ImportLine[] = [];
  const environmentReads: number[] = [];
  const timeAndChance: Module["timeAndChance"] = [];
  const memberships: Module["memberships"] = [];
  const lineOf = (node: Node): number => source.slice(0, node.start).split("\n").length;

  function visit(node: Node): void {
    const from = importedFrom(node);
    if (from !== undefined) imports.push({ from, line: lineOf(node), isType: isTypeImport(node) });
    if (readsEnvironment(node)) environmentReads.push(lineOf(node));
    const what = timeOrChance(node);
    if (what !== undefined) timeAndChance.push({ what, line: lineOf(node) });
    const membership = membershipOf(node);
    if (membership !== undefined) memberships.push({ what: membership, line: lineOf(node) });
    for (const child of childrenOf(node)) visit(child);
  }

  visit(parseAst(source, { lang: "ts", sourceType: "module" }, path) as unknown as Node);
  return { path, imports, environmentReads, timeAndChance, memberships };
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

const members: Record<string, string[]> = {
  Date: ["now"],
  Math: ["random"],
  performance: ["now", "timeOrigin"],
  process: ["hrtime"],
  crypto: ["getRandomValues", "randomUUID"],
};
const imported = new Set([
  "getRandomValues",
  "hrtime",
  "performance",
  "randomBytes",
  "randomFill",
  "randomFillSync",
  "randomInt",
  "randomUUID",
]);

/** The source of time or chance that is used here. */
function timeOrChance(node: Node): string | undefined {
  if (node.type === "MemberExpression") {
    for (const [object, names] of Object.entries(members))
      if (isIdentifier(node["object"], object))
        for (const name of names) if (isIdentifier(node["property"], name)) return `${object}.${name}`;
  }
  const given = node["arguments"];
  if (node.type === "NewExpression" && isIdentifier(node["callee"], "Date") && Array.isArray(given))
    return given.length === 0 ? "new Date()" : undefined;
  if (node.type === "CallExpression" && isIdentifier(node["callee"], "Date")) return "Date()";
  if (node.type !== "ImportSpecifier" || !isNode(node["imported"])) return undefined;
  return [...imported].find((name) => isIdentifier(node["imported"], name));
}

/** The table, also in raw SQL, or a call that reads the id. */
function membershipOf(node: Node): string | undefined {
  const given = node["arguments"];
  if (node.type === "CallExpression" && Array.isArray(given) && isText(given[0], "orgId")) return "orgId";
  const value = node.type === "TemplateElement" ? (node["value"] as { raw: string }).raw : node["value"];
  const isTable = isIdentifier(node, "organizationMembers") || /\borganization_members\b/u.test(String(value));
  return isTable ? "organization_members" : undefined;
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
