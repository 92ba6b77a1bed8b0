// `npm run migrations:generate -- NAME`: writes the next migration of both databases from src/storage/schema.ts, under one name.
import { execFileSync } from "node:child_process";

const [name] = process.argv.slice(2);
if (name === undefined || !/^[a-z0-9-]+$/.test(name)) {
  console.error("Usage: npm run migrations:generate -- NAME (small letters, digits and dashes)");
  process.exit(2);
}
for (const dialect of ["sqlite", "postgres"]) {
  execFileSync("drizzle-kit", ["generate", "--name", name], {
    env: { ...process.env, DIALECT: dialect },
    stdio: "inherit",
  });
}
