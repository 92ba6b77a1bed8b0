import { z } from "zod";
import { factsOn, labelsOf } from "../../lib/profile-facts.ts";
import { eventKinds, type EventKind } from "../../storage/column-types.ts";
import { at } from "../answers.ts";
import { instant, text } from "../fields.ts";
import { named } from "../operation.ts";
import { eventKind } from "../webhooks.ts";
import type { Json } from "./schemas.ts";

const when: Record<EventKind, string> = {
  "user.login": "A code was exchanged for tokens.",
  "user.logout": "A login has ended: by a sign-out, a changed password, a removed method, or with the account.",
  "user.created": "An account was created; with approval, once it is approved.",
  "user.pending": "Somebody signed up, and waits for approval.",
  "user.updated": `A user's ${labelsOf(factsOn("server")).join(", ")}, email address, password, metadata or groups changed, or the address was verified.`,
  "user.deleted": "An account was deleted.",
  "user.terms": "A user accepted the application's terms.",
  "method.added": "A user has added a way to sign in.",
  "method.removed": "A user has removed a way to sign in.",
  "login.failed": "A sign-in was refused.",
  "token.reuse": "A refresh token was used again, after its successor was used. Its login has ended.",
  "personal-token.created": "A user made a personal access token.",
  "personal-token.ended":
    "A personal access token ended before its time: by its owner, an operator, or with a change of the account.",
  "organization.created": "An organization was created.",
  "organization.updated": "An organization's name, slug or settings changed.",
  "organization.deleted": "An organization was deleted.",
  "organization.ownerless": "An organization has no owner any more who is not disabled.",
  "organization.member.added": "A user became a member of an organization.",
  "organization.member.updated": "The roles of a member changed.",
  "organization.member.removed": "A member left an organization, or was removed.",
  "organization.domain.proved": "An organization proved a domain.",
  "organization.domain.lost": "A domain counts for an organization no more.",
  "organization.provider.updated": "The provider of an organization was set, changed or removed.",
};

const eventData = named("WebhookEventData", "Always has the first six fields; those that do not apply are null.", () =>
  z.strictObject({
    userId: text("`usr_…`; null if the user is unknown.").nullable(),
    email: z.email().nullable().describe("The user's email address, as long as the user exists."),
    authMethod: z
      .enum(["passkey", "oauth", "password", "emailCode"])
      .nullable()
      .describe("The sign-in method, if known. `emailCode`: a code mailed to the address."),
    ipAddress: text("The user's IP address, if known.").nullable(),
    userAgent: text("The user's browser (`User-Agent`), if known.").nullable(),
    sessionId: text("The login, `lgn_…`: the `sid` of its access tokens.").nullable(),
    organizationId: text("The organization, `org_…`: only of `organization.…` events.").optional(),
    roles: z.array(text("A role.")).nullable().describe("The roles of the member, if it is about one.").optional(),
  }),
);

/** The body of a webhook; in the document, each kind has its own `event`. */
export const webhookEvent = named(
  "WebhookEvent",
  "The body of a webhook.",
  () =>
    z.strictObject({
      event: eventKind.schema,
      timestamp: instant("When it happened."),
      data: eventData.schema,
    }),
  {
    event: "user.login",
    timestamp: at,
    data: {
      userId: "usr_01m839jdta2je02g4aajdct527",
      email: "ada@example.com",
      authMethod: "passkey",
      ipAddress: "192.0.2.7",
      userAgent: "Mozilla/5.0",
      sessionId: "lgn_01m839jdtag4pt38q71qh7yc8r",
    },
  },
);

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

const parameters = [
  header("webhook-id", "The id of the event, `evt_…`: the same for every attempt. Deliveries can repeat."),
  header("webhook-timestamp", "When this attempt was sent, in Unix time (seconds)."),
  header(
    "webhook-signature",
    "`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64. Several are separated by spaces.",
  ),
];

/** The deliveries to an application's endpoints (Standard Webhooks). */
export function webhooks(): Json {
  return Object.fromEntries(eventKinds.map((kind) => [kind, { post: delivery(kind) }]));
}

function delivery(kind: EventKind): Json {
  return {
    operationId: `on${kind.replaceAll(/(?:^|\.)(\w)/gu, (_, letter: string) => letter.toUpperCase())}`,
    // A separate tag: generators write one file per tag and would overwrite that of the calls.
    tags: ["Events"],
    summary: when[kind].replace(/[.:].*$/su, ""),
    description: `${when[kind]} Signed as in Standard Webhooks. Delivered at least once, in no particular order.`,
    security: [],
    parameters,
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/WebhookEvent" },
          example: { ...webhookEvent.example, event: kind },
        },
      },
    },
    responses: {
      "2XX": { description: "Received. Any other answer is retried for about three days." },
      410: { description: "The endpoint is gone: nothing more is sent to it." },
    },
  };
}
