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

/** Lets the code of a chunk load such modules, and the `chunks` named (`./yaml.js`), where it uses them first, and not with itself. */
export function withLazyRequires(code: string, chunks: readonly string[] = []): string {
  const names: string[] = [];
  const rewritten = code.replace(imports, (line, name: string, id: string) => {
    if (!dear.includes(id) && !chunks.includes(id)) return line;
    names.push(name);
    return `let $${name}; const $get_${name} = () => $${name} ??= require("${id}");`;
  });
  return names.reduce((text, name) => {
    const result = text.replace(new RegExp(String.raw`(?<![\w$])${name}\.(?:default\b)?`, "gu"), (use) =>
      use.endsWith(".default") ? `($get_${name}())` : `($get_${name}()).`,
    );
    if (new RegExp(String.raw`(?<![\w$])${name}\b`, "u").test(result))
      throw new Error(`${name} is used as a whole: it cannot be loaded later`);
    return result;
  }, rewritten);
}
