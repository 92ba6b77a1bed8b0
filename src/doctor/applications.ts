import type { Applications } from "../applications/service.ts";
import type { Clients } from "../clients/service.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { ProviderClients } from "../oauth/provider-clients.ts";
import type { Webhooks } from "../webhooks/service.ts";
import { addressFindings, clientFindings } from "./clients.ts";
import type { Examined, Finding } from "./finding.ts";
import {
  developmentFindings,
  noApplication,
  passkeyFindings,
  providerFindings,
  redirectUriFindings,
  signUpFindings,
  strandedFindings,
  webhookFindings,
} from "./rules.ts";

export type ApplicationChecks = ReturnType<typeof createApplicationChecks>;

/** Checks the applications, with their providers, clients and webhooks. */
export function createApplicationChecks(deps: {
  config: Pick<Config, "mail">;
  isDevelopment: boolean;
  applications: Applications;
  providers: ProviderClients;
  webhooks: Webhooks;
  clients: Clients;
  /** Whether an application has users without an email address. */
  someLackEmail(appId: string): Promise<boolean>;
  passkeysArePossible: boolean;
  clock: Clock;
}) {
  const { config, isDevelopment, applications, providers, webhooks, clients } = deps;
  const { someLackEmail, passkeysArePossible, clock } = deps;

  async function examineClients(appIds: string[]): Promise<Finding[]> {
    const [all, secrets] = [await clients.list(), await clients.listSecrets()];
    const own = all.flatMap((client) =>
      clientFindings(
        client,
        secrets.filter(({ clientId }) => clientId === client.id),
        { now: clock(), isDevelopment },
      ),
    );
    const addresses: Finding[] = [];
    for (const appId of appIds) {
      const ofApp = all.filter((client) => client.appId === appId);
      if (ofApp.length > 0 && (await someLackEmail(appId))) addresses.push(...addressFindings(appId, ofApp));
    }
    return [...own, ...addresses];
  }

  /** What `serve --dev` has left in the database of a service that runs without it. */
  async function development(): Promise<Finding[]> {
    return isDevelopment ? [] : developmentFindings((await applications.findDemoApp())?.id, await providers.standIns());
  }

  return {
    development,

    async examine(): Promise<Examined> {
      const ids = (await applications.list()).map(({ id }) => id);
      const idle = isDevelopment ? undefined : (await applications.findDemoApp())?.id;
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
      return {
        applications: ids.some((id) => id !== idle) ? [] : [noApplication],
        passkeys: passkeyFindings(all, passkeysArePossible),
        "sign-up": signUpFindings(all, config.mail !== undefined || isDevelopment),
        providers: accounts.flat(),
        "redirect-uris": all.flatMap((application) => redirectUriFindings(application, { isDevelopment })),
        clients: await examineClients(ids),
        webhooks: webhookFindings(await webhooks.list()),
        ...(isDevelopment ? {} : { development: await development() }),
      };
    },
  };
}
