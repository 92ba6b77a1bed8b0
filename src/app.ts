import { join } from "node:path";
import { createBrowserSessions } from "./account/browser-sessions.ts";
import { createAccountExport } from "./account/export.ts";
import { createBrowserOrigins } from "./applications/browser-origins.ts";
import { createRateLimitsOf } from "./applications/rate-limits.ts";
import { createPublicConfig } from "./applications/public-config.ts";
import { createApplications } from "./applications/service.ts";
import { createAudit } from "./audit/audit.ts";
import type { Config } from "./config/config.ts";
import { createMailbox } from "./dev/mailbox.ts";
import { createMailFlows } from "./email-tokens/flows.ts";
import { systemClock, type Clock } from "./lib/clock.ts";
import { silentLog, type Log } from "./lib/log.ts";
import { systemRandom, type Random } from "./lib/random.ts";
import { createMailDelivery } from "./mail/delivery.ts";
import { createNotices } from "./mail/notices.ts";
import { createMail } from "./mail/service.ts";
import { createSmtpTransport } from "./mail/smtp.ts";
import { isKnownProvider, providerDisplayName } from "./oauth/providers.ts";
import { createMethods } from "./methods/service.ts";
import { createOperatorServices } from "./operator-services.ts";
import { createPasskeys } from "./passkeys/service.ts";
import { createHasher } from "./passwords/hasher.ts";
import { mostPasswordCharacters } from "./passwords/rules.ts";
import { createPasswords } from "./passwords/service.ts";
import { createRateLimiter } from "./rate-limits/limiter.ts";
import { createProviderAccounts } from "./oauth/accounts.ts";
import { createDiscovery } from "./oauth/discovery.ts";
import { createLinking } from "./oauth/linking.ts";
import { createProviderFetch } from "./oauth/provider-fetch.ts";
import { createRounds } from "./oauth/rounds.ts";
import { findFact, replaceFact } from "./secrets/store.ts";
import { openKeyring } from "./secrets/open-keyring.ts";
import { createProofs } from "./sign-in/proofs.ts";
import { createRedeem } from "./sign-in/redeem.ts";
import { createSignIn } from "./sign-in/service.ts";
import { openStorage } from "./storage/open.ts";
import { sweepAll } from "./storage/sweep.ts";
import { createAccessTokens } from "./tokens/access-tokens.ts";
import { createLoginAdministration } from "./tokens/login-administration.ts";
import { createOwnLogins } from "./tokens/own-logins.ts";
import { longestTokenSeconds } from "./tokens/operator-tokens.ts";
import { createTokens } from "./tokens/service.ts";
import { createSigningKeys } from "./tokens/signing-keys.ts";
import { createProfiles } from "./users/profile.ts";
import { createUsers } from "./users/service.ts";
import { createOutbound } from "./webhooks/outbound.ts";

/** What is not ours to decide in a test. */
export type Surroundings = { clock?: Clock; random?: Random; fetch?: typeof globalThis.fetch; log?: Log };

const baseUrlFact = "base-url";

export type App = Awaited<ReturnType<typeof openApp>>;

/**
 * The composition root: opens storage at its newest schema and puts the services together. The one file that sees all of them.
 * `baseUrl` (no trailing slash) is the issuer and the origin of every address that the service gives out; a command that is not told takes the
 * one under which the service last ran.
 * Throws UNUSABLE_STORAGE, INVALID_CONFIG.
 */
export async function openApp(
  config: Config,
  {
    baseUrl: given,
    clock = systemClock,
    random = systemRandom,
    fetch = globalThis.fetch,
    log = silentLog,
  }: Surroundings & { baseUrl?: string | undefined },
) {
  const storage = await openStorage(
    { ...config.database, file: join(config.dataDir, "authsvc.db") },
    clock(),
    (error) => log.warn("a database connection was lost", { reason: error.message }),
  );
  try {
    const keyring = await openKeyring(
      storage,
      { masterKey: config.masterKey, file: join(config.dataDir, "master.key") },
      random,
    );
    const baseUrl = given ?? (await findFact(storage.reader, baseUrlFact)) ?? `http://localhost:${config.listen.port}`;
    const limiter = createRateLimiter(clock);
    const audit = createAudit({ storage, clock, random });
    const applications = createApplications({ storage, audit, clock, random, isKnownProvider });
    const outbound = createOutbound({
      settings: config,
      storage,
      keyring,
      audit,
      findApplication: (id, handle) => applications.find(id, handle),
      clock,
      random,
      log,
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
    });
    const notices = createNotices({ mail });
    const browserSessions = createBrowserSessions({ storage, keyring, clock });
    const browserOrigins = createBrowserOrigins({ storage, clock });
    const publicConfig = createPublicConfig({
      issuer: baseUrl,
      mostPasswordCharacters,
      displayNameOf: providerDisplayName,
    });
    const users = createUsers({ storage, events, random });
    const signingKeys = createSigningKeys({ storage, keyring, audit, clock, tokenSeconds: longestTokenSeconds });
    const accessTokens = createAccessTokens({ keys: signingKeys, issuer: baseUrl, clock });
    const tokens = createTokens({
      storage,
      keyring,
      accessTokens,
      applications,
      users,
      browserSessions,
      events,
      audit,
      clock,
      random,
      issuer: baseUrl,
    });
    const hasher = createHasher(config.passwords, random);
    const { attemptsPerMinute } = config.passwords;
    const passwords = createPasswords({ storage, users, hasher, keyring, limiter, clock, random, attemptsPerMinute });
    const passkeys = createPasskeys({ storage, users, baseUrl, clock, random, log });
    const fetchProvider = createProviderFetch(fetch);
    const discover = createDiscovery(fetchProvider, clock);
    const providers = createProviderAccounts({ storage, applications, audit, keyring, clock, baseUrl, discover });
    const signIn = createSignIn({ storage, applications, providers, events, audit, clock, random, baseUrl });
    const rounds = createRounds({ storage, accounts: providers, keyring, fetchProvider, clock, random, baseUrl });
    const linking = createLinking({
      users,
      passwords,
      passkeys,
      tokens,
      signIn,
      browserSessions,
      events,
      audit,
      random,
    });
    const proofs = createProofs({ storage, users, passkeys, browserSessions, notices, events, audit, clock, random });
    const redeem = createRedeem({ storage, applications, users, tokens, audit, events, clock });
    const mailFlows = createMailFlows({
      storage,
      keyring,
      applications,
      users,
      passwords,
      passkeys,
      linking,
      signIn,
      tokens,
      browserSessions,
      mail,
      notices,
      audit,
      clock,
      random,
      baseUrl,
    });
    const logins = createLoginAdministration({ storage, keyring, accessTokens, browserSessions, events, audit, clock });
    const methods = createMethods({
      storage,
      users,
      applications,
      signIn,
      browserSessions,
      notices,
      events,
      audit,
      clock,
      passkeysAvailable: passkeys.available,
      providerDisplayName,
    });
    const profiles = createProfiles({ storage, users, passwords, events, audit, clock });
    const ownLogins = createOwnLogins({ storage, logins, browserSessions, signIn, clock });
    const accountExport = createAccountExport({ storage, profiles, methods, logins, audit, clock });

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
      webhooksOver: outbound.webhooksOver,
      discover,
      clock,
      random,
      baseUrl,
    });

    let closing = false;
    let sweeping = Promise.resolve();
    const sweepOnce = async (): Promise<void> => {
      for (const service of [
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
      ]) {
        await sweepAll(
          () => service.sweep(),
          () => closing,
        );
      }
      if (!closing) await signingKeys.rotate();
      if (!closing) await storage.forgetDeleted();
    };

    return {
      baseUrl,
      clock,
      random,
      log,
      storage,
      keyring,
      limiter,
      rateLimitsOf: createRateLimitsOf({ storage, clock }),
      /** Sends what the outbox holds, once started: by the serving process, not by commands. */
      mailDelivery,
      /** Sends webhooks, once started: by the serving process, too. */
      webhookWorker: outbound.worker,
      /** Where mail goes in development mode without a mail server. */
      mailbox,
      services: { ...services, ...operatorServices },

      /** For commands, which may not know on which port the service was started. */
      async rememberBaseUrl(): Promise<void> {
        await storage.write((tx) => replaceFact(tx, baseUrlFact, baseUrl));
      },

      /**
       * Removes what has expired, and prepares the next signing keys. Meant to be called now and then: one sweep after the other here,
       * while several nodes may do it at once.
       */
      async sweep(): Promise<void> {
        const swept = sweeping.then(sweepOnce);
        sweeping = swept.catch(() => {});
        await swept;
      },

      /** Waits for writes under way, and for a sweep to end after the batch that it is at. */
      async close(): Promise<void> {
        closing = true;
        await sweeping;
        await outbound.close();
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}
