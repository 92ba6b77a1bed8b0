import { hash } from "node:crypto";
import { join } from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import { programFiles } from "../../src/lib/program-files.ts";

/** Rewrites all rows of `makeOldDatabase`, which takes a moment. */
const rewriting = {
  "9998_next-version": "ALTER TABLE facts ADD COLUMN twice text; UPDATE facts SET twice = value || value",
};

/** Higher than any that is released. */
export const nextVersion = "99.1.0";

/**
 * Turns the program of this process into the next version, which has more migrations. Their
 * statements end with `;`. Returns a function that undoes it.
 */
export function becomeNextVersion(migrations: Record<string, string> = rewriting): () => void {
  const { list, read, digest } = programFiles;
  const { version } = packageFile;
  packageFile.version = nextVersion;
  const added = new Map(
    Object.entries(migrations).map(([name, sql]) => [`${name}.sql`, sql.replaceAll(";", "--> statement-breakpoint\n")]),
  );
  const addedAt = (path: string): string | undefined =>
    path.startsWith("migrations/") ? added.get(path.slice(path.lastIndexOf("/") + 1)) : undefined;
  programFiles.list = (folder) => [...list(folder), ...(folder.startsWith("migrations/") ? added.keys() : [])];
  programFiles.read = (path) => {
    const sql = addedAt(path);
    return sql === undefined ? read(path) : Buffer.from(sql);
  };
  programFiles.digest = (path) => {
    const sql = addedAt(path);
    return sql === undefined ? digest(path) : hash("sha256", sql);
  };
  return () => {
    packageFile.version = version;
    Object.assign(programFiles, { list, read, digest });
  };
}

/** Of a process that becomes the next version: its migrations, instead of the usual one. */
export const migrationsVariable = "NEXT_VERSION_MIGRATIONS";

/** The environment in which a process of the sources becomes the next version. */
export const asNextVersion = { NODE_OPTIONS: `--import ${join(import.meta.dirname, "next-version-process.ts")}` };
