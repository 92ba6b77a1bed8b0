import { z } from "zod";
import { ownFile } from "../applications/related-origins.ts";
import { AppError } from "../lib/errors.ts";
import { json, seeOther, type Answer } from "../http/answer.ts";
import { part, type Context } from "../runtime/context.ts";
import { address, text } from "./fields.ts";
import { named, operation, type Operation } from "./operation.ts";

/**
 * https://www.w3.org/TR/passkey-endpoints/: where password managers send people to create or manage
 * a passkey. It cannot name the application; the account page finds it.
 */
export const getPasskeyEndpoints = operation({
  id: "getPasskeyEndpoints",
  tag: "Service",
  summary: "Read where users manage their passkeys",
  description: "The W3C's well-known URL for passkey endpoints, for password managers.",
  answer: {
    schema: named(
      "PasskeyEndpoints",
      "For password managers.",
      () =>
        z.strictObject({
          enroll: address("The page for adding a passkey."),
          manage: address("The page for managing passkeys."),
        }),
      { enroll: "https://auth.example.com/account", manage: "https://auth.example.com/account" },
    ),
    about: "The account page.",
  },
  handle: ({ baseUrl }) => ({ enroll: `${baseUrl}/account`, manage: `${baseUrl}/account` }),
});

/** WebAuthn §5.11: which other origins may use the passkeys of the service's host. */
export const getRelatedOrigins = operation({
  id: "getRelatedOrigins",
  tag: "Service",
  summary: "Read which origins may use the passkeys of this host",
  description:
    "WebAuthn's well-known URL for related origins, for browsers. Only if the `domain` of an application with related origins is the service's host.",
  answer: {
    schema: named(
      "RelatedOrigins",
      "For browsers.",
      () => z.strictObject({ origins: z.array(z.string()).describe("Origins that may use the passkeys.") }),
      { origins: ["https://shop.example"] },
    ),
    about: "The application's related origins.",
  },
  errors: [{ code: "INVALID_REQUEST", status: 404, when: "No application here has related origins for this host." }],
  async handle(ctx) {
    const file = await ownFile(ctx)();
    if (!file) throw new AppError("UNKNOWN_PATH", "This path does not exist.");
    return file;
  },
});

const health = named(
  "Health",
  "The state of the service.",
  () =>
    z.strictObject({
      status: z.enum(["ok", "ready", "degraded", "unavailable"]).describe("The state."),
      reason: text("With `degraded`: why the database is not writable.").optional(),
    }),
  { status: "ok" },
);

export const getHealth = operation({
  id: "getHealth",
  tag: "Service",
  summary: "Check whether the process responds",
  description: "Checks nothing else, so an unreachable database does not cause a restart.",
  answer: { schema: health, about: "The process responds." },
  handle: () => ({ status: "ok" as const }),
});

/** Whether the process is about to stop. */
export const stopping = part(() => ({ now: false }));

/** 503 if sign-ins cannot work or the process is about to stop: load balancers look elsewhere. */
export const getReadiness: Operation<unknown> = {
  id: "getReadiness",
  tag: "Service",
  summary: "Check whether the service is ready",
  description:
    "Returns 503 with `unavailable` while the database does not respond, and as soon as the service begins to stop. Returns 503 with `degraded` while the database is not writable (read-only, or its disk is full): sign-ins fail, but tokens are still validated.",
  answer: {
    schema: health,
    about: "The service is ready.",
    otherwise: {
      status: 503,
      about: "The service cannot do its work.",
      example: { status: "degraded", reason: "the database is read-only" },
    },
  },
  async respond(ctx) {
    const isThere = await ctx.storage.ping().then(
      () => true,
      () => false,
    );
    const reason = isThere ? (await ctx.writability.look())?.reason : undefined;
    // Checked last, because the stop may begin during the reads above.
    if (!isThere || stopping(ctx).now) return json({ status: "unavailable" }, 503);
    return reason === undefined ? json({ status: "ready" }) : json({ status: "degraded", reason }, 503);
  },
};

/** GET /.well-known/change-password (https://w3c.github.io/webappsec-change-password-url/). */
export function changePasswordHandler({ baseUrl }: Context): Answer {
  return seeOther(`${baseUrl}/account`);
}
