import type { NewEvent } from "../../src/records/webhooks/event.ts";
import * as events from "../../src/records/webhooks/events.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import type { NewEndpoint } from "../../src/records/webhooks/service.ts";
import type { TestApp, TestService } from "./service.ts";

export const webhookSecret = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;

/** For receivers on this machine. */
export const localWebhooks = { webhooks: { allowPrivateNetworks: true, retentionDays: 30 } };

export const operator = { actor: { kind: "cli", name: "test" } as const };

/** An endpoint of an app, told of sign-ins unless said otherwise; its id. */
export async function createEndpoint(
  service: TestService,
  app: TestApp,
  input: Partial<NewEndpoint> & { url: string },
): Promise<string> {
  const { ctx } = service.server.app;
  const created = await webhooks.create(
    ctx,
    app.id,
    { events: ["user.login"], secret: webhookSecret, ...input },
    operator,
  );
  return created.id;
}

/** Lets a sign-in happen as far as webhooks are concerned, in a transaction of its own. */
export async function happen(service: TestService, app: TestApp, event: Partial<NewEvent> = {}): Promise<void> {
  const { ctx } = service.server.app;
  const { storage } = ctx;
  const source = { ipAddress: "192.0.2.7", userAgent: "agent" };
  const usual = {
    kind: "user.login",
    userId: "usr_1",
    authMethod: "password",
    source,
    sessionId: "lgn_1",
  } as const;
  await storage.write((tx) => events.record(ctx, tx, { ...usual, appId: app.id, ...event }, service.clock.now));
}
