// Compiles packages/sdk to packages/sdk/dist; `npm pack` there runs it first.
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const folder = path.join(root, "packages/sdk");

rmSync(path.join(folder, "dist"), { recursive: true, force: true });
execFileSync(path.join(root, "node_modules/.bin/tsc"), ["-p", path.join(folder, "tsconfig.build.json")], {
  stdio: "inherit",
});
// The compiler rewrites the imports of programs, but not those of declarations.
for (const file of globSync("dist/*.d.ts", { cwd: folder })) {
  const name = path.join(folder, file);
  writeFileSync(name, readFileSync(name, "utf8").replaceAll(/((?:from|import\() ?"\.\/[\w-]+)\.ts"/gu, '$1.js"'));
}
