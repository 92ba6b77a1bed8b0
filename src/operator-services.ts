import { join } from "node:path";
import type { Applications } from "./applications/service.ts";
import type { Clients } from "./clients/service.ts";
import type { Foundation } from "./core.ts";
import { createDesiredStates } from "./desired-state/service.ts";
import { createApplicationChecks } from "./doctor/applications.ts";
import { createInstallationChecks } from "./doctor/installation.ts";
import { createDoctor } from "./doctor/service.ts";
import type { Groups } from "./groups/service.ts";
import { AppError } from "./lib/errors.ts";
import { second } from "./lib/clock.ts";
import { smtpProblem } from "./mail/smtp.ts";
import type { ProviderClients } from "./oauth/provider-clients.ts";
import type { Passkeys } from "./passkeys/service.ts";
import { isUsablePublicKey } from "./passkeys/webauthn.ts";
import { affordable, firebaseHash, foreignHash } from "./passwords/foreign-hashes.ts";
import { masterKeyTimes } from "./secrets/rotation.ts";
import type { Handle, Storage } from "./storage/storage.ts";
import { storageWithin } from "./storage/within.ts";
import type { AccessTokens } from "./tokens/access-tokens.ts";
import type { LoginAdministration } from "./tokens/login-administration.ts";
import type { ClaimSourcesService } from "./tokens/claim-sources.ts";
import { createOperatorTokens } from "./tokens/operator-tokens.ts";
import { createSigningKeyRevocation } from "./tokens/signing-key-revocation.ts";
import type { RevokeAccess } from "./tokens/revoke-access.ts";
import type { SigningKeys } from "./tokens/signing-keys.ts";
import { createUserExport } from "./users/export.ts";
import { createUserImport } from "./users/import.ts";
import type { Users } from "./users/service.ts";
import type { Webhooks } from "./webhooks/service.ts";

/** The services that only commands use; `services.ts` creates them. */
export function createOperatorServices(
  foundation: Foundation,
  services: {
    accessTokens: AccessTokens;
    signingKeys: SigningKeys;
    providers: ProviderClients;
    webhooks: Webhooks;
    /** The same within a transaction. */
    providersOver(storage: Storage, applications: Applications): ProviderClients;
    webhooksOver(storage: Storage): Webhooks;
    clients: Clients;
    clientsOver(storage: Storage, applications: Applications): Clients;
    groups: Groups;
    groupsOver(storage: Storage, applications: Applications): Groups;
    users: Users;
    claimSources: ClaimSourcesService;
    passkeys: Passkeys;
    logins: LoginAdministration;
    access: RevokeAccess;
  },
) {
  const deps = { ...foundation, ...services };
  const { config, storage, writability, applications, audit, clock, random, baseUrl } = foundation;
  const { providers, webhooks, clients, passkeys } = services;

  const servicesIn = (tx: Handle) => {
    const within = storageWithin(storage, tx);
    const inside = foundation.applicationsOver(within);
    return {
      applications: inside,
      providers: services.providersOver(within, inside),
      webhooks: services.webhooksOver(within),
      clients: services.clientsOver(within, inside),
      groups: services.groupsOver(within, inside),
    };
  };

  return {
    signingKeyRevocation: createSigningKeyRevocation(deps),
    operatorTokens: createOperatorTokens({ ...deps, issuer: baseUrl }),
    userImport: createUserImport({
      storage,
      audit,
      clock,
      random,
      findApplication: (id, handle) => applications.find(id, handle),
      foreignHash,
      firebaseHash,
      affordable,
      isUsablePublicKey,
      directories: (appId, handle) => providers.directories(appId, handle),
    }),
    userExport: createUserExport({ storage, audit, clock }),
    desiredStates: createDesiredStates({
      storage,
      services: { applications, providers, webhooks, clients, groups: services.groups },
      servicesIn,
      shadowOf: async (tables) => {
        const { openShadow } = await import("./storage/open-snapshot.ts");
        const place = { url: config.database.url, file: join(config.dataDir, "authsvc.db") };
        const shadow = await openShadow(place, tables);
        if (!shadow) throw new AppError("UNUSABLE_STORAGE", `The database ${place.file} no longer exists.`);
        return shadow;
      },
    }),
    doctor: createDoctor({
      installation: createInstallationChecks({
        config,
        isDevelopment: foundation.isDevelopment,
        storage,
        writability,
        masterKeyTimes: async () => await masterKeyTimes(storage.reader),
        mailProblem: async () => config.mail && (await smtpProblem(config.mail.server, 5 * second)),
        clock,
      }),
      applications: createApplicationChecks({
        config,
        isDevelopment: foundation.isDevelopment,
        applications,
        providers,
        webhooks,
        clients,
        someLackEmail: async (appId) => await services.users.someLackEmail(appId),
        passkeysArePossible: passkeys.available,
        clock,
      }),
    }),
  };
}
