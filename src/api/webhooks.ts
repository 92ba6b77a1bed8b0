import { z } from "zod";
import type { Application } from "../applications/application.ts";
import type { HttpRequest } from "../http/request.ts";
import { second } from "../lib/clock.ts";
import * as webhooks from "../records/webhooks/service.ts";
import type { EndpointCall, TestAnswer } from "../records/webhooks/service.ts";
import { eventKinds } from "../storage/column-types.ts";
import { at, done } from "./answers.ts";
import { address, flag, instant, number, text } from "./fields.ts";
import { byManager, type Managed } from "./management-guards.ts";
import { named, operation } from "./operation.ts";

function callOf(request: HttpRequest, application: Managed): EndpointCall {
  return { ...byManager(request, application), appId: application.id };
}

const noSuchEndpoint = { code: "INVALID_REQUEST", status: 404, when: "The application has no such endpoint." } as const;

const kind = { about: "A kind of event.", enum: eventKinds };
const url = { about: "An https URL on a public address.", format: "uri", maxLength: 2048 };
const secret = { minLength: 16, maxLength: 256 };
const string = z.string("required, a string");
const events = z.array(z.string("must be a string"), "required, a list of event kinds").max(32, "at most 32");

export const eventKind = named("WebhookEventKind", "The kind of event.", () => z.enum(eventKinds));

const endpoint = named(
  "WebhookEndpoint",
  "A webhook endpoint.",
  () =>
    z.strictObject({
      id: text("`whe_…`"),
      appId: text("The App ID of its application."),
      url: address("Where deliveries are sent."),
      events: z.array(eventKind.schema).describe("The events that it receives."),
      enabled: flag("Whether deliveries are sent."),
      disabledReason: z
        .enum(["operator", "gone", "failing"])
        .nullable()
        .describe(
          "Why it is disabled: by the operator, because it responded with 410, or because it failed for five days.",
        ),
      failingSince: instant("Since when every delivery has failed.").nullable(),
      oldSecretUntil: instant("Until then, deliveries are also signed with the previous secret.").nullable(),
      createdAt: instant("When it was registered."),
      updatedAt: instant("When it was last changed."),
    }),
  {
    id: "whe_01m839jdv3c4d6e8f0g1h3j5k7",
    appId: "app_shop",
    url: "https://shop.example.com/hooks/auth",
    events: ["user.login", "user.created"],
    enabled: true,
    disabledReason: null,
    failingSince: null,
    oldSecretUntil: null,
    createdAt: at,
    updatedAt: at,
  },
);

export const createWebhookEndpoint = operation({
  id: "createWebhookEndpoint",
  tag: "Webhooks",
  summary: "Register an endpoint",
  description: "It receives events from then on. Deliveries are signed with the secret.",
  body: {
    name: "WebhookEndpointRequest",
    schema: z.strictObject({ url: string, events, secret: string }),
    fields: {
      url,
      events: { about: "The events that it receives.", minItems: 1, items: kind },
      secret: {
        about: "Signs every delivery. Never shown again. `whsec_` and base64, or any other text.",
        ...secret,
      },
    },
    example: {
      url: "https://shop.example.com/hooks/auth",
      events: ["user.login", "user.created"],
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    },
  },
  answer: { status: 201, schema: endpoint, about: "Registered. The secret is never shown." },
  handle: (ctx, request, application: Managed, body) =>
    webhooks.create(ctx, application.id, body, callOf(request, application)),
});

export const listWebhookEndpoints = operation({
  id: "listWebhookEndpoints",
  tag: "Webhooks",
  summary: "List the endpoints of the application",
  description: "Includes disabled ones. Secrets are never shown.",
  answer: {
    schema: named(
      "WebhookEndpoints",
      "The endpoints of an application.",
      () => z.strictObject({ endpoints: z.array(endpoint.schema).describe("Oldest first.") }),
      { endpoints: [endpoint.example] },
    ),
    about: "Oldest first.",
  },
  handle: async (ctx, _request, { id }: Application) => ({ endpoints: await webhooks.list(ctx, id) }),
});

export const getWebhookEndpoint = operation({
  id: "getWebhookEndpoint",
  tag: "Webhooks",
  summary: "Read an endpoint",
  description: "Includes its state: whether it is enabled, and since when it has been failing.",
  answer: { schema: endpoint, about: "The endpoint." },
  errors: [noSuchEndpoint],
  handle: (ctx, request, application: Managed) =>
    webhooks.get(ctx, request.parameter("id"), callOf(request, application)),
});

export const updateWebhookEndpoint = operation({
  id: "updateWebhookEndpoint",
  tag: "Webhooks",
  summary: "Change an endpoint, or its secret",
  description:
    "Omitted fields stay as they are. After a change of the secret, deliveries are signed with both secrets for a while.",
  body: {
    name: "WebhookEndpointChange",
    schema: z.strictObject({
      url: z.string("must be a string").optional(),
      events: events.optional(),
      enabled: z.boolean("must be a boolean").optional(),
      secret: z.string("must be a string").optional(),
      secretOverlapSeconds: z.int("must be a whole number").optional(),
    }),
    fields: {
      url,
      events: { about: "Replaces the list.", minItems: 1, items: kind },
      enabled: "Whether events are sent. True also restarts an endpoint that was disabled for its failures.",
      secret: { about: "A new secret; see `secretOverlapSeconds`.", ...secret },
      secretOverlapSeconds: {
        about: "How long the previous secret also signs. Only with `secret`; default one day.",
        minimum: 0,
        maximum: 2_592_000,
      },
    },
    example: { events: ["user.login"], enabled: true },
  },
  answer: { schema: endpoint, about: "The endpoint after the change." },
  errors: [noSuchEndpoint],
  handle(ctx, request, application: Managed, { secretOverlapSeconds, ...change }) {
    const secretOverlap = secretOverlapSeconds === undefined ? undefined : secretOverlapSeconds * second;
    const id = request.parameter("id");
    return webhooks.update(ctx, id, { ...change, secretOverlap }, callOf(request, application));
  },
});

export const removeWebhookEndpoint = operation({
  id: "removeWebhookEndpoint",
  tag: "Webhooks",
  summary: "Remove an endpoint and its waiting deliveries",
  description: "Waiting deliveries are not sent.",
  answer: { schema: done, about: "Removed." },
  errors: [noSuchEndpoint],
  async handle(ctx, request, application: Managed) {
    await webhooks.remove(ctx, request.parameter("id"), callOf(request, application));
    return { success: true, message: "The webhook endpoint was removed." };
  },
});

export const testWebhookEndpoint = operation({
  id: "testWebhookEndpoint",
  tag: "Webhooks",
  summary: "Send a sample to an endpoint",
  description: "Sends a sample event at once, and returns the receiver's response.",
  body: {
    name: "WebhookTestRequest",
    schema: z.strictObject({ event: z.string("must be a string").optional() }),
    optional: true,
    fields: {
      event: { ...kind, about: "The kind of the sample. Default: the first kind that the endpoint receives." },
    },
    example: { event: "user.created" },
  },
  answer: {
    schema: named(
      "WebhookTestResult",
      "The result of a sample delivery.",
      () =>
        z.strictObject({
          delivered: flag("Whether the receiver answered with 2xx."),
          event: eventKind.schema,
          eventId: text("The `webhook-id` of the sample, `evt_test_…`."),
          status: number("The receiver's HTTP status.").nullable(),
          durationMilliseconds: number("How long the receiver took."),
          error: text("Why it was not delivered.").nullable(),
        }),
      {
        delivered: true,
        event: "user.login",
        eventId: "evt_test_01m839jdtc2e4g6j8m0p2r4t6v",
        status: 204,
        durationMilliseconds: 84,
        error: null,
      },
    ),
    about: "The receiver's response.",
  },
  errors: [noSuchEndpoint],
  async handle(ctx, request, application: Managed, { event }) {
    // Waits for the receiver, whose time is in the answer.
    const test = webhooks.test(ctx, request.parameter("id"), callOf(request, application), event);
    return shownToApps(await request.waitFor(test));
  },
});

/**
 * Omits the receiver's words and the reason of a failed connection: neither may be used to explore
 * our network.
 */
function shownToApps({ delivered, event, eventId, status, durationMilliseconds, error }: TestAnswer) {
  const coarse = status === null && error !== null ? "no response from a public address" : error;
  return { delivered, event, eventId, status, durationMilliseconds, error: coarse };
}
