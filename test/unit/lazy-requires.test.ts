import { compileFunction } from "node:vm";
import { describe, expect, it } from "vitest";
import { isLoadedLater, withLazyRequires } from "../../scripts/build/lazy-requires.ts";

/**
 * Runs a chunk as the executable does; tells what it exports, and which modules it has asked for so
 * far.
 */
function runChunk(code: string): { exports: Record<string, () => unknown>; asked: string[] } {
  const exports: Record<string, () => unknown> = {};
  const asked: string[] = [];
  const require = (id: string): unknown => {
    asked.push(id);
    if (id === "./rolldown-runtime.js") return { __toESM: (named: object) => ({ default: named }) };
    return id === "./yaml.js" ? { readYaml: () => "read", default: () => "default" } : requireBuiltin(id);
  };
  compileFunction(code, ["exports", "require"])(exports, require);
  return { exports, asked };
}

function requireBuiltin(id: string): unknown {
  return process.getBuiltinModule(id);
}

describe("expensive modules of Node in a chunk", () => {
  it("are loaded where they are used first, and once", () => {
    const { exports, asked } = runChunk(
      withLazyRequires(
        [
          'let node_path = require("node:path");',
          'let node_zlib = require("node:zlib");',
          "exports.size = () => (0, node_zlib.gzipSync)('a').length + new node_zlib.Gunzip().bytesWritten;",
          "exports.here = () => node_path.sep;",
        ].join("\n"),
      ),
    );
    expect(asked).toEqual(["node:path"]);
    expect(exports["size"]?.()).toBe(21);
    exports["size"]?.();
    expect(exports["here"]?.()).toBe("/");
    expect(asked).toEqual(["node:path", "node:zlib"]);
  });

  it("may be the default export", () => {
    const { exports, asked } = runChunk(
      withLazyRequires(
        [
          'const require_rolldown_runtime = require("./rolldown-runtime.js");',
          'let node_child_process = require("node:child_process");',
          "node_child_process = require_rolldown_runtime.__toESM(node_child_process, 1);",
          "exports.kind = () => typeof node_child_process.default.spawn;",
        ].join("\n"),
      ),
    );
    expect(asked).toEqual(["./rolldown-runtime.js"]);
    expect(exports["kind"]?.()).toBe("function");
  });

  it("stop the build when they are used as a whole", () => {
    const code = 'let node_tls = require("node:tls");\nexports.all = () => Object.keys(node_tls);';
    expect(() => withLazyRequires(code)).toThrow("node_tls is used as a whole");
  });
});

describe("another chunk", () => {
  const code = ['const require_yaml = require("./yaml.js");', "exports.read = () => require_yaml.readYaml();"].join(
    "\n",
  );

  it("is loaded where it is used first, when it is one of those named", () => {
    const { exports, asked } = runChunk(withLazyRequires(code, ["./yaml.js"]));
    expect(asked).toEqual([]);
    expect(exports["read"]?.()).toBe("read");
    exports["read"]?.();
    expect(asked).toEqual(["./yaml.js"]);
    expect(isLoadedLater("./yaml.js", ["", withLazyRequires(code, ["./yaml.js"])])).toBe(true);
  });

  it("is loaded with the chunk otherwise", () => {
    expect(runChunk(withLazyRequires(code, ["./other.js"])).asked).toEqual(["./yaml.js"]);
    expect(isLoadedLater("./yaml.js", [withLazyRequires(code, ["./other.js"])])).toBe(false);
  });

  it("keeps what it exports by the name of default", () => {
    const whole = code.replace("readYaml", "default");
    expect(runChunk(withLazyRequires(whole, ["./yaml.js"])).exports["read"]?.()).toBe("default");
  });
});
