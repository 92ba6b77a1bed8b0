import type { BrowserSessions } from "./account/browser-sessions.ts";
import type { Applications } from "./applications/service.ts";
import type { Audit } from "./audit/audit.ts";
import { createDesiredStates } from "./desired-state/service.ts";
import type { Config } from "./config/config.ts";
import { createDoctor } from "./doctor/service.ts";
import { second, type Clock } from "./lib/clock.ts";
import type { Random } from "./lib/random.ts";
import { smtpProblem } from "./mail/smtp.ts";
import { createProviderAccounts, type ProviderAccounts } from "./oauth/accounts.ts";
import type { Discover } from "./oauth/discovery.ts";
import type { Passkeys } from "./passkeys/service.ts";
import { isUsablePublicKey } from "./passkeys/webauthn.ts";
import { firebaseHash, foreignHash } from "./passwords/foreign-hashes.ts";
import type { Passwords } from "./passwords/service.ts";
import type { Keyring } from "./secrets/keyring.ts";
import type { SignIn } from "./sign-in/service.ts";
import type { Handle, Storage } from "./storage/storage.ts";
import { storageWithin } from "./storage/within.ts";
import type { AccessTokens } from "./tokens/access-tokens.ts";
import type { LoginAdministration } from "./tokens/login-administration.ts";
import { createOperatorTokens } from "./tokens/operator-tokens.ts";
import type { SigningKeys } from "./tokens/signing-keys.ts";
import { createUserAdministration } from "./users/administration.ts";
import { createUserExport } from "./users/export.ts";
import { createUserImport } from "./users/import.ts";
import type { Users } from "./users/service.ts";
import type { Webhooks } from "./webhooks/service.ts";

/** What only commands use, put together for `app.ts`. */
export function createOperatorServices(deps: {
  config: Config;
  storage: Storage;
  keyring: Keyring;
  accessTokens: AccessTokens;
  signingKeys: SigningKeys;
  applications: Applications;
  providers: ProviderAccounts;
  webhooks: Webhooks;
  /** The same applications and webhooks within a transaction. */
  applicationsOver(storage: Storage): Applications;
  webhooksOver(storage: Storage): Webhooks;
  users: Users;
  passwords: Passwords;
  passkeys: Passkeys;
  signIn: SignIn;
  logins: LoginAdministration;
  browserSessions: BrowserSessions;
  discover: Discover;
  audit: Audit;
  clock: Clock;
  random: Random;
  baseUrl: string;
}) {
  const { config, passkeys } = deps;
  const {
    storage,
    keyring,
    applications,
    providers,
    webhooks,
    applicationsOver,
    webhooksOver,
    discover,
    audit,
    clock,
  } = deps;
  const { random, baseUrl } = deps;

  const servicesIn = (tx: Handle) => {
    const within = { storage: storageWithin(storage, tx), audit, clock };
    const inside = applicationsOver(within.storage);
    return {
      applications: inside,
      providers: createProviderAccounts({ ...within, applications: inside, keyring, baseUrl, discover }),
      webhooks: webhooksOver(within.storage),
    };
  };

  return {
    operatorTokens: createOperatorTokens({ ...deps, issuer: baseUrl }),
    userAdministration: createUserAdministration(deps),
    userImport: createUserImport({
      storage,
      audit,
      clock,
      random,
      findApplication: (id, handle) => applications.find(id, handle),
      foreignHash,
      firebaseHash,
      isUsablePublicKey,
    }),
    userExport: createUserExport({ storage, audit, clock }),
    desiredStates: createDesiredStates({ storage, services: { applications, providers, webhooks }, servicesIn }),
    doctor: createDoctor({
      config,
      storage,
      applications,
      providers,
      webhooks,
      passkeysArePossible: passkeys.available,
      mailProblem: async () => config.mail && (await smtpProblem(config.mail.server, 5 * second)),
      clock,
    }),
  };
}
