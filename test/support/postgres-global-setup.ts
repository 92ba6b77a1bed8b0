import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createPostgresFolder, failureFile, sharedFolderVariable, startPostgres } from "./postgres.ts";

/**
 * Starts the PostgreSQL server of this test run and hands its folder to the workers through the
 * environment. Nobody waits for it here: tests that need no database start at once, the others wait
 * in `createTestDatabase`.
 */
export default function setup(): (() => Promise<void>) | undefined {
  // Each project of vitest.config.ts runs this; the first one starts the server.
  if (process.env[sharedFolderVariable] !== undefined) return undefined;

  const folder = createPostgresFolder();
  process.env[sharedFolderVariable] = folder;
  const starting = startPostgres(folder).catch((error: unknown) => {
    writeFileSync(path.join(folder, failureFile), error instanceof Error ? error.message : String(error));
    return undefined;
  });
  return async () => {
    const postgres = await starting;
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
