/** The data of a page about one person. What refuses a sign-in is asked of what refuses it. */
import * as signUpRules from "../../applications/sign-up/rules.ts";
import type { Application } from "../../applications/application.ts";
import type { ClientAnswer } from "../../applications/clients/client.ts";
import { isShutByDefault } from "../../applications/clients/client.ts";
import * as clients from "../../applications/clients/service.ts";
import * as applications from "../../applications/service.ts";
import * as invites from "../../credentials/mailed/invites.ts";
import * as passkeys from "../../credentials/passkeys/service.ts";
import { passwordAttempts } from "../../credentials/passwords/attempts.ts";
import * as passwords from "../../credentials/passwords/service.ts";
import { answerFor, type FactorAnswer } from "../../factors/answer.ts";
import * as factors from "../../factors/service.ts";
import type { PersonalToken } from "../../credentials/personal/rules.ts";
import * as personalTokens from "../../credentials/personal/service.ts";
import * as trustedBrowsers from "../../factors/trusted-browsers.ts";
import type { TrustedBrowserAnswer } from "../../factors/trusted-browsers.ts";
import type { Method } from "../../credentials/methods/method.ts";
import * as methods from "../../credentials/methods/service.ts";
import { day, minute, second } from "../../lib/clock.ts";
import { userNotFound } from "../../lib/errors.ts";
import * as pictures from "../../pictures/service.ts";
import type { ShownPicture } from "../../pictures/service.ts";
import { networkOf } from "../../lib/networks.ts";
import type { AuditRow } from "../../records/audit/store.ts";
import type { SentMail } from "../../records/mail/sent-store.ts";
import { listAllMemberships } from "../../organizations/membership-store.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as logins from "../../sessions/login-administration.ts";
import type { LoginAnswer } from "../../sessions/login-administration.ts";
import * as grants from "../../sign-in/grants.ts";
import type { Grant } from "../../sign-in/grants.ts";
import { factorStep, stepAfter, type Step } from "../../sign-in/steps.ts";
import type { SignInMethod } from "../../storage/column-types.ts";
import * as groups from "../../users/groups/service.ts";
import * as userListings from "../../users/listing.ts";
import { wasRefused } from "../../people/approval.ts";
import * as terms from "../../users/terms.ts";
import type { TermsAnswerShown } from "../../users/terms.ts";
import { isPending, type User } from "../../users/user.ts";
import type { Visit } from "../route.ts";
import { sees } from "../scope.ts";
import { findLastMail, listRefusals, type LastMail } from "./time-line-store.ts";

/** Of the live ones, the newest; further ones are counted. */
export const maxLogins = 50;

/** Why a way is closed. `isPartial`: another browser or network, or a passkey, still gets in. */
export type Obstacle = { isPartial: boolean } & (
  | { kind: "password"; failures: number; until: number; inKnownBrowser: boolean }
  | { kind: "network"; network: string; until: number }
  | { kind: "codes"; until: number | null }
  | { kind: "mail"; since: number }
  | { kind: "no-passkeys" }
);

/** A method that works, what follows it, and what closes it now. */
export type Way = { method: SignInMethod; next: Step; obstacles: Obstacle[] };

/** What people sign in to: the application itself, or one of its clients. */
export type Program = { client: Pick<ClientAnswer, "id" | "name" | "disabledAt" | "allowedGroups">; ways: Way[] } & {
  isAdmitted: boolean;
};

export type Person = {
  user: User;
  application: Application;
  methods: { method: Method; works: boolean; isRemovable: boolean }[];
  ways: Way[];
  programs: Program[];
  /** There are more than `programs`. */
  hasMorePrograms: boolean;
  isFactorRequired: boolean;
  factor: FactorAnswer;
  /** Whether passwords or codes are refused after wrong ones. */
  isBlocked: boolean;
  /** Whether their password must be replaced. */
  mustChange: boolean;
  /** They wait for approval, and were refused before. */
  wasRefused: boolean;
  /** Until when their invitation works. */
  invitedUntil: number | undefined;
  logins: LoginAnswer[];
  trustedBrowsers: TrustedBrowserAnswer[];
  /** Live ones. */
  tokens: PersonalToken[];
  groups: string[];
  organizations: Awaited<ReturnType<typeof listAllMemberships>>;
  grants: Grant[];
  sendsMail: boolean;
  /** Undefined if none was uploaded. */
  picture: ShownPicture | undefined;
  terms: TermsAnswerShown[];
  refusals: AuditRow[];
  lastMail: LastMail | undefined;
  /** The newest of 30 days. */
  sentMails: SentMail[];
  /** Those with the same address in other applications that the operator may see. */
  elsewhere: { id: string; application: string }[];
};

const maxPrograms = 50;
/** How far back the last refusals and the last mail are looked for. */
const lookBack = 30 * day;
const shownRefusals = 3;
const shownMails = 10;

/** After `timeLineOf`, which writes the refusals counted in memory. Throws USER_NOT_FOUND. */
export async function examine(ctx: Context, visit: Visit, user: User): Promise<Person> {
  const { reader } = ctx.storage;
  const { id, appId } = user;
  const application = await applications.find(ctx, reader, appId);
  if (!application) throw userNotFound();
  const since = ctx.clock() - lookBack;
  const [itsMethods, factor, live, trusted, itsGroups, itsGrants, allClients, demand, picture] = await Promise.all([
    methods.examined(ctx, user),
    answerFor(reader, id),
    logins.list(ctx, id, { all: false }),
    trustedBrowsers.list(ctx, id),
    groups.ofUser(reader, id),
    grants.list(ctx, id),
    clients.list(ctx, appId),
    factors.demandOn(reader, application, id),
    pictures.shownOf(ctx, { userId: id }),
  ]);
  const mustChange = (await passwords.markOf(reader, id)) !== undefined;
  const [passwordBlocks, codeBlock, mailFailsSince, invitedUntil, refusals, lastMail, sentMails, others] =
    await Promise.all([
      passwords.blocksOf(ctx, reader, user),
      factors.blockOf(ctx, reader, id),
      mail.failingSince(ctx, appId),
      invites.openUntil(ctx, reader, id),
      listRefusals(reader, id, { since, limit: shownRefusals }),
      findLastMail(reader, id, since),
      mail.sent(ctx, { userId: id, limit: shownMails }),
      user.email === null ? [] : userListings.allByEmail(ctx, user.email, undefined),
    ]);
  const working = itsMethods.filter(({ works }) => works).map(({ method }) => method.type);
  const sendsMail = mail.available(ctx);
  const signsInByMail = applications.allows(application, "emailCode", null) && sendsMail && user.email !== null;
  const methodsThatWork: SignInMethod[] = [...new Set(working), ...(signsInByMail ? (["emailCode"] as const) : [])];
  const hasPasskey =
    application.authMethods.passkey.enabled && itsMethods.some(({ method }) => method.type === "passkey");
  const shutNetworks = await shutNetworksOf(ctx, refusals);
  const closing = { passwordBlocks, shutNetworks, codeBlock, mailFailsSince, hasPasskey, now: ctx.clock() };
  const proves = signUpRules.mustProve(application.settings, user);
  const waysWhere = (isRequired: boolean): Way[] =>
    methodsThatWork.map((method) => {
      const { hasFactor } = demand;
      const next = stepFor(application, method, { isRequired, hasFactor, hasPasskey, mustChange, mustProve: proves });
      return { method, next, obstacles: obstaclesTo({ method, next }, closing, passkeys.available(ctx)) };
    });
  // Nobody signs in to a machine.
  const forPeople = allClients.filter(({ kind }) => kind !== "machine");
  const programs = forPeople.slice(0, maxPrograms).map(async (client): Promise<Program> => {
    const [isAdmitted, { isRequired }] = await Promise.all([
      !isShutByDefault(application, client) && groups.admits(reader, client, id),
      factors.demandOn(reader, application, id, client.id),
    ]);
    return { client, isAdmitted, ways: waysWhere(isRequired) };
  });
  return {
    user,
    application,
    methods: itsMethods,
    ways: waysWhere(demand.isRequired),
    programs: await Promise.all(programs),
    hasMorePrograms: forPeople.length > maxPrograms,
    isFactorRequired: demand.isRequired,
    factor,
    wasRefused: isPending(user) && (await wasRefused(ctx, reader, user)),
    isBlocked: passwordBlocks.all.length > 0 || codeBlock !== undefined,
    mustChange,
    invitedUntil,
    logins: await withOpened(ctx, visit, id, live),
    trustedBrowsers: trusted,
    tokens: await personalTokens.list(ctx, id, { all: false }),
    groups: itsGroups,
    organizations: await listAllMemberships(reader, id),
    grants: itsGrants,
    sendsMail,
    refusals,
    lastMail,
    sentMails,
    elsewhere: await seenElsewhere(
      ctx,
      visit,
      others.filter((other) => other.id !== id),
    ),
    picture,
    terms: await terms.list(reader, id),
  };
}

/** The next step after this method, by the function that decides it at a sign-in. */
function stepFor(
  application: Application,
  signedInWith: SignInMethod,
  has: { isRequired: boolean; hasFactor: boolean; hasPasskey: boolean; mustChange: boolean; mustProve: boolean },
): Step {
  const { isRequired, hasFactor, hasPasskey } = has;
  const proven = { signedInWith, proofs: null, secondFactor: null };
  const missing = factorStep(proven, { isRequired, hasFactor, takesTrust: false }, hasPasskey);
  const factor = missing === "unmet" ? undefined : missing;
  const facts = {
    signedInWith,
    hasPasskey,
    mayOffer: false,
    factor,
    isLate: false,
    mustProve: has.mustProve && signedInWith !== "emailCode",
    isTrusted: false,
    mustChange: has.mustChange && signedInWith === "password",
    recovers: false,
  };
  return stepAfter("sign-in", application, facts);
}

type ShutNetwork = { network: string; until: number };

type Closing = {
  passwordBlocks: passwords.Blocks;
  shutNetworks: ShutNetwork[];
  codeBlock: factors.TryRefusal | undefined;
  mailFailsSince: number | undefined;
  hasPasskey: boolean;
  now: number;
};

function obstaclesTo(
  { method, next }: Pick<Way, "method" | "next">,
  { passwordBlocks, shutNetworks, codeBlock, mailFailsSince, hasPasskey, now }: Closing,
  passkeysAvailable: boolean,
): Obstacle[] {
  const found: Obstacle[] = [];
  if (method === "password") {
    const { all, knownBrowsers, ofKnown } = passwordBlocks;
    for (const block of all) {
      const { failures, blockedUntil: until } = block;
      const inKnownBrowser = ofKnown.includes(block);
      const isPartial = inKnownBrowser || knownBrowsers > ofKnown.length;
      found.push({ kind: "password", failures, until, inKnownBrowser, isPartial });
    }
    for (const shut of shutNetworks) found.push({ kind: "network", ...shut, isPartial: true });
  }
  if (method === "emailCode" && mailFailsSince !== undefined)
    found.push({ kind: "mail", since: mailFailsSince, isPartial: false });
  if (next === "second-factor" && codeBlock) {
    const until = codeBlock.kind === "too-many-tries" ? now + codeBlock.retryAfterSeconds * second : null;
    found.push({ kind: "codes", until, isPartial: hasPasskey });
  }
  if ((next === "use-passkey" || next === "create-passkey") && !passkeysAvailable)
    found.push({ kind: "no-passkeys", isPartial: false });
  return found;
}

/** Those that the last refusals came from, and from which no password is checked in this minute. */
async function shutNetworksOf(ctx: Context, refusals: AuditRow[]): Promise<ShutNetwork[]> {
  const recent = refusals.filter(({ at }) => at > ctx.clock() - minute);
  const networks = new Set(recent.flatMap(({ ipAddress }) => (ipAddress === null ? [] : networkOf(ipAddress))));
  const found = [...networks].map(async (network): Promise<ShutNetwork[]> => {
    const { exceeded, resetAt } = await passwordAttempts(ctx).wouldExceed(network);
    return exceeded ? [{ network, until: resetAt * second }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** The live logins, and the one that the address opens, whether it ended or not. */
async function withOpened(ctx: Context, visit: Visit, userId: string, live: LoginAnswer[]): Promise<LoginAnswer[]> {
  const open = visit.request.query().get("open") ?? "";
  if (!open.startsWith("lgn_")) return live;
  const login = live.find(({ id }) => id === open) ?? (await logins.find(ctx, open));
  if (login?.userId !== userId) return live;
  const rest = live.filter(({ id }) => id !== open);
  const at = live.findIndex(({ id }) => id === open);
  return at >= 0 && at < maxLogins ? live : [login, ...rest];
}

async function seenElsewhere(ctx: Context, visit: Visit, others: { id: string; appId: string }[]) {
  const seen = others.filter(({ appId }) => sees(visit, appId));
  const found = await Promise.all(
    seen.map(async ({ appId }) => await applications.find(ctx, ctx.storage.reader, appId)),
  );
  return seen.map(({ id, appId }, at) => ({ id, application: found[at]?.name ?? appId }));
}
