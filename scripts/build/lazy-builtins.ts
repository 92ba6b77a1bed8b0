/** Modules of Node that take a millisecond and more to load, and that many commands never come to use. */
const dear = ["child_process", "crypto", "dns/promises", "fs/promises", "https", "tls", "zlib"];

/** How the bundler writes an import from Node at the top of a chunk: with a second line when it is the default export that is used. */
const imports =
  /^let (node_\w+) = require\("node:([\w/]+)"\);$(?:\n\1 = require_rolldown_runtime\.__toESM\(\1, 1\);$)?/gmu;

/** Lets the code of a chunk load such modules where it uses them first, and not with itself. */
export function withLazyBuiltins(code: string): string {
  const names: string[] = [];
  const rewritten = code.replace(imports, (line, name: string, id: string) => {
    if (!dear.includes(id)) return line;
    names.push(name);
    return `let $${name}; const $get_${name} = () => $${name} ??= require("node:${id}");`;
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
