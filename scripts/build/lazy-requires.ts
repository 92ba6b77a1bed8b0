/** Modules of Node that take a millisecond and more to load, and that many commands never come to use. */
const dear = ["child_process", "crypto", "dns/promises", "fs/promises", "https", "os", "tls", "zlib"].map(
  (id) => `node:${id}`,
);

/**
 * How the bundler writes an import at the top of a chunk, from Node or from another chunk: with a second line when it is the default export of Node's
 * that is used.
 */
const imports =
  /^(?:let|const) (\w+) = require\("(node:[\w/]+|\.\/[\w-]+\.js)"\);$(?:\n\1 = require_rolldown_runtime\.__toESM\(\1, 1\);$)?/gmu;

/**
 * Lets the code of a chunk load such modules, and the `chunks` named (`./yaml.js`), where it uses them first, and not with itself. It knows no grammar: a
 * text that held `node_zlib.` would be changed, too, and the bundler's own names stand in none of ours.
 */
export function withLazyRequires(code: string, chunks: readonly string[] = []): string {
  const found: { name: string; isDefault: boolean }[] = [];
  const rewritten = code.replace(imports, (line: string, name: string, id: string) => {
    if (!dear.includes(id) && !chunks.includes(id)) return line;
    found.push({ name, isDefault: line.includes("\n") });
    return `let $${name}; const ${getterOf(name)} = () => $${name} ??= require("${id}");`;
  });
  return found.reduce((text, { name, isDefault }) => {
    const use = new RegExp(String.raw`(?<![\w$])${name}\.${isDefault ? String.raw`(?:default\b)?` : ""}`, "gu");
    const result = text.replace(use, (used) => `(${getterOf(name)}())${used.endsWith(".default") ? "" : "."}`);
    if (new RegExp(String.raw`(?<![\w$])${name}\b`, "u").test(result))
      throw new Error(`${name} is used as a whole: it cannot be loaded later`);
    return result;
  }, rewritten);
}

function getterOf(name: string): string {
  return `$get_${name}`;
}

/** Whether any of these texts has `withLazyRequires` load this chunk later: none would, did the bundler write its imports in another way. */
export function isLoadedLater(chunk: string, texts: readonly string[]): boolean {
  return texts.some((text) => text.includes(` ??= require("${chunk}");`));
}
