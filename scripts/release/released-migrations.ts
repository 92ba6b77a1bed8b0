import { hash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Released = { version: string; migrations: Record<string, Record<string, string>> };

/**
 * One sentence for each released migration whose file in the project at `root` is no longer what
 * was released: a database that has it would be refused.
 */
export function changedMigrations(root: string): string[] {
  return globSync(join(root, "test/fixtures/released/*/expected.json"))
    .toSorted()
    .flatMap((file) => changedSince(root, JSON.parse(readFileSync(file, "utf8")) as Released));
}

function changedSince(root: string, { version, migrations }: Released): string[] {
  return Object.entries(migrations).flatMap(([dialect, digests]) =>
    Object.entries(digests).flatMap(([name, digest]) => {
      const path = `migrations/${dialect}/${name}.sql`;
      const file = join(root, path);
      if (existsSync(file) && hash("sha256", readFileSync(file)) === digest) return [];
      const what = `${path} was released with ${version} and is ${existsSync(file) ? "changed" : "missing"}`;
      return [`${what}: restore it (git checkout v${version} -- ${path}), and add a migration instead.`];
    }),
  );
}
