import { hasOrganizations, hasProfileFields } from "../../applications/application.ts";
import type { Application } from "../../applications/application.ts";
import * as clientSecrets from "../../applications/clients/secrets.ts";
import type { ClientAnswer } from "../../applications/clients/client.ts";
import * as clients from "../../applications/clients/service.ts";
import * as issuerKeys from "../../applications/clients/workload/issuer-keys.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import * as resources from "../../applications/resources/service.ts";
import * as applications from "../../applications/service.ts";
import { listApplications } from "../../applications/store.ts";
import { relatedOriginFindings } from "./related-origins.ts";
import { listBlocked } from "../../factors/store.ts";
import { listTroubled } from "../../organizations/domains/store.ts";
import { listFailed } from "../../organizations/provider/provider-store.ts";
import { listOwnerless } from "../../organizations/membership-store.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import { countMarked } from "../../people/required-passwords-store.ts";
import { maxFailures } from "../../rate-limits/failures.ts";
import { countWaiting } from "../../people/waiting.ts";
import * as webhooks from "../../records/webhooks/service.ts";
import type { Context } from "../../runtime/context.ts";
import { someLackEmail } from "../../users/list-store.ts";
import {
  accessFindings,
  addressFindings,
  clientFindings,
  documentFindings,
  signingFindings,
  trustFindings,
} from "./clients.ts";
import { oldReadersAreKept } from "../../records/revocations/service.ts";
import { listOldReaders } from "../../records/revocations/store.ts";
import { examinePersonalTokens } from "./personal-tokens.ts";
import { examineSignUp } from "./sign-up.ts";
import type { Examined, Finding } from "./finding.ts";
import { listenerFindings, proxyFindings } from "./proxies.ts";
import {
  developmentFindings,
  domainFindings,
  emailCodeFindings,
  issuerFindings,
  lockedOutFindings,
  newPasswordFindings,
  organizationProviderFindings,
  ownerlessFindings,
  noApplication,
  oldReaderFindings,
  passkeyFindings,
  profileFieldFindings,
  providerFindings,
  redirectUriFindings,
  signUpFindings,
  strandedFindings,
  webhookFindings,
} from "./rules.ts";

/** `isQuick`: calls no other server, and does not look at everybody. */
type Options = { isQuick?: boolean };

const maxMarkedIfQuick = 10_000;

/** Why the keys of the issuers that enabled clients trust cannot be read. Asks each of them. */
async function issuerProblems(ctx: Context, all: ClientAnswer[]): Promise<Map<string, string>> {
  const trusts = all.flatMap(({ disabledAt, trusts }) => (disabledAt === null ? trusts : []));
  const problems = new Map<string, string>();
  const ask = async (issuer: string) => {
    const problem = await issuerKeys.problemOf(ctx, issuer);
    if (problem !== undefined) problems.set(issuer, problem);
  };
  await Promise.all([...new Set(trusts.map(({ issuer }) => issuer))].map(ask));
  return problems;
}

async function examineClients(ctx: Context, ofAll: Application[], { isQuick = false }: Options): Promise<Finding[]> {
  const [all, secrets] = [await clients.list(ctx), await clientSecrets.listSecrets(ctx)];
  const allResources = await resources.list(ctx);
  const problems = isQuick ? new Map<string, string>() : await issuerProblems(ctx, all);
  const own = all.flatMap((client) =>
    clientFindings(
      client,
      secrets.filter(({ clientId }) => clientId === client.id),
      { now: ctx.clock(), isDevelopment: ctx.isDevelopment, resources: allResources, baseUrl: ctx.baseUrl },
    ),
  );
  const addresses: Finding[] = [];
  for (const { id: appId } of ofAll) {
    const ofApp = all.filter((client) => client.appId === appId);
    if (ofApp.length > 0 && (await someLackEmail(ctx.storage.reader, appId)))
      addresses.push(...addressFindings(appId, ofApp));
  }
  return [
    ...own,
    ...ofAll.flatMap((application) => accessFindings(application, all)),
    ...ofAll.flatMap((application) =>
      all.filter(({ appId }) => appId === application.id).flatMap((client) => proxyFindings(client, application)),
    ),
    ...listenerFindings(ctx.config, all),
    ...ofAll.flatMap((application) => documentFindings(application, allResources)),
    ...all.flatMap((client) => trustFindings(client, problems)),
    ...ofAll.flatMap((application) => signingFindings(application, all)),
    ...addresses,
  ];
}

async function lackingFields(ctx: Context, all: Application[]): Promise<Finding[]> {
  const found = all.filter(hasProfileFields).map(async (application) => {
    return profileFieldFindings(application.id, await countWaiting(ctx, application, "server"));
  });
  return (await Promise.all(found)).flat();
}

/** Leftovers of `serve --dev` in the database of a service that runs without it. */
export async function development(ctx: Context): Promise<Finding[]> {
  return ctx.isDevelopment
    ? []
    : developmentFindings((await applications.findDemoApp(ctx))?.id, await providers.standIns(ctx));
}

/** The findings about applications, with their providers, clients and webhooks. */
export async function examineApplications(ctx: Context, options: Options): Promise<Examined> {
  const { isDevelopment, config } = ctx;
  const sendsMail = config.mail !== undefined || isDevelopment;
  const ids = (await applications.list(ctx)).map(({ id }) => id);
  const idle = isDevelopment ? undefined : (await applications.findDemoApp(ctx))?.id;
  const all = await applications.findAll(ctx);
  const everyone = await listApplications(ctx.storage.reader);
  const configured = await providers.namesByApplication(ctx);
  const accounts = await Promise.all(
    all.map(async (application) => {
      const names = configured.get(application.id) ?? [];
      const stranded = names.length === 0 ? [] : await providers.strandedIdentities(ctx, application.id);
      const silent = names.length === 0 || options.isQuick ? [] : await providers.tryIssuers(ctx, application.id);
      return [
        ...providerFindings(application, names),
        ...issuerFindings(application.id, silent),
        ...strandedFindings(application.id, stranded),
      ];
    }),
  );
  const passkeyApps = new Set(all.filter(({ authMethods }) => authMethods.passkey.enabled).map(({ id }) => id));
  const lockedOut = (await listBlocked(ctx.storage.reader, maxFailures)).filter(
    ({ appId, hasPasskey }) => !(hasPasskey && passkeyApps.has(appId)),
  );
  const tokens = options.isQuick ? undefined : await examinePersonalTokens(ctx, all);
  const maxMarked = options.isQuick ? maxMarkedIfQuick : Number.MAX_SAFE_INTEGER;
  const marked = await countMarked(ctx.storage.reader, maxMarked);
  return {
    applications: ids.some((id) => id !== idle) ? [] : [noApplication],
    passkeys: [
      ...passkeyFindings(all, passkeys.available(ctx)),
      ...(await Promise.all(all.map((each) => relatedOriginFindings(ctx, each, everyone, options)))).flat(),
    ],
    "sign-up": [
      ...signUpFindings(all, sendsMail),
      ...(await examineSignUp(ctx, all, { sendsMail, isQuick: options.isQuick })),
    ],
    "email-code": emailCodeFindings(all, sendsMail),
    ...(all.some(hasProfileFields) && !options.isQuick && { "profile-fields": await lackingFields(ctx, all) }),
    ...(tokens && { "personal-tokens": tokens }),
    "second-factors": lockedOutFindings(lockedOut),
    ...(marked.length > 0 && { "new-passwords": newPasswordFindings(marked, maxMarked) }),
    providers: accounts.flat(),
    "redirect-uris": all.flatMap((application) => redirectUriFindings(application, { isDevelopment })),
    clients: await examineClients(ctx, all, options),
    ...(all.some(hasOrganizations) && {
      organizations: [
        ...ownerlessFindings(await listOwnerless(ctx.storage.reader, { limit: 20 })),
        ...domainFindings(await listTroubled(ctx.storage.reader, 20)),
        ...organizationProviderFindings(await listFailed(ctx.storage.reader, 20)),
        ...oldReaderFindings(await listOldReaders(ctx.storage.reader, ctx.clock() - oldReadersAreKept)),
      ],
    }),
    webhooks: webhookFindings(await webhooks.list(ctx)),
    ...(isDevelopment ? {} : { development: await development(ctx) }),
  };
}
