// `npm run migrations:generate -- NAME`: writes the next migration of both databases from
// src/storage/schema.ts, under one name.
import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";

const [name] = process.argv.slice(2);
if (name === undefined || !/^[a-z0-9-]+$/.test(name)) {
  console.error("Usage: npm run migrations:generate -- NAME (small letters, digits and dashes)");
  process.exit(2);
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
  if (globSync(`migrations/${dialect}/*_${name}.sql`).length === 0) generate(dialect, "--custom");
}
