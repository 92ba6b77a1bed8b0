import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readModule } from "../../scripts/import-rules/read-module.ts";
import { findViolations } from "../../scripts/import-rules/rules.ts";

const root = path.resolve(import.meta.dirname, "../..");

test("the sources import as the house rules allow", () => {
  const files = globSync("{src,bin}/**/*.ts", { cwd: root }).map((file) => file.split(path.sep).join("/"));
  const violations = findViolations(files.map((file) => readModule(file, readFileSync(path.join(root, file), "utf8"))));
  expect(files.length).toBeGreaterThan(0);
  expect(violations.join("\n")).toBe("");
});

describe("reading a source file", () => {
  const { imports, environmentReads } = readModule(
    "src/users/store.ts",
    `import type { A } from "./a.ts";
import { type B } from "./b.ts";
import {
  c,
} from "jose";
export * from "./d.ts";
export type { E } from "./e.ts";
// import { f } from "./comment.ts";
const text = 'import { g } from "./string.ts"';
const h = await import("pg");
type I = import("yaml").Document;
import "./side-effect.ts";
const port = process.env["PORT"] ?? process.env.PORT;
const { env } = process;
`,
  );

  test("finds every kind of import with its line", () => {
    expect(imports.map(({ from, line }) => `${from}:${line}`)).toEqual([
      "./a.ts:1",
      "./b.ts:2",
      "jose:3",
      "./d.ts:6",
      "./e.ts:7",
      "pg:10",
      "yaml:11",
      "./side-effect.ts:12",
    ]);
  });

  test("tells imports that vanish from those that load the module", () => {
    expect(imports.filter(({ isType }) => isType).map(({ from }) => from)).toEqual(["./a.ts", "./e.ts", "yaml"]);
  });

  test("finds what reads the environment", () => {
    expect(environmentReads).toEqual([13, 13, 14]);
  });
});

describe("the rules", () => {
  const allowed: [title: string, file: string, source: string][] = [
    ["a domain takes types from another", "src/users/a.ts", `import type { T } from "../tokens/service.ts";`],
    ["a domain uses lib and storage", "src/users/a.ts", `import "../lib/a.ts"; import "../storage/storage.ts";`],
    ["app.ts sees everything", "src/app.ts", `import "./users/service.ts"; import "./storage/open.ts";`],
    ["routes.ts sees handlers", "src/routes.ts", `import "./users/routes.ts"; import "./tokens/api-routes.ts";`],
    ["a command takes types from a domain", "src/cli/a.ts", `import type { U } from "../users/user.ts";`],
    ["a store uses operators", "src/tokens/login-store.ts", `import { eq } from "drizzle-orm";`],
    ["config reads the environment", "src/config/a.ts", `export const a = process.env["A"];`],
  ];
  const refused: [title: string, file: string, source: string, problem: string][] = [
    ["lib knows nothing of ours", "src/lib/a.ts", `import type { U } from "../users/user.ts";`, "lib lies below users"],
    ["no values between domains", "src/users/a.ts", `import { t } from "../tokens/a.ts";`, "only types from tokens"],
    [
      "an inline type loads too",
      "src/users/a.ts",
      `import { type T } from "../tokens/a.ts";`,
      "only types from tokens",
    ],
    ["a re-export is an import", "src/users/a.ts", `export { t } from "../tokens/a.ts";`, "only types from tokens"],
    ["a dynamic import is one", "src/users/a.ts", `await import("../tokens/a.ts");`, "only types from tokens"],
    [
      "no types from above",
      "src/storage/a.ts",
      `import type { U } from "../users/user.ts";`,
      "storage lies below users",
    ],
    ["pages know no domain", "src/pages/a.ts", `import { u } from "../users/user.ts";`, "pages lies below users"],
    ["http knows no storage", "src/http/a.ts", `import { s } from "../storage/open.ts";`, "http imports only types"],
    ["commands know no domain", "src/cli/a.ts", `import { u } from "../users/user.ts";`, "cli imports only types"],
    ["drivers stay in storage", "src/users/store.ts", `import { Pool } from "pg";`, "a driver belongs in src/storage"],
    ["dialects stay in storage", "src/users/store.ts", `import "drizzle-orm/pg-core";`, "belong in src/storage"],
    ["queries stay in stores", "src/tokens/service.ts", `import { eq } from "drizzle-orm";`, "belong in a store.ts"],
    ["commander stays in cli", "src/users/a.ts", `import { Command } from "commander";`, "belongs in src/cli"],
    ["relative imports carry .ts", "src/users/a.ts", `import { b } from "./b";`, "lacks the ending .ts"],
    ["there are no barrels", "src/users/index.ts", `export const a = 1;`, "no barrels"],
    ["the environment is config's", "src/users/a.ts", `export const a = process.env["A"];`, "src/config only"],
    ["a new folder joins the table", "src/misc/a.ts", "export const a = 1;", "not known"],
  ];

  test.each(allowed)("%s", (_title, file, source) => {
    expect(findViolations([readModule(file, source)])).toEqual([]);
  });

  test.each(refused)("%s", (_title, file, source, problem) => {
    expect(findViolations([readModule(file, source)])).toEqual([expect.stringContaining(problem)]);
  });

  test("a library has one importer, types aside", () => {
    const first = readModule("src/tokens/jwt.ts", `import { importJWK } from "jose";`);
    const types = readModule("src/tokens/keys.ts", `import type { JWK } from "jose";`);
    const second = readModule("src/oauth/check.ts", `import { jwtVerify } from "jose";`);
    expect(findViolations([first, types])).toEqual([]);
    expect(findViolations([first, second])).toEqual([
      "src/oauth/check.ts:1  jose has 2 importers; one file should wrap it",
      "src/tokens/jwt.ts:1  jose has 2 importers; one file should wrap it",
    ]);
  });
});
