import { createBrowserSessions } from "./account/browser-sessions.ts";
import { createAccountExport } from "./account/export.ts";
import { createBrowserOrigins } from "./applications/browser-origins.ts";
import { createRateLimitsOf } from "./applications/rate-limits.ts";
import { createPublicConfig } from "./applications/public-config.ts";
import { createMailbox } from "./dev/mailbox.ts";
import { createMailAllowance } from "./email-tokens/allowance.ts";
import { createMailFlows } from "./email-tokens/flows.ts";
import { createMailDelivery } from "./mail/delivery.ts";
import { createNotices } from "./mail/notices.ts";
import { createMail } from "./mail/service.ts";
import { createSmtpTransport } from "./mail/smtp.ts";
import { providerDisplayName } from "./oauth/providers.ts";
import { createMethods } from "./methods/service.ts";
import { createOperatorServices } from "./operator-services.ts";
import { createPasskeys } from "./passkeys/service.ts";
import { createHasher } from "./passwords/hasher.ts";
import { mostPasswordCharacters } from "./passwords/rules.ts";
import { createPasswords } from "./passwords/service.ts";
import { createRateLimits } from "./rate-limits/service.ts";
import { createProviderAccounts } from "./oauth/accounts.ts";
import { createDiscovery } from "./oauth/discovery.ts";
import { createLinking } from "./oauth/linking.ts";
import { createProviderFetch } from "./oauth/provider-fetch.ts";
import { createRounds } from "./oauth/rounds.ts";
import { createProofs } from "./sign-in/proofs.ts";
import { createRedeem } from "./sign-in/redeem.ts";
import { createSignIn } from "./sign-in/service.ts";
import { createAccessTokens } from "./tokens/access-tokens.ts";
import { createLoginAdministration } from "./tokens/login-administration.ts";
import { createOwnLogins } from "./tokens/own-logins.ts";
import { longestTokenSeconds } from "./tokens/operator-tokens.ts";
import { createTokens } from "./tokens/service.ts";
import { createSigningKeys } from "./tokens/signing-keys.ts";
import { createProfiles } from "./users/profile.ts";
import { createUsers } from "./users/service.ts";
import { createOutbound } from "./webhooks/outbound.ts";
import type { Config } from "./config/config.ts";
import type { Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import type { Meter } from "./lib/meter.ts";
import type { Random } from "./lib/random.ts";
import type { Registry } from "./registry.ts";
import type { Keyring } from "./secrets/keyring.ts";

/** What everything stands on. */
export type Foundation = Registry & {
  config: Config;
  keyring: Keyring;
  /** No trailing slash. */
  baseUrl: string;
  clock: Clock;
  random: Random;
  fetch: typeof globalThis.fetch;
  log: Log;
  meter: Meter;
};

/** Puts the services together. Nothing here has a life of its own yet: `app.ts` sweeps and closes, `server.ts` starts what works by itself. */
export function createServices(foundation: Foundation) {
  const { storage, audit, applications, config, keyring, baseUrl, clock, random, fetch, log, meter } = foundation;
  const rateLimits = createRateLimits({ storage, keyring, clock });
  const outbound = createOutbound({
    settings: config,
    storage,
    keyring,
    audit,
    findApplication: (id, handle) => applications.find(id, handle),
    clock,
    random,
    log,
    meter,
  });
  const { events, webhooks, deliveries } = outbound;
  const mailbox = config.dev && !config.mail ? createMailbox({ clock }) : undefined;
  const goesTo = config.mail ? "smtp" : mailbox ? "mailbox" : "nowhere";
  const mail = createMail({ storage, keyring, audit, clock, random, log, goesTo });
  const mailDelivery = createMailDelivery({
    mail,
    findApplication: (id) => applications.find(id),
    transport: config.mail ? createSmtpTransport(config.mail) : mailbox?.transport,
    baseUrl,
    log,
    meter,
  });
  const allowance = createMailAllowance({ keyring });
  const notices = createNotices({ mail, allowance });
  const browserSessions = createBrowserSessions({ storage, keyring, audit, clock });
  const browserOrigins = createBrowserOrigins({ storage, clock });
  const publicConfig = createPublicConfig({
    issuer: baseUrl,
    mostPasswordCharacters,
    displayNameOf: providerDisplayName,
  });
  const users = createUsers({ storage, events, audit, random });
  const signingKeys = createSigningKeys({ storage, keyring, audit, clock, tokenSeconds: longestTokenSeconds });
  const accessTokens = createAccessTokens({ keys: signingKeys, issuer: baseUrl, clock });
  const fetchProvider = createProviderFetch(fetch);
  const discover = createDiscovery(fetchProvider, clock);
  const providers = createProviderAccounts({ storage, applications, audit, keyring, clock, baseUrl, discover });
  const signIn = createSignIn({ storage, applications, providers, events, audit, clock, random, baseUrl, meter });
  const tokens = createTokens({
    storage,
    keyring,
    accessTokens,
    applications,
    users,
    browserSessions,
    signIn,
    events,
    audit,
    clock,
    random,
    issuer: baseUrl,
  });
  const hasher = createHasher(config.passwords, random, meter, log);
  storage.shareCommitsWhile?.(hasher.isBusy);
  const attempts = rateLimits.attempts("password", config.passwords.attemptsPerMinute);
  const passwords = createPasswords({ storage, users, hasher, keyring, attempts, clock, random, log });
  const passkeys = createPasskeys({ storage, users, baseUrl, clock, random, log });
  const rounds = createRounds({ storage, accounts: providers, keyring, fetchProvider, clock, random, baseUrl });
  const linking = createLinking({
    users,
    passwords,
    passkeys,
    tokens,
    signIn,
    browserSessions,
    notices,
    events,
    audit,
    random,
  });
  const proofs = createProofs({ storage, users, passkeys, browserSessions, notices, events, audit, clock, random });
  const logins = createLoginAdministration({ storage, keyring, accessTokens, browserSessions, events, audit, clock });
  const redeem = createRedeem({ storage, applications, users, tokens, logins, audit, events, clock, meter });
  const aboutUsers = { storage, applications, users, signIn, browserSessions, notices, audit, clock };
  const mailFlows = createMailFlows({
    ...aboutUsers,
    keyring,
    passwords,
    passkeys,
    linking,
    tokens,
    mail,
    allowance,
    random,
    baseUrl,
  });
  const methods = createMethods({
    ...aboutUsers,
    events,
    passkeysAvailable: passkeys.available,
    providerDisplayName,
  });
  const profiles = createProfiles({ storage, users, passwords, events, audit, clock });
  const ownLogins = createOwnLogins({ storage, users, logins, browserSessions, signIn, clock });
  const accountExport = createAccountExport({ storage, users, profiles, methods, logins, audit, clock });

  const services = {
    applications,
    events,
    webhooks,
    deliveries,
    browserOrigins,
    publicConfig,
    users,
    tokens,
    signingKeys,
    passwords,
    passkeys,
    signIn,
    proofs,
    browserSessions,
    ...mailFlows,
    notices,
    redeem,
    providers,
    rounds,
    linking,
    methods,
    profiles,
    ownLogins,
    accountExport,
    logins,
    audit,
    mail,
  };
  const operatorServices = createOperatorServices({
    ...services,
    config,
    storage,
    keyring,
    accessTokens,
    applicationsOver: foundation.applicationsOver,
    webhooksOver: outbound.webhooksOver,
    discover,
    clock,
    random,
    baseUrl,
  });
  return {
    services: { ...services, ...operatorServices },
    limiter: rateLimits.limiter,
    rateLimitsOf: createRateLimitsOf({ storage, clock }),
    mailDelivery,
    mailbox,
    webhookWorker: outbound.worker,
    closeConnections: outbound.close,
    /** How many passwords are being hashed, and how many wait. */
    hashing: hasher.load,
    /** Everything that keeps what expires. */
    keepers: [
      applications,
      signIn,
      passkeys,
      passwords,
      tokens,
      browserSessions,
      rounds,
      mailFlows.emailTokens,
      mail,
      deliveries,
      audit,
      rateLimits,
    ],
  };
}
