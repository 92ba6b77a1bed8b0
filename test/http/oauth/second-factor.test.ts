import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import { codeAt, keyIn } from "../../support/factors.ts";
import { newEmail, redeem } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith, codeOf, signInAt } from "../../support/providers/round.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const [corp] = await useProviders("openid");
const actor = { kind: "cli", name: "test" } as const;

let subjects = 0;
const somebody = (raw: Record<string, unknown>) => ({
  subject: `two-${(subjects += 1)}`,
  email: newEmail(),
  verified: true,
  raw,
});

describeSqliteFirst("a provider's own second factor", (current) => {
  async function appTrusting(trustsSecondFactor: string | undefined): Promise<{ service: TestService; app: TestApp }> {
    const service = current();
    const app = await appWith(service, [corp], { settings: { secondFactor: "required" } });
    await providers.set(service.server.app.ctx, app.id, { ...corp.settings(), trustsSecondFactor }, actor);
    return { service, app };
  }

  it.each([
    ["amr=mfa", { amr: ["pwd", "mfa"] }, true],
    ["acr=urn:corp:strong=1", { acr: "urn:corp:strong=1" }, true],
    ["amr=mfa", { amr: ["pwd"] }, false],
    ["amr=mfa", { amr: [["mfa"]] }, false],
    ["amr=mfa", { amr: "pwd mfa" }, false],
    ["amr=mfa", {}, false],
    ["toString=mfa", { amr: ["mfa"] }, false],
    [undefined, { amr: ["mfa"] }, false],
  ])("counts if the operator trusts %s and the ID token has %j: %s", async (trusted, raw, counts) => {
    const { service, app } = await appTrusting(trusted);
    const { done, session, visitor } = await signInAt(service, app, corp, somebody(raw));
    if (!counts) {
      expect(keyIn(await visitor.get(done.location.href))).not.toBe("");
      return;
    }
    const tokens = await redeem(service, app, { session, code: codeOf(done) });
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ acr: "urn:authsvc:acr:2" });
  });

  it("is never taken in place of a factor that the person set up", async () => {
    const { service, app } = await appTrusting("amr=mfa");
    const person = somebody({ amr: ["pwd"] });
    const first = await signInAt(service, app, corp, person);
    const page = await first.visitor.get(first.done.location.href);
    const key = keyIn(page);
    await first.visitor.submit(page, "/step/set-up", { code: codeAt(key, service.clock.now) });
    service.clock.advance(60_000);
    const again = await signInAt(service, app, corp, { ...person, raw: { amr: ["mfa"] } });
    expect(again.done.location.searchParams.has("code")).toBe(false);
    const asked = await again.visitor.get(again.done.location.href);
    const done = await again.visitor.submit(asked, "/step/code", { code: codeAt(key, service.clock.now) });
    const tokens = await redeem(service, app, { session: again.session, code: codeOf(done) });
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ acr: "urn:authsvc:acr:2" });
  });

  it("is not trusted of a provider that everybody knows", async () => {
    const service = current();
    const app = await appWith(service, []);
    const google = { name: "google", clientId: "x", secret: "y", trustsSecondFactor: "amr=mfa" };
    await expect(providers.set(service.server.app.ctx, app.id, google, actor)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      details: "trustsSecondFactor: only for a provider of your own",
    });
  });
});
