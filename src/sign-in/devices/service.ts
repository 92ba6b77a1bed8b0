/** Sign-ins on devices that have no browser (RFC 8628, docs/decisions/0059). */
import type { UsableClient } from "../../applications/clients/client.ts";
import * as clients from "../../applications/clients/service.ts";
import { countWaiting } from "../../applications/clients/waiting.ts";
import { formsOf, type Resource } from "../../applications/resources/resource.ts";
import { day, isOver, second } from "../../lib/clock.ts";
import { oauthError } from "../../lib/errors.ts";
import { digestOf, newSecret } from "../../lib/random.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { rateLimits } from "../../rate-limits/service.ts";
import { aggregatedEvents } from "../../records/audit/aggregated-events.ts";
import * as audit from "../../records/audit/audit.ts";
import { part, type Context } from "../../runtime/context.ts";
import { demanded } from "../organization-choice.ts";
import * as signIn from "../service.ts";
import type { NewSession } from "../service.ts";
import { sessionLasts, waitsForConsent } from "../session.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";
import {
  countWrongTry,
  denyDeviceRequest,
  findWaiting,
  insertDeviceRequest,
  lockDeviceRequest,
  recordPoll,
  sweepDeviceRequests,
  type DeviceRequest,
} from "./store.ts";
import { firstHalf, newUserCode, shownUserCode } from "./user-code.ts";

const pollSeconds = 5;
const slowerBySeconds = 5;
/** A poll that was sent in time may arrive early, at a node whose clock is late. */
const earlyBy = second;
/** The last of these wrong codes expires the codes that they nearly match. */
const maxWrongTries = 10;
const wrongCodesPerMinute = 10;
/** A second use of a device code ends its login. */
const allowedAreKept = day;
/** A device that polls late is still told why there will be no login. */
const othersAreKept = sessionLasts;

/** Wrong user codes of a network. */
const wrongCodes = part((ctx: Context) => rateLimits(ctx).attempts("user-code", wrongCodesPerMinute));

/** The response to a device. Only digests of the codes are stored. */
export type Begun = { deviceCode: string; userCode: string; expiresIn: number; interval: number };

/** `allowed`: the digest of the device code. */
export type Polled = "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | { allowed: string };

function codeDigests({ keyring }: Context, userCode: string): Pick<DeviceRequest, "userCodeDigest" | "nearDigest"> {
  return {
    userCodeDigest: keyring.mac("device", userCode).toString("base64url"),
    nearDigest: keyring.mac("device", firstHalf(userCode)).toString("base64url"),
  };
}

/** Begins a sign-in for a device. Throws RATE_LIMITED. */
export async function begin(
  ctx: Context,
  {
    client,
    application,
    scopes,
    resource,
    organization,
  }: UsableClient & { scopes: string[]; resource: Resource | null; organization: string | undefined },
  { ipAddress, userAgent }: RequestSource,
): Promise<Begun> {
  await countWaiting(ctx, "device request", { appId: application.id, clientId: client.id });
  const now = ctx.clock();
  const deviceCode = newSecret(ctx.random);
  const asked = {
    digest: digestOf(deviceCode),
    appId: application.id,
    clientId: client.id,
    scopes,
    resource: resource?.identifier ?? null,
    organizationId: await demanded(ctx.storage.reader, application, organization),
    ipAddress,
    userAgent,
    createdAt: now,
    expiresAt: now + sessionLasts,
    intervalSeconds: pollSeconds,
    polledAt: null,
    wrongTries: 0,
    allowedAt: null,
    deniedAt: null,
  };
  for (;;) {
    const userCode = newUserCode(ctx.random);
    const request = { ...asked, ...codeDigests(ctx, userCode) };
    if (await ctx.storage.write((tx) => insertDeviceRequest(tx, request)))
      return {
        deviceCode,
        userCode: shownUserCode(userCode),
        expiresIn: sessionLasts / second,
        interval: pollSeconds,
      };
  }
}

/**
 * The outcome of this client's request; undefined if it has none with this code. `resource`: must
 * be the request's, or nothing is written. Throws INVALID_REQUEST.
 */
export async function poll(
  ctx: Context,
  { deviceCode, clientId, resource }: { deviceCode: string; clientId: string; resource: string | undefined },
): Promise<Polled | undefined> {
  const now = ctx.clock();
  const digest = digestOf(deviceCode);
  return await ctx.storage.write<Polled | undefined>(async (tx) => {
    const request = await lockDeviceRequest(tx, { digest, clientId });
    if (!request) return undefined;
    if (resource !== undefined && !formsOf(resource).includes(request.resource ?? ""))
      throw oauthError("invalid_target", "resource: not the one of the device's request");
    if (request.allowedAt !== null) return { allowed: digest };
    if (request.deniedAt !== null) return "access_denied";
    if (isOver(request.expiresAt, sessionLasts, now)) return "expired_token";
    const { polledAt, intervalSeconds: before } = request;
    const isEarly = polledAt !== null && now - polledAt < before * second - earlyBy;
    const intervalSeconds = isEarly ? before + slowerBySeconds : before;
    await recordPoll(tx, { digest, clientId, intervalSeconds, polledAt: now });
    return isEarly ? "slow_down" : "authorization_pending";
  });
}

/**
 * A session in which a person decides about the request with this user code; it is not stored yet.
 * Undefined for a wrong code, which is counted. Throws RATE_LIMITED.
 */
export async function enter(
  ctx: Context,
  userCode: string,
  { network, source }: { network: string; source: RequestSource },
): Promise<NewSession | undefined> {
  const now = ctx.clock();
  const { userCodeDigest, nearDigest } = codeDigests(ctx, userCode);
  const attempt = wrongCodes(ctx).admit(network);
  try {
    const { request, counted } = await ctx.storage.write(async (tx) => {
      const counted = await attempt.count(tx);
      const request = counted.exceeded ? undefined : await findWaiting(tx, userCodeDigest, now);
      if (request) await attempt.giveBack(tx);
      else if (!counted.exceeded) await countWrongTry(tx, { nearDigest, most: maxWrongTries }, now);
      return { request, counted };
    });
    if (request) return await sessionFor(ctx, request, now);
    attempt.fail();
    aggregatedEvents(ctx).note({ action: "device.code", result: "failure", app: { id: null }, source, details: {} });
    wrongCodes(ctx).refuseExceeded(counted);
    return undefined;
  } finally {
    attempt.end();
  }
}

async function sessionFor(ctx: Context, request: DeviceRequest, now: number): Promise<NewSession | undefined> {
  const registration = await clients.find(ctx, ctx.storage.reader, request.clientId);
  const isOpen = registration?.client.deviceGrant === true && !isOver(request.expiresAt, sessionLasts, now);
  return isOpen ? signIn.newForDevice(ctx, registration.application, request) : undefined;
}

/** The person's no to the request of a session. False if it was decided before, or is over. */
export async function deny(ctx: Context, { session, source }: Pick<SignInAttempt, "session" | "source">) {
  const { authorization, provenUserId: userId, appId } = session;
  const { device, clientId } = authorization ?? {};
  if (device === undefined || clientId === undefined || userId === null || !waitsForConsent(session)) return false;
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    if (!(await denyDeviceRequest(tx, device, now))) return false;
    const by = { actor: { kind: "user", name: userId }, source } as const;
    const event = { ...by, action: "device.deny", result: "success", appId, userId, details: { clientId } } as const;
    await audit.record(ctx, tx, event, now);
    return true;
  });
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  const before = { allowedBefore: now - allowedAreKept, othersBefore: now - othersAreKept };
  return await ctx.storage.write((tx) => sweepDeviceRequests(tx, before));
}
