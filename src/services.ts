import { createBrowserSessions } from "./account/browser-sessions.ts";
import { createAccountExport } from "./account/export.ts";
import { createBrowserOrigins } from "./applications/browser-origins.ts";
import { createPublicConfig } from "./applications/public-config.ts";
import type { Applications } from "./applications/service.ts";
import { isStandIn } from "./dev/left.ts";
import { createMailFlows } from "./email-tokens/flows.ts";
import { providerDisplayName } from "./oauth/providers.ts";
import { createCircumstances } from "./methods/circumstances.ts";
import { createMethods } from "./methods/service.ts";
import { createGrants } from "./clients/grants.ts";
import { createGroupServices } from "./group-services.ts";
import { createMailServices } from "./mail-services.ts";
import { createOpenIdEndpoints, createOpenIdServices } from "./openid-services.ts";
import { createOperatorServices } from "./operator-services.ts";
import { createPasskeys } from "./passkeys/service.ts";
import { createHasher } from "./passwords/hasher.ts";
import { createNewPasswords } from "./passwords/new-passwords.ts";
import { maxPasswordCharacters } from "./passwords/rules.ts";
import { createPasswords } from "./passwords/service.ts";
import type { StrengthOf } from "./passwords/strength.ts";
import { createRevocations } from "./revocations/service.ts";
import { createRateLimits } from "./rate-limits/service.ts";
import { createProviderClients } from "./oauth/provider-clients.ts";
import { createDiscovery } from "./oauth/discovery.ts";
import { createFirstProof } from "./oauth/first-proof.ts";
import { createLinking } from "./oauth/linking.ts";
import { createProviderFetch } from "./oauth/provider-fetch.ts";
import { createAuthorizationRequests } from "./oauth/authorization-requests.ts";
import { createSignInFlows } from "./sign-in/flows.ts";
import { createClientCodes } from "./sign-in/redemption/client-codes.ts";
import { createRedeem } from "./sign-in/redemption/redeem.ts";
import { createSignIn } from "./sign-in/service.ts";
import type { Storage } from "./storage/storage.ts";
import { createAuthentication } from "./tokens/authentication.ts";
import { createAccessTokens } from "./tokens/access-tokens.ts";
import { createIdTokens } from "./tokens/id-tokens.ts";
import { createRotation } from "./tokens/rotation.ts";
import { createLoginAdministration } from "./tokens/login-administration.ts";
import { createLoginEnds } from "./tokens/login-ends.ts";
import { createLogout } from "./tokens/logout.ts";
import { createLogoutTokens } from "./tokens/logout-tokens.ts";
import { createOwnLogins } from "./tokens/own-logins.ts";
import { createRevokeAccess } from "./tokens/revoke-access.ts";
import { longestTokenSeconds } from "./tokens/operator-tokens.ts";
import { createTokens } from "./tokens/service.ts";
import { createSigningKeys } from "./tokens/signing-keys.ts";
import { createUserAdministration } from "./users/administration.ts";
import { createUserListings } from "./users/listing.ts";
import { createNewUsers } from "./users/new-users.ts";
import { createProfiles } from "./users/profile.ts";
import { createUsers } from "./users/service.ts";
import { createOutbound } from "./webhooks/outbound.ts";
import type { Foundation } from "./core.ts";

/**
 * Creates all services. Nothing runs by itself yet: `app.ts` sweeps and closes, `server.ts` starts
 * workers.
 */
export function createServices(foundation: Foundation & { strengthOf: StrengthOf }) {
  const { storage, audit, applications, config, keyring, baseUrl, clock, random, fetch, log, meter } = foundation;
  const rateLimits = createRateLimits({ storage, keyring, clock });
  const aboutTokens = { ...foundation, revocations: foundation.revocationRecords, tokenSeconds: longestTokenSeconds };
  const revocations = createRevocations(aboutTokens);
  const signingKeys = createSigningKeys(aboutTokens);
  const logoutTokens = createLogoutTokens({ keys: signingKeys, issuer: baseUrl, clock, random });
  const outbound = createOutbound({
    isDevelopment: foundation.isDevelopment,
    settings: config,
    storage,
    keyring,
    audit,
    findApplication: (id, handle) => applications.find(id, handle),
    signLogoutToken: logoutTokens.sign,
    clock,
    random,
    log,
    meter,
  });
  const { events, webhooks, deliveries } = outbound;
  const { mailbox, mail, mailDelivery, allowance, notices } = createMailServices(foundation);
  const browserSessions = createBrowserSessions({ storage, keyring, audit, clock });
  const browserOrigins = createBrowserOrigins({ storage, clock });
  const users = createUsers({ storage, events, audit, random });
  const { recentApplications, forTokens, ...ofGroups } = createGroupServices(foundation, { users });
  const accessTokens = createAccessTokens({ keys: signingKeys, issuer: baseUrl, clock });
  const idTokens = createIdTokens({ keys: signingKeys, issuer: baseUrl, clock });
  const fetchProvider = createProviderFetch(fetch);
  const discover = createDiscovery(fetchProvider, clock);
  const providersOver = (over: Storage, inside: Applications) =>
    createProviderClients({
      storage: over,
      applications: inside,
      audit,
      keyring,
      clock,
      baseUrl,
      discover,
      isStandIn,
      standInsAct: foundation.leftoversAct,
    });
  const providers = providersOver(storage, applications);
  const publicConfig = createPublicConfig({
    issuer: baseUrl,
    maxPasswordCharacters,
    displayNameOf: providerDisplayName,
    unusableProviders: (appId) => providers.unusable(appId),
  });
  const loginEnds = createLoginEnds({ ...aboutTokens, users, browserSessions, events });
  const { clientsOver, ...openId } = createOpenIdServices(foundation, {
    loginEnds,
    logoutReceivers: outbound.logoutReceivers,
    groups: ofGroups.groups,
  });
  const { clients } = openId;
  const signIn = createSignIn({ storage, applications, clients, providers, clock, random, baseUrl });
  const access = createRevokeAccess({ signIn, users, browserSessions, loginEnds });
  const authentication = createAuthentication({ storage, accessTokens, applications, clock });
  const tokens = createTokens({
    storage,
    keyring,
    accessTokens,
    rotation: createRotation({ storage, applications, users, keyring, loginEnds, events, audit }),
    loginEnds,
    ...forTokens,
    clock,
    random,
    issuer: baseUrl,
  });
  const hasher = createHasher(config.passwords, random, meter, log);
  storage.shareCommitsWhile(hasher.isBusy);
  const attempts = rateLimits.attempts("password", config.passwords.attemptsPerMinute);
  const passwords = createPasswords({ storage, browserSessions, hasher, keyring, attempts, clock, random, log });
  const newPasswords = createNewPasswords({
    storage,
    hasher,
    strengthOf: foundation.strengthOf,
    minGuessesLog10: config.passwords.minGuessesLog10,
    attempts,
  });
  const passkeys = createPasskeys({ storage, users, baseUrl, clock, random, log });
  const authorizationRequests = createAuthorizationRequests({
    storage,
    providerClients: providers,
    keyring,
    fetchProvider,
    clock,
    random,
    baseUrl,
  });
  const aboutUsers = { storage, applications, users, access, browserSessions, notices, audit, clock, ...forTokens };
  const methods = createMethods({
    ...aboutUsers,
    events,
    circumstancesOf: createCircumstances({
      applications,
      passkeysAvailable: passkeys.available,
      configuredProviders: (appId, handle) => providers.configured(appId, handle),
    }),
    providerDisplayName,
  });
  const firstProof = createFirstProof({ storage, passwords, passkeys, methods, access, audit, clock });
  const linking = createLinking({ ...aboutUsers, firstProof, events, random });
  const logins = createLoginAdministration({ storage, keyring, accessTokens, loginEnds, clock });
  const clientCodes = createClientCodes({ ...aboutUsers, ...openId });
  const redeem = createRedeem({ ...aboutUsers, clientCodes, tokens, logins, events, meter });
  const forMails = { ...aboutUsers, keyring, passwords, passkeys, firstProof, methods, mail, allowance };
  const mailFlows = createMailFlows({ ...forMails, random, baseUrl });
  const signInFlows = createSignInFlows({
    ...aboutUsers,
    ...openId,
    events,
    meter,
    random,
    signIn,
    passwords,
    newPasswords,
    passkeys,
    linking,
    firstProof,
    ...mailFlows,
    authorizationRequests,
    providerDisplayName,
    issuer: baseUrl,
  });
  const profiles = createProfiles({ storage, users, passwords, access, events, audit, clock });
  const ownLogins = createOwnLogins({ storage, signIn, loginEnds, access, clock });
  const accountExport = createAccountExport({ ...aboutUsers, ...openId, profiles, methods, logins });

  const services = {
    applications,
    ...openId,
    grants: createGrants({ ...aboutUsers, signIn, loginEnds }),
    ...createOpenIdEndpoints(foundation, {
      authentication,
      clients,
      redeem,
      tokens,
      idTokens,
      users,
      accessTokens,
      loginEnds,
      ...forTokens,
    }),
    ...ofGroups,
    events,
    webhooks,
    deliveries,
    browserOrigins,
    publicConfig,
    users,
    authentication,
    tokens,
    logout: createLogout({ storage, keyring, access, loginEnds, clock }),
    signingKeys,
    revocations,
    idTokens,
    passwords,
    newPasswords,
    passkeys,
    signIn,
    browserSessions,
    ...signInFlows,
    ...mailFlows,
    notices,
    redeem,
    providers,
    authorizationRequests,
    linking,
    firstProof,
    methods,
    profiles,
    newUsers: createNewUsers({ ...aboutUsers, passwords, newPasswords }),
    userListings: createUserListings({ storage, applications, keyring }),
    userAdministration: createUserAdministration({ ...forMails, ...mailFlows, logins }),
    ownLogins,
    accountExport,
    logins,
    audit,
    mail,
  };
  const { webhooksOver } = outbound;
  const operatorServices = createOperatorServices(foundation, {
    ...services,
    access,
    accessTokens,
    providersOver,
    webhooksOver,
    clientsOver,
  });
  return {
    services: { ...services, ...operatorServices },
    limiter: rateLimits.limiter,
    recentApplications,
    mailDelivery,
    mailbox,
    webhookWorker: outbound.worker,
    closeConnections: outbound.close,
    /** The number of password hashes running and waiting. */
    hashing: hasher.load,
    /** Every service with rows that expire. */
    sweepers: [
      applications,
      clients,
      openId.pushedRequests,
      signIn,
      passkeys,
      passwords,
      tokens,
      revocations,
      browserSessions,
      authorizationRequests,
      mailFlows.emailTokens,
      mail,
      deliveries,
      ofGroups.groups,
      audit,
      rateLimits,
    ],
  };
}
