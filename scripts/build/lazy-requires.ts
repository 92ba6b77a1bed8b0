/** Node modules that take a millisecond or more to load and that many commands never use. */
const dear = ["child_process", "crypto", "dns/promises", "fs/promises", "https", "os", "tls", "zlib"].map(
  (id) => `node:${id}`,
);

/**
 * The bundler's form of an import at the top of a chunk, from Node or another chunk; a default
 * export of Node has a second line.
 */
const imports =
  /^(?:let|const) (\w+) = require\("(node:[\w/]+|\.\/[\w-]+\.js)"\);$(?:\n\1 = require_rolldown_runtime\.__toESM\(\1, 1\);$)?/gmu;

/**
 * Makes a chunk load these modules, and the named `chunks` (`./yaml.js`), on first use. Works on
 * text: it would also change a string with `node_zlib.`, but our sources contain none of the
 * bundler's names.
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

/**
 * Whether `withLazyRequires` makes any of these texts load the chunk later. Fails if the bundler's
 * form of imports has changed.
 */
export function isLoadedLater(chunk: string, texts: readonly string[]): boolean {
  return texts.some((text) => text.includes(` ??= require("${chunk}");`));
}
