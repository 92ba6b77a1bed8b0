import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";
import type { NewEndpoint } from "../../src/webhooks/service.ts";
import { minute, second } from "../../src/lib/clock.ts";
import { redeem, signedUp, signUp, newEmail } from "../support/person.ts";
import { startReceiver, until, type Receiver } from "../support/receiver.ts";
import { describeEachDatabase, type TestApp } from "../support/service.ts";

const secret = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;
const settings = { webhooks: { allowPrivateNetworks: true, retentionDays: 30 } };

describeEachDatabase(
  "a webhook",
  (current) => {
    let receiver: Receiver;
    let app: TestApp;
    beforeAll(async () => {
      receiver = await startReceiver();
    });
    beforeEach(async () => {
      app = await current().createApp();
      receiver.received.length = 0;
      receiver.always(204);
    });
    afterAll(async () => {
      await receiver.stop();
    });

    async function endpoint(input: Partial<NewEndpoint> = {}): Promise<string> {
      const { webhooks } = current().server.app.services;
      const call = { actor: { kind: "cli", name: "test" } as const };
      const created = await webhooks.create(app.id, { url: receiver.url, events: ["user.login"], secret, ...input }, call);
      return created.id;
    }

    it("arrives with the contract's body, and the official library verifies it", async () => {
      await endpoint();
      const tokens = await signedUp(current(), app);
      const [call] = await until(() => receiver.received.length > 0 && receiver.received);
      const verified = new Webhook(secret).verify(call.text, call.headers as Record<string, string>);
      const login = JSON.parse(Buffer.from(tokens.accessToken.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
      expect(verified).toStrictEqual({
        event: "user.login",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
        data: {
          userId: tokens.user["id"],
          email: tokens.email,
          authMethod: "password",
          ipAddress: "127.0.0.1",
          userAgent: "node",
          sessionId: login["sid"],
        },
      });
    });
  },
  settings,
);
