import { statfs } from "node:fs/promises";
import type { Applications } from "../applications/service.ts";
import type { Clients } from "../clients/service.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { ProviderClients } from "../oauth/provider-clients.ts";
import type { Storage } from "../storage/storage.ts";
import type { Webhooks } from "../webhooks/service.ts";
import type { Writability } from "../storage/errors/writability.ts";
import { certificateFindings } from "./certificate.ts";
import { addressFindings, clientFindings } from "./clients.ts";
import { examineClock } from "./clock.ts";
import { fileFindings } from "./files.ts";
import { problem, type CheckName, type Finding } from "./finding.ts";
import {
  developmentFindings,
  masterKeyFindings,
  passkeyFindings,
  providerFindings,
  redirectUriFindings,
  signUpFindings,
  strandedFindings,
  spaceFindings,
  webhookFindings,
  writeFindings,
} from "./rules.ts";

/** The messages of checks that found nothing. */
const fine: Record<Exclude<CheckName, "configuration">, string> = {
  files: "The data folder and its files are private.",
  certificate: "The certificate is valid for more than 14 days.",
  database: "The database responds, and its schema is up to date.",
  "master-key": "The master key is as old as the database.",
  clock: "The clock agrees with the database.",
  mail: "The mail server responds.",
  "sign-up": "Addresses of new accounts are verified, or sign-up is closed.",
  passkeys: "Passkeys work under the base URL.",
  providers: "Every offered provider has credentials, and its linked identities can sign in.",
  "redirect-uris": "Redirect URIs match the domain or each other.",
  clients: "OpenID Connect clients are in use, with https addresses and lasting secrets.",
  webhooks: "No webhook is failing.",
  development: "Nothing is left over from development mode.",
};

/** Looks for problems of an installation and prints the fix. Changes nothing. */
export function createDoctor(deps: {
  config: Pick<Config, "dataDir" | "mail" | "dev" | "listen">;
  storage: Storage;
  writability: Writability;
  applications: Applications;
  providers: ProviderClients;
  webhooks: Webhooks;
  clients: Clients;
  /** Whether an application has users without an email address. */
  someLackEmail(appId: string): Promise<boolean>;
  passkeysArePossible: boolean;
  /** Since when the master key is in use, and since when it is being rotated. */
  masterKeyTimes(): Promise<Parameters<typeof masterKeyFindings>[0]>;
  /** Why the mail server cannot be used; undefined if it can. */
  mailProblem(): Promise<string | undefined>;
  clock: Clock;
}) {
  const { config, storage, writability, applications, providers, webhooks, passkeysArePossible, clock } = deps;
  const { clients, someLackEmail } = deps;
  const { masterKeyTimes, mailProblem } = deps;

  async function database(): Promise<Finding[]> {
    if (storage.isShared) return writeFindings(await writability.look());
    const { bavail, bsize } = await statfs(config.dataDir);
    return spaceFindings(bavail * bsize, config.dataDir);
  }

  async function examineClients(appIds: string[]): Promise<Finding[]> {
    const [all, secrets] = [await clients.list(), await clients.listSecrets()];
    const own = all.flatMap((client) =>
      clientFindings(
        client,
        secrets.filter(({ clientId }) => clientId === client.id),
        clock(),
      ),
    );
    const addresses: Finding[] = [];
    for (const appId of appIds) {
      const ofApp = all.filter((client) => client.appId === appId);
      if (ofApp.length > 0 && (await someLackEmail(appId))) addresses.push(...addressFindings(appId, ofApp));
    }
    return [...own, ...addresses];
  }

  async function mail(): Promise<Finding[]> {
    if (!config.mail) return [];
    const reason = await mailProblem();
    const { host, port } = config.mail.server;
    if (reason === undefined) return [];
    return [
      problem(
        "mail",
        `The mail server ${host}:${port} cannot be used (${reason}).`,
        "fix mail.smtpUrl, or start the server",
      ),
    ];
  }

  /** What `serve --dev` has left in the database of a service that runs without it. */
  async function development(): Promise<Finding[]> {
    return config.dev ? [] : developmentFindings((await applications.findDemoApp())?.id, await providers.standIns());
  }

  return {
    development,

    /** The results of every check, including good ones. */
    async examine(): Promise<Finding[]> {
      const { tls } = config.listen;
      const ids = (await applications.list()).map(({ id }) => id);
      const all = (await Promise.all(ids.map((id) => applications.find(id)))).filter((found) => found !== undefined);
      const accounts = await Promise.all(
        all.map(async (application) => {
          const configured = await providers.settings(application.id);
          return [
            ...providerFindings(
              application,
              configured.map(({ name }) => name),
            ),
            ...strandedFindings(application.id, await providers.strandedIdentities(application.id)),
          ];
        }),
      );
      const found: [keyof typeof fine, Finding[]][] = [
        ["files", fileFindings(config.dataDir)],
        ...(tls ? [["certificate", certificateFindings(tls, clock())] as [keyof typeof fine, Finding[]]] : []),
        ["database", await database()],
        ["master-key", masterKeyFindings(await masterKeyTimes(), clock())],
        ["clock", await examineClock(storage, clock)],
        ["passkeys", passkeyFindings(all, passkeysArePossible)],
        ...(config.mail ? [["mail", await mail()] as [keyof typeof fine, Finding[]]] : []),
        ["sign-up", signUpFindings(all, config.mail !== undefined || config.dev)],
        ["providers", accounts.flat()],
        ["redirect-uris", all.flatMap(redirectUriFindings)],
        ["clients", await examineClients(ids)],
        ["webhooks", webhookFindings(await webhooks.list())],
        ...(config.dev ? [] : [["development", await development()] as [keyof typeof fine, Finding[]]]),
      ];
      return found.flatMap(([check, findings]) =>
        findings.length > 0 ? findings : [{ check, status: "ok" as const, message: fine[check], fix: null }],
      );
    },
  };
}
