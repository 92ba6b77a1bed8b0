import { defineConfig } from "drizzle-kit";

// `npm run migrations:generate -- NAME` runs this once for each database.
const dialect = process.env["DIALECT"] === "postgres" ? "postgres" : "sqlite";

export default defineConfig({
  dialect: dialect === "postgres" ? "postgresql" : "sqlite",
  schema: `./src/storage/tables/${dialect}.ts`,
  out: `./migrations/${dialect}`,
});
