import { statfs } from "node:fs/promises";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Writability } from "../storage/errors/writability.ts";
import type { Storage } from "../storage/storage.ts";
import { certificateFindings } from "./certificate.ts";
import { examineClock } from "./clock.ts";
import { fileFindings } from "./files.ts";
import { problem, type Examined, type Finding } from "./finding.ts";
import { masterKeyFindings, spaceFindings, writeFindings, movableClock } from "./rules.ts";

export type InstallationChecks = ReturnType<typeof createInstallationChecks>;

/** Checks what the service runs on: its files, database, keys, clock and mail server. */
export function createInstallationChecks(deps: {
  config: Pick<Config, "dataDir" | "mail" | "listen">;
  isDevelopment: boolean;
  storage: Storage;
  writability: Writability;
  /** Since when the master key is in use, and since when it is being rotated. */
  masterKeyTimes(): Promise<Parameters<typeof masterKeyFindings>[0]>;
  /** Why the mail server cannot be used; undefined if it can. */
  mailProblem(): Promise<string | undefined>;
  clock: Clock;
}) {
  const { config, isDevelopment, storage, writability, masterKeyTimes, mailProblem, clock } = deps;

  async function database(): Promise<Finding[]> {
    if (storage.isShared) return writeFindings(await writability.look());
    const { bavail, bsize } = await statfs(config.dataDir);
    return spaceFindings(bavail * bsize, config.dataDir);
  }

  async function mail({ host, port }: { host: string; port: number }): Promise<Finding[]> {
    const reason = await mailProblem();
    if (reason === undefined) return [];
    return [
      problem(
        "mail",
        `The mail server ${host}:${port} cannot be used (${reason}).`,
        "fix mail.smtpUrl, or start the server",
      ),
    ];
  }

  return {
    async examine(): Promise<Examined> {
      const { tls } = config.listen;
      return {
        files: fileFindings(config.dataDir),
        ...(tls && { certificate: certificateFindings(tls, clock()) }),
        database: await database(),
        "master-key": masterKeyFindings(await masterKeyTimes(), clock()),
        clock: isDevelopment ? [movableClock] : await examineClock(storage, clock),
        ...(config.mail && { mail: await mail(config.mail.server) }),
      };
    },
  };
}
