import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { initiate, Visitor } from "../../support/person.ts";
import { describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;

/** The relying party that the sign-in page asks the browser for. */
async function askedFor(service: TestService, app: TestApp): Promise<unknown> {
  const session = await initiate(service, app);
  const visitor = new Visitor();
  const { fields } = (await visitor.get(session.authUrl)).form("/passkey");
  const answer = await visitor.post(`${session.authUrl}/passkey/options`, fields);
  return (answer.json() as { options: { rpId: unknown } }).options.rpId;
}

describeOnSqlite("whose passkeys an application uses", (current) => {
  it("are the service's own, as long as nothing else is said", async () => {
    expect(await askedFor(current(), await current().createApp({ domain: "shop.example" }))).toBe("localhost");
  });

  it("are another host's where the operator says so, for passkeys that were made there (related origins)", async () => {
    const app = await current().createApp();
    const { ctx } = current().server.app;
    await applications.update(ctx, app.id, { settings: { relyingPartyId: "shop.example" } }, actor);
    expect(await askedFor(current(), app)).toBe("shop.example");
    await applications.update(ctx, app.id, { settings: { relyingPartyId: null } }, actor);
    expect(await askedFor(current(), app)).toBe("localhost");
  });

  it.each(["https://shop.example", "Shop.example", "127.0.0.1", "shop.example:443", ""])(
    "are never those of %o, which is no host name",
    async (relyingPartyId) => {
      const app = await current().createApp();
      const { ctx } = current().server.app;
      await expect(applications.update(ctx, app.id, { settings: { relyingPartyId } }, actor)).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        details: expect.stringContaining("settings.relyingPartyId") as unknown,
      });
    },
  );
});
