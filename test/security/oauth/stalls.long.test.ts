import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import { newEmail, signedUp } from "../../support/person.ts";
import { startProvider, type FakeProvider } from "../../support/providers/provider.ts";
import { usersOf } from "../../support/providers/records.ts";
import { appWith, atProvider, comeBack, startRound } from "../../support/providers/round.ts";

const service = useService();

describe("providers that take their time", () => {
  let providers: FakeProvider[];
  beforeAll(async () => {
    providers = await Promise.all([startProvider("github"), startProvider("google"), startProvider("openid")]);
  });
  afterAll(async () => await Promise.all(providers.map((provider) => provider.close())));

  it("O12: providers that stall are left after 12 seconds in all, wherever they stall, while others sign in at once", async () => {
    const [github, google, openid] = providers as [FakeProvider, FakeProvider, FakeProvider];
    const app = await appWith(service, [github, google, openid]);
    // One never answers; one drips a byte a second; one is slow twice, each time within its ten
    // seconds.
    google.instead.set("/token", () => undefined);
    openid.instead.set("/token", (_received, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 500);
      response.on("close", () => clearInterval(drip));
      return undefined;
    });
    github.instead.set("/user", async () => {
      await new Promise((resolve) => setTimeout(resolve, 7000));
      return { body: { id: 1, login: "ada" } };
    });
    github.instead.set("/user/emails", () => undefined);
    const before = Date.now();
    let left = 0;
    const person = { subject: "1", email: newEmail(), verified: true };
    const stalled = Promise.all(
      [github, google, openid].map(async (provider) => {
        const round = await startRound(service, app, provider);
        const page = await comeBack(round.visitor, await atProvider(round.address, provider, person));
        left += 1;
        return { status: page.status, seconds: (Date.now() - before) / 1000, text: page.text };
      }),
    );
    await signedUp(service, app);
    expect(left).toBe(0);
    for (const page of await stalled) {
      expect(page.status).toBe(400);
      expect(page.text).toContain("Try again, or sign in another way.");
      // Twelve, and what a busy machine takes for the rest.
      expect(page.seconds).toBeLessThan(18);
    }
    expect(await usersOf(service, app)).toHaveLength(1);
  });
});
