import type { Applications } from "../applications/service.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { ProviderAccounts } from "../oauth/accounts.ts";
import type { Storage } from "../storage/storage.ts";
import type { Webhooks } from "../webhooks/service.ts";
import { certificateFindings } from "./certificate.ts";
import { fileFindings } from "./files.ts";
import { problem, type CheckName, type Finding } from "./finding.ts";
import {
  clockFindings,
  passkeyFindings,
  providerFindings,
  redirectUriFindings,
  signUpFindings,
  webhookFindings,
} from "./rules.ts";
import { databaseTime, newestEvent } from "./store.ts";

/** What is said of a check that found nothing. */
const fine: Record<Exclude<CheckName, "configuration">, string> = {
  files: "The data folder and its files are private.",
  certificate: "The certificate is good for more than 14 days.",
  database: "The database answers, at the newest schema.",
  clock: "The clock agrees with the database.",
  mail: "The mail server answers.",
  "sign-up": "Addresses of new accounts are verified, or strangers cannot create any.",
  passkeys: "Passkeys work under the base URL.",
  providers: "Every provider that is offered has an account.",
  "redirect-uris": "Redirect URIs belong together.",
  webhooks: "No webhook fails.",
};

/** Looks for what is wrong with an installation, and says what mends it. Changes nothing. */
export function createDoctor(deps: {
  config: Pick<Config, "dataDir" | "mail" | "dev" | "listen">;
  storage: Storage;
  applications: Applications;
  providers: ProviderAccounts;
  webhooks: Webhooks;
  passkeysArePossible: boolean;
  /** Why the mail server cannot be used; undefined when it can. */
  mailProblem(): Promise<string | undefined>;
  clock: Clock;
}) {
  const { config, storage, applications, providers, webhooks, passkeysArePossible, mailProblem, clock } = deps;

  async function clocks(): Promise<Finding[]> {
    const { dialect, reader } = storage;
    const there = dialect === "postgres" ? await databaseTime(reader) : await newestEvent(reader);
    return clockFindings(dialect, { here: clock(), there });
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
        "correct mail.smtpUrl, or start the server",
      ),
    ];
  }

  return {
    /** Every check, the fine ones as well. */
    async examine(): Promise<Finding[]> {
      const { tls } = config.listen;
      const ids = (await applications.list()).map(({ id }) => id);
      const all = (await Promise.all(ids.map((id) => applications.find(id)))).filter((found) => found !== undefined);
      const accounts = await Promise.all(
        all.map(async (application) => {
          const configured = await providers.settings(application.id);
          return providerFindings(
            application,
            configured.map(({ name }) => name),
          );
        }),
      );
      const found: [keyof typeof fine, Finding[]][] = [
        ["files", fileFindings(config.dataDir)],
        ...(tls ? [["certificate", certificateFindings(tls, clock())] as [keyof typeof fine, Finding[]]] : []),
        ["database", []],
        ["clock", await clocks()],
        ["passkeys", passkeyFindings(all, passkeysArePossible)],
        ...(config.mail ? [["mail", await mail()] as [keyof typeof fine, Finding[]]] : []),
        ["sign-up", signUpFindings(all, config.mail !== undefined || config.dev)],
        ["providers", accounts.flat()],
        ["redirect-uris", all.flatMap(redirectUriFindings)],
        ["webhooks", webhookFindings(await webhooks.list())],
      ];
      return found.flatMap(([check, findings]) =>
        findings.length > 0 ? findings : [{ check, status: "ok" as const, message: fine[check], fix: null }],
      );
    },
  };
}
