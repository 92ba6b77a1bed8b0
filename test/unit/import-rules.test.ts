import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readModule } from "../../scripts/import-rules/read-module.ts";
import { findViolations, upward } from "../../scripts/import-rules/rules.ts";

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
    ["a room uses those below", "src/sign-in/a.ts", `import { t } from "../tokens/a.ts"; import "../lib/a.ts";`],
    ["a listed import from above", "src/applications/a.ts", `import { g } from "../users/groups/service.ts";`],
    ["app.ts sees everything", "src/process/app.ts", `import "./users/service.ts"; import "./storage/open.ts";`],
    ["a command loads an operation", "src/cli/a.ts", `await import("../users/service.ts");`],
    ["a store uses operators", "src/sessions/login-store.ts", `import { eq } from "drizzle-orm";`],
    ["config reads the environment", "src/config/a.ts", `export const a = process.env["A"];`],
    ["a date of a moment is no clock", "src/users/a.ts", "export const a = new Date(0);"],
    ["a listed file reads the time", "src/cli/systemd.ts", "export const a = process.hrtime.bigint();"],
  ];
  const refused: [title: string, file: string, source: string, problem: string][] = [
    [
      "lib knows nothing of ours",
      "src/lib/a.ts",
      `import type { U } from "../users/user.ts";`,
      "lib imports nothing from users",
    ],
    ["nothing from above", "src/http/a.ts", `import { t } from "../tokens/a.ts";`, "http lies below tokens"],
    ["types count too", "src/http/a.ts", `import type { T } from "../users/user.ts";`, "http lies below users"],
    ["a re-export is an import", "src/http/a.ts", `export { t } from "../tokens/a.ts";`, "http lies below tokens"],
    ["a dynamic import is one", "src/http/a.ts", `await import("../tokens/a.ts");`, "http lies below tokens"],
    [
      "storage is closed",
      "src/storage/a.ts",
      `import { c } from "../runtime/context.ts";`,
      "imports nothing from runtime",
    ],
    ["drivers stay in storage", "src/users/store.ts", `import { Pool } from "pg";`, "a driver belongs in src/storage"],
    ["dialects stay in storage", "src/users/store.ts", `import "drizzle-orm/pg-core";`, "belong in src/storage"],
    ["queries stay in stores", "src/tokens/service.ts", `import { eq } from "drizzle-orm";`, "belong in a store.ts"],
    ["commander stays in cli", "src/users/a.ts", `import { Command } from "commander";`, "belongs in src/cli"],
    ["relative imports carry .ts", "src/users/a.ts", `import { b } from "./b";`, "lacks the ending .ts"],
    ["there are no barrels", "src/users/index.ts", `export const a = 1;`, "no barrels"],
    ["the environment is config's", "src/users/a.ts", `export const a = process.env["A"];`, "src/config only"],
    ["a clock is the context's", "src/users/a.ts", "export const a = Date.now();", "use clock and random"],
    ["a new date reads the clock", "src/users/a.ts", "export const a = new Date();", "use clock and random"],
    ["monotonic time counts too", "src/users/a.ts", "export const a = performance.now();", "use clock and random"],
    ["chance is the context's", "src/users/a.ts", "export const a = Math.random();", "use clock and random"],
    ["so are random bytes", "src/users/a.ts", `import { randomBytes } from "node:crypto";`, "use clock and random"],
    ["an exception is needed", "src/cli/systemd.ts", "export const a = 1;", "process.hrtime is not used"],
    [
      "memberships have one reader (72)",
      "src/users/store.ts",
      "const { organizationMembers: members } = tables;",
      "membership-store.ts",
    ],
    [
      "raw SQL counts too (72)",
      "src/users/store.ts",
      "sql`SELECT 1 FROM organization_members m`;",
      "membership-store.ts",
    ],
    [
      "a handler reads no organization's id again (11)",
      "src/api/organizations.ts",
      `request.parameter("orgId");`,
      "hands over the row",
    ],
    ["a new folder joins the order", "src/misc/a.ts", "export const a = 1;", "not known"],
  ];

  test.each(allowed)("%s", (_title, file, source) => {
    expect(findViolations([readModule(file, source)])).toEqual([]);
  });

  test.each(refused)("%s", (_title, file, source, problem) => {
    expect(findViolations([readModule(file, source)])).toEqual([expect.stringContaining(problem)]);
  });

  test("imports from above are counted: no more than the list says, and no fewer", () => {
    const times = (count: number) =>
      readModule("src/runtime/a.ts", `import { s } from "../credentials/passwords/strength.ts";\n`.repeat(count));
    expect(upward["runtime > credentials"]?.[0]).toBe(1);
    expect(findViolations([times(1)])).toEqual([]);
    expect(findViolations([times(2)])).toEqual([
      "runtime > credentials: 2 imports, and the list allows 1: src/runtime/a.ts:1 src/runtime/a.ts:2",
    ]);
    expect(findViolations([readModule("src/credentials/a.ts", `import { a } from "../sessions/a.ts";`)])).toEqual([
      `credentials > sessions: 1 imports, and the list allows ${upward["credentials > sessions"]?.[0]}: lower it`,
    ]);
  });

  test("no files import each other in a circle, types and what is loaded on demand included", () => {
    const first = readModule("src/users/a.ts", `import type { B } from "./b.ts";`);
    const second = readModule("src/users/b.ts", `import { c } from "./c.ts";`);
    const third = readModule("src/users/c.ts", `await import("./a.ts");`);
    expect(findViolations([first, second])).toEqual([]);
    expect(findViolations([first, second, third])).toEqual([
      "a circle of files: src/users/a.ts > src/users/b.ts > src/users/c.ts > src/users/a.ts",
    ]);
  });

  test("a library has one importer, types aside", () => {
    const first = readModule("src/tokens/jwt.ts", `import { importJWK } from "jose";`);
    const types = readModule("src/tokens/keys.ts", `import type { JWK } from "jose";`);
    const second = readModule("src/openid/check.ts", `import { jwtVerify } from "jose";`);
    expect(findViolations([first, types])).toEqual([]);
    expect(findViolations([first, second])).toEqual([
      "src/openid/check.ts:1  jose has 2 importers; one file should wrap it",
      "src/tokens/jwt.ts:1  jose has 2 importers; one file should wrap it",
    ]);
  });
});
