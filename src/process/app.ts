import * as proxyLogins from "../forward-auth/logins.ts";
import * as clients from "../applications/clients/service.ts";
import * as applications from "../applications/service.ts";
import type { Config } from "../config/config.ts";
import { reportDisposable } from "../applications/sign-up/disposable.ts";
import * as approval from "../people/approval.ts";
import * as waitingAccounts from "../operators/waiting-accounts.ts";
import * as operators from "../operators/service.ts";
import { closeContext } from "./core.ts";
import * as trustedBrowsers from "../factors/trusted-browsers.ts";
import * as authorizationRequests from "../credentials/identities/authorization-requests.ts";
import * as emailTokens from "../credentials/mailed/service.ts";
import * as passkeys from "../credentials/passkeys/service.ts";
import * as passwords from "../credentials/passwords/service.ts";
import * as personalTokens from "../credentials/personal/service.ts";
import { openContext } from "./open-context.ts";
import * as pushedRequests from "../openid/pushed-requests.ts";
import { createClockWatch } from "../upkeep/doctor/clock.ts";
import * as pictures from "../pictures/service.ts";
import { rateLimits } from "../rate-limits/service.ts";
import * as activity from "../records/activity/activity.ts";
import * as audit from "../records/audit/audit.ts";
import * as mail from "../records/mail/service.ts";
import { revocations } from "../records/revocations/service.ts";
import * as deliveries from "../records/webhooks/deliveries.ts";
import type { Context } from "../runtime/context.ts";
import * as browserSessions from "../sessions/browser-sessions.ts";
import * as tokens from "../sessions/token-pairs.ts";
import * as devices from "../sign-in/devices/service.ts";
import { sweepConfined } from "../sessions/login-ends.ts";
import * as signIn from "../sign-in/service.ts";
import { sweepAll } from "../storage/queries/sweep.ts";
import * as signingKeys from "../tokens/signing-keys.ts";
import * as companyVisits from "../companies/visits.ts";
import * as organizationDeletion from "../organizations/deletion.ts";
import * as setupLinks from "../companies/setup-links.ts";
import * as groupDeletion from "../users/groups/deletion.ts";

/** Every kind of rows that expire. Each removes one batch and returns whether more may be left. */
const sweepers: ((ctx: Context) => Promise<boolean>)[] = [
  applications.sweep,
  clients.sweep,
  pushedRequests.sweep,
  signIn.sweep,
  devices.sweep,
  passkeys.sweep,
  passwords.sweep,
  tokens.sweep,
  sweepConfined,
  async (ctx) => await revocations(ctx).sweep(),
  browserSessions.sweep,
  proxyLogins.sweep,
  authorizationRequests.sweep,
  companyVisits.sweep,
  emailTokens.sweep,
  trustedBrowsers.sweep,
  personalTokens.warn,
  personalTokens.sweep,
  pictures.sweep,
  operators.sweep,
  approval.sweep,
  waitingAccounts.sweep,
  reportDisposable,
  mail.sweep,
  deliveries.sweep,
  groupDeletion.sweep,
  organizationDeletion.sweep,
  setupLinks.sweep,
  audit.sweep,
  activity.sweep,
  async (ctx) => await rateLimits(ctx).sweep(),
];

export type App = ReturnType<typeof appOf>;

/** Opens the context (`open-context.ts`) and starts the service's background work. */
export async function openApp(config: Config, given: Parameters<typeof openContext>[1]): Promise<App> {
  return appOf(await openContext(config, given));
}

function appOf(ctx: Context) {
  const { storage, clock, log } = ctx;
  // In development, tests move the clock.
  const watchClock = ctx.config.dev ? async (): Promise<void> => {} : createClockWatch({ storage, clock, log });
  let closing = false;
  let sweeping = Promise.resolve();

  async function sweepOnce(): Promise<void> {
    await watchClock();
    for (const sweep of sweepers) {
      await sweepAll(
        () => sweep(ctx),
        () => closing,
      );
    }
    if (!closing) await signingKeys.rotate(ctx);
    if (!closing) await storage.forgetDeleted();
  }

  return {
    ctx,
    watchClock,

    /**
     * Removes expired rows and prepares the next signing keys. Called periodically, one sweep at
     * a time per process; several nodes may sweep at once.
     */
    async sweep(): Promise<void> {
      const swept = sweeping.then(sweepOnce);
      sweeping = swept.catch(() => {});
      await swept;
    },

    /** Waits for running writes, and for a sweep to finish its current batch. */
    async close(): Promise<void> {
      closing = true;
      await sweeping;
      await closeContext(ctx);
    },
  };
}
