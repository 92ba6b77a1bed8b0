import { z } from "zod";
import type { Application } from "../applications/application.ts";
import { json } from "../http/answer.ts";
import { byServer, type HttpRequest } from "../http/request.ts";
import { second } from "../lib/clock.ts";
import * as webhooks from "../records/webhooks/service.ts";
import type { EndpointCall, TestAnswer } from "../records/webhooks/service.ts";
import type { Context } from "../runtime/context.ts";

const text = z.string("required, a string");
const events = z.array(z.string("must be a string"), "required, a list of event kinds").max(32, "at most 32");

/** The body of POST /webhooks/endpoints (docs/spec/http-api.md, 2.5). */
export const newEndpointBody = z.strictObject({ url: text, events, secret: text });

export const endpointChangeBody = z.strictObject({
  url: z.string("must be a string").optional(),
  events: events.optional(),
  enabled: z.boolean("must be a boolean").optional(),
  secret: z.string("must be a string").optional(),
  /** How long the previous secret also signs after a new one. */
  secretOverlapSeconds: z.int("must be a whole number").optional(),
});

export const endpointTestBody = z.strictObject({ event: z.string("must be a string").optional() });

function callOf(request: HttpRequest, application: Application): EndpointCall {
  return { ...byServer(request, application), appId: application.id };
}

/** POST /webhooks/endpoints */
export async function createEndpointHandler(ctx: Context, request: HttpRequest, application: Application) {
  const body = await request.json(newEndpointBody);
  return json(await webhooks.create(ctx, application.id, body, callOf(request, application)), 201);
}

/** GET /webhooks/endpoints */
export async function listEndpointsHandler(ctx: Context, _request: HttpRequest, { id }: Application) {
  return json({ endpoints: await webhooks.list(ctx, id) });
}

/** GET /webhooks/endpoints/{id} */
export async function endpointHandler(ctx: Context, request: HttpRequest, application: Application) {
  return json(await webhooks.get(ctx, request.parameter("id"), callOf(request, application)));
}

/** PATCH /webhooks/endpoints/{id} */
export async function updateEndpointHandler(ctx: Context, request: HttpRequest, application: Application) {
  const { secretOverlapSeconds, ...change } = await request.json(endpointChangeBody);
  const secretOverlap = secretOverlapSeconds === undefined ? undefined : secretOverlapSeconds * second;
  const id = request.parameter("id");
  return json(await webhooks.update(ctx, id, { ...change, secretOverlap }, callOf(request, application)));
}

/** DELETE /webhooks/endpoints/{id} */
export async function removeEndpointHandler(ctx: Context, request: HttpRequest, application: Application) {
  await webhooks.remove(ctx, request.parameter("id"), callOf(request, application));
  return json({ success: true, message: "The webhook endpoint was removed." });
}

/** POST /webhooks/endpoints/{id}/test */
export async function testEndpointHandler(ctx: Context, request: HttpRequest, application: Application) {
  const { event } = await request.optionalJson(endpointTestBody);
  // Waits for the receiver, whose time is in the answer.
  const test = webhooks.test(ctx, request.parameter("id"), callOf(request, application), event);
  return json(shownToApps(await request.waitFor(test)));
}

/**
 * Omits the receiver's words and the reason of a failed connection: neither may be used to explore
 * our network.
 */
function shownToApps({ delivered, event, eventId, status, durationMilliseconds, error }: TestAnswer) {
  const coarse = status === null && error !== null ? "no response from a public address" : error;
  return { delivered, event, eventId, status, durationMilliseconds, error: coarse };
}
