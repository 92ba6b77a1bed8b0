import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newSecret, systemRandom } from "../../src/lib/random.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { startTestService, type Dialect } from "../support/service.ts";
import { emptyFolder } from "./command.ts";
import type { Place } from "./databases.ts";
import { answer } from "./in-process.ts";

export const newKey = (): string => newSecret(systemRandom);
export const keysIn = (file: string): string[] => readFileSync(file, "utf8").trim().split("\n");

/**
 * A running service: on SQLite with the key in its data folder, on PostgreSQL with a key file of
 * the operator. `prepare` does what an operator has to do before a rotation, `finish` what is to be
 * done after it.
 */
export async function startKeyPlace(dialect: Dialect) {
  const folder = emptyFolder();
  const url = dialect === "postgres" ? await createTestDatabase() : undefined;
  const own = join(folder, "operators.key");
  const [masterKey, masterKeyFile] = dialect === "postgres" ? [newKey(), own] : [undefined, undefined];
  if (masterKey !== undefined) writeFileSync(own, `${masterKey}\n`, { mode: 0o600 });
  const database = { url, poolSize: 5 };
  const running = await startTestService(dialect, { masterKey, masterKeyFile, database });
  const { service } = running;
  const place: Place = {
    cwd: folder,
    env: {
      AUTHSVC_DATA: service.dataDir,
      ...(url === undefined ? {} : { AUTHSVC_DATABASE__URL: url, AUTHSVC_MASTER_KEY_FILE: own }),
    },
  };
  const file = masterKeyFile ?? join(service.dataDir, "master.key");
  return {
    ...running,
    place,
    file,
    prepare: () => void (masterKeyFile && writeFileSync(own, [newKey(), ...keysIn(own)].join("\n"))),
    finish: () => void (masterKeyFile && writeFileSync(own, keysIn(own)[0] ?? "")),
    rotate: async (...flags: string[]) => await answer(["master-key", "rotate", "--yes", ...flags], place),
  };
}
