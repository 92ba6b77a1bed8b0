import { createAccountPages } from "./account-pages.ts";
import type { App } from "./app.ts";
import type { Config } from "./config/config.ts";
import { createBrowsers } from "./hosted/browser.ts";
import { createHosted } from "./hosted/hosted.ts";
import { addressKey, limitKey } from "./http/addresses.ts";
import { AppError } from "./lib/errors.ts";
import type { AssetLinks } from "./pages/assets/assets.ts";
import { createAuthorizePages } from "./openid/authorize-pages.ts";
import { createEndSessionPages } from "./openid/end-session-pages.ts";
import { createAccountNames } from "./sign-in/account-names.ts";
import { createInvitePages } from "./sign-in/adding/invite-pages.ts";
import { createAddPages } from "./sign-in/adding/add-pages.ts";
import { createChoosePages } from "./sign-in/choose-pages.ts";
import { createConfirmLinkPages } from "./sign-in/sign-up/confirm-link-pages.ts";
import { createConsentPages } from "./sign-in/single-sign-on/consent-pages.ts";
import { createContinuePages } from "./sign-in/single-sign-on/continue-pages.ts";
import { createConfirmPages } from "./sign-in/sign-up/confirm-pages.ts";
import { createOauthDepartures } from "./sign-in/providers/oauth-departures.ts";
import { createOauthPages } from "./sign-in/providers/oauth-pages.ts";
import { createPasskeyPages } from "./sign-in/passkeys/passkey-pages.ts";
import { createPasswordCheck } from "./sign-in/passwords/password-check.ts";
import { createPasswordPages } from "./sign-in/passwords/password-pages.ts";
import { createResetPages } from "./sign-in/passwords/reset-pages.ts";
import { createStepPages } from "./sign-in/step-pages.ts";
import { createTakeOverPages } from "./sign-in/providers/take-over-pages.ts";
import { createVisits } from "./sign-in/visits.ts";

export type HostedPages = ReturnType<typeof createHostedPages>;

/** Wires the hosted pages, as `services.ts` wires the services. */
export function createHostedPages(app: App, config: Pick<Config, "rateLimits">, assets: AssetLinks) {
  const { baseUrl, random, keyring, limiter, log, services } = app;
  const {
    signIn,
    proofs,
    newPasswords,
    freshProofs,
    additions,
    passwords,
    passkeys,
    users,
    authorizationRequests,
    signUp,
    addMethod,
    singleSignOn,
    consentSignIn,
  } = services;
  const { providers: providerClients, passwordSignIn, passkeySignIn, providerSignIn, takeOver } = services;

  /** Limits visits that write and contact a provider. Throws RATE_LIMITED. */
  async function countStart(ipAddress: string): Promise<void> {
    const key = limitKey("authentication", addressKey(ipAddress));
    const { exceeded, retryAfterSeconds } = await limiter.count(key, config.rateLimits.authentication, "stranger");
    if (exceeded) throw new AppError("RATE_LIMITED", "Too many requests.", { retryAfterSeconds });
  }

  const browsers = createBrowsers({ keyring, random, baseUrl });
  const hosted = createHosted({
    ...services,
    browsers,
    assets,
    baseUrl,
    mailboxUrl: app.mailbox && `${baseUrl}/dev/mail`,
  });
  const visits = createVisits({ hosted, browsers, signIn });
  const accountNames = createAccountNames({ ...services, visits });
  const choose = createChoosePages({
    visits,
    signIn,
    providerClients,
    accountNames,
    singleSignOn,
    passkeysAvailable: passkeys.available,
  });
  const add = createAddPages({
    visits,
    additions,
    passkeys,
    passwords,
    providerClients,
    accountNames,
    users,
    addMethod,
  });
  const consent = createConsentPages({ visits, accountNames, consentSignIn });
  const steps = createStepPages({ visits, choose, add, consent, proofs, freshProofs, passkeys, passkeySignIn });
  const oauthDepartures = createOauthDepartures({
    visits,
    choose,
    add,
    providerSignIn,
    providerClients,
    countStart,
    log,
  });
  const shared = { visits, choose, steps };
  const mailed = { ...services, hosted, browsers, visits, choose, baseUrl };
  const confirm = createConfirmPages({ ...mailed, steps });
  const passwordCheck = createPasswordCheck({ visits, choose, additions, newPasswords });
  return {
    hosted,
    endSessionPages: createEndSessionPages({ ...services, hosted, browsers }),
    authorizePages: createAuthorizePages({ ...services, hosted, visits, issuer: baseUrl }),
    continuePages: createContinuePages({ ...shared, singleSignOn, consentSignIn }),
    visits,
    choose,
    add,
    steps,
    confirm,
    confirmLinks: createConfirmLinkPages({ ...mailed, confirm }),
    passwordCheck,
    resetPages: createResetPages({ ...mailed, steps, passwordCheck }),
    invitePages: createInvitePages({ ...mailed, providerClients, passkeysAvailable: passkeys.available }),
    passwordPages: createPasswordPages({ ...shared, confirm, passwordSignIn, signUp }),
    passkeyPages: createPasskeyPages({ ...shared, confirm, passkeys, passkeySignIn, signUp }),
    account: createAccountPages(app, { hosted, browsers, countStart }),
    takeOver: createTakeOverPages({ ...shared, takeOver, providerClients }),
    oauthDepartures,
    oauthPages: createOauthPages({
      ...shared,
      add,
      departures: oauthDepartures,
      signIn,
      providerSignIn,
      authorizationRequests,
    }),
  };
}
