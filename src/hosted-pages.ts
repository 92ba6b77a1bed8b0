import { createAccountPages } from "./account/account-pages.ts";
import type { App } from "./app.ts";
import type { Config } from "./config/config.ts";
import { createBrowsers } from "./hosted/browser.ts";
import { createHosted } from "./hosted/hosted.ts";
import { addressKey, limitKey } from "./http/addresses.ts";
import { AppError } from "./lib/errors.ts";
import type { AssetLinks } from "./pages/assets.ts";
import { createAddPages } from "./sign-in/add-pages.ts";
import { createChoosePages } from "./sign-in/choose-pages.ts";
import { createConfirmPages } from "./sign-in/confirm-pages.ts";
import { createOauthPages } from "./sign-in/oauth-pages.ts";
import { createPasskeyPages } from "./sign-in/passkey-pages.ts";
import { createPasswordPages } from "./sign-in/password-pages.ts";
import { createResetPages } from "./sign-in/reset-pages.ts";
import { createStepPages } from "./sign-in/step-pages.ts";
import { createVisits } from "./sign-in/visits.ts";

export type HostedPages = ReturnType<typeof createHostedPages>;

/** Puts the hosted pages together, as `app.ts` does the services. */
export function createHostedPages(app: App, config: Pick<Config, "rateLimits">, assets: AssetLinks) {
  const { baseUrl, random, keyring, limiter, log, services } = app;
  const {
    signIn,
    proofs,
    passwords,
    passkeys,
    users,
    providers: accounts,
    rounds,
    linking,
    browserSessions,
  } = services;

  /** What looks like a visit, and yet writes and asks a provider. Throws RATE_LIMITED. */
  async function countStart(ipAddress: string): Promise<void> {
    const key = limitKey("authentication", addressKey(ipAddress));
    const { exceeded, retryAfterSeconds } = await limiter.take(key, config.rateLimits.authentication, "stranger");
    if (exceeded) throw new AppError("RATE_LIMITED", "Too many requests.", { retryAfterSeconds });
  }

  const browsers = createBrowsers({ keyring, random, baseUrl });
  const hosted = createHosted({ browsers, assets, baseUrl });
  const visits = createVisits({ hosted, browsers, signIn });
  const choose = createChoosePages({ visits, signIn, accounts, users, passkeysAvailable: passkeys.available });
  const add = createAddPages({ visits, signIn, proofs, passkeys, passwords, accounts, browserSessions, users });
  const steps = createStepPages({ visits, choose, add, signIn, proofs, passkeys, users });
  const shared = { visits, choose, steps, signIn, proofs, users };
  const mailed = { ...services, hosted, browsers, visits, choose, baseUrl };
  const confirm = createConfirmPages({ ...mailed, steps });
  return {
    hosted,
    visits,
    choose,
    add,
    steps,
    confirm,
    resetPages: createResetPages(mailed),
    passwordPages: createPasswordPages({ ...shared, passwords, confirm }),
    passkeyPages: createPasskeyPages({ ...shared, passkeys, confirm }),
    account: createAccountPages({ ...services, hosted, browsers, accounts, countStart, clock: app.clock }),
    oauthPages: createOauthPages({ ...shared, add, accounts, rounds, linking, countStart, log }),
  };
}
