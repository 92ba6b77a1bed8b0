// `npm run configuration-page`: writes docs/configuration.md from the schema. With `--check`, the
// exit code tells whether it is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { configurationPage } from "./configuration-page/page.ts";

const file = path.resolve(import.meta.dirname, "../docs/configuration.md");
const written = configurationPage();

if (!process.argv.includes("--check")) writeFileSync(file, written);
else if (readFileSync(file, "utf8") !== written) {
  console.error("docs/configuration.md is out of date. Run: npm run configuration-page");
  process.exitCode = 1;
}
