import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { emptyFolder } from "../cli/command.ts";

const root = join(import.meta.dirname, "../..");

/** The part of this project that migrations are made from. */
function copyOfProject(): string {
  const project = emptyFolder();
  for (const part of ["migrations", "src", "drizzle.config.ts", "package.json", "test/fixtures"])
    cpSync(join(root, part), join(project, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  return project;
}

function generate(project: string, name: string) {
  const script = join(root, "scripts/generate-migrations.ts");
  const path = `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`;
  return spawnSync(process.execPath, [script, name], {
    cwd: project,
    env: { ...process.env, PATH: path },
    encoding: "utf8",
  });
}

const sqlIn = (project: string, dialect: string): string[] =>
  readdirSync(join(project, "migrations", dialect)).filter((file) => file.endsWith(".sql"));

it("a changed schema gets a migration under one name for both databases, and keeps the released ones", () => {
  const project = copyOfProject();
  const file = join(project, "src/storage/schema/service.ts");
  const schema = readFileSync(file, "utf8");
  writeFileSync(
    file,
    schema.replace('value: text("value").notNull() }', 'value: text("value").notNull(), more: text("more") }'),
  );
  const before = sqlIn(project, "sqlite").map((name) => readFileSync(join(project, "migrations/sqlite", name), "utf8"));
  const { status, stderr } = generate(project, "more-facts");
  expect([status, stderr]).toEqual([0, expect.anything()]);
  for (const dialect of ["sqlite", "postgres"]) {
    const added = sqlIn(project, dialect).filter((name) => name.endsWith("_more-facts.sql"));
    expect(added).toHaveLength(1);
    const sql = readFileSync(join(project, "migrations", dialect, added[0] ?? ""), "utf8");
    expect(sql).toMatch(/^ALTER TABLE .facts. ADD (?:COLUMN )?.more. text;/iu);
  }
  const after = sqlIn(project, "sqlite").map((name) => readFileSync(join(project, "migrations/sqlite", name), "utf8"));
  expect(after.slice(0, before.length)).toEqual(before);
  // The name is taken.
  expect(generate(project, "more-facts")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("exists already") as string,
  });
});

it.each(["changed", "missing"])("no migration is made while a released one is %s", (how) => {
  const project = copyOfProject();
  const released = join(project, "migrations/postgres/0000_initial.sql");
  if (how === "changed") appendFileSync(released, "\n");
  else rmSync(released);
  const { status, stderr } = generate(project, "more-facts");
  expect(status).toBe(1);
  expect(stderr).toContain(`migrations/postgres/0000_initial.sql was released with 1.0.0 and is ${how}`);
  expect(sqlIn(project, "sqlite").filter((name) => name.includes("more-facts"))).toEqual([]);
});
