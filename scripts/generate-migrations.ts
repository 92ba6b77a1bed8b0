// `npm run migrations:generate -- NAME`: writes the next migration of both databases from
// src/storage/schema.ts, under one name. Refuses if a released migration was changed.
import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { changedMigrations } from "./release/released-migrations.ts";

const [name] = process.argv.slice(2);
if (name === undefined || !/^[a-z0-9-]+$/.test(name)) {
  console.error("Usage: npm run migrations:generate -- NAME (small letters, digits and dashes)");
  process.exit(2);
}
const written = (dialect: string): string[] => globSync(`migrations/${dialect}/*_${name}.sql`);
const problems = changedMigrations(".");
if (["sqlite", "postgres"].some((dialect) => written(dialect).length > 0))
  problems.push(`A migration ${name} exists already: choose another name.`);
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}

function generate(dialect: string, ...more: string[]): void {
  execFileSync("drizzle-kit", ["generate", "--name", name ?? "", ...more], {
    env: { ...process.env, DIALECT: dialect },
    stdio: "inherit",
  });
}

for (const dialect of ["sqlite", "postgres"]) {
  generate(dialect);
  // If nothing changes for this database (`onSqlite`), an empty migration keeps the numbers equal.
  if (written(dialect).length === 0) generate(dialect, "--custom");
}
