import { expect, it } from "vitest";
import * as consents from "../../../src/applications/clients/consents.ts";
import { saveConsent } from "../../../src/applications/clients/consents-store.ts";
import * as factors from "../../../src/factors/service.ts";
import { codeAt, firstProof } from "../../support/factors.ts";
import { setUpAt } from "../../support/account-factors.ts";
import { askForCode, askForReset, codeIn, follow, linkIn, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { createTestClient } from "../../support/openid.ts";
import { goodPassword, redeem, signIn, Visitor, type Page } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { atProvider, comeBack, setProvider, startFromPage } from "../../support/providers/round.ts";
import { describeSqliteFirst, updateApp, withApp, type TestApp, type TestService } from "../../support/service.ts";

const server = await useMailServer();
const [github] = await useProviders("github");
const otherPassword = "a wholly different phrase";
const appNamed = "the authenticator app";
let subjects = 4711;
const numbered = (): string => String((subjects += 1));

/** An account whose address nobody proved: of a stranger, with an app and a program. */
async function taken(service: TestService) {
  const { app } = await withApp(service, {
    settings: { secondFactor: "optional", emailCode: true },
    methods: ["password", "oauth"],
  });
  await setProvider(service, app, github);
  const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
  const visitor = new Visitor();
  await redeem(service, app, await signIn(service, app, { email }, {}, visitor));
  const { key } = await setUpAt(service, app, { visitor });
  const client = await createTestClient(service, app, { consent: "ask" });
  const now = service.clock.now;
  const consent = { userId: id, clientId: client.id, scopes: ["openid"], createdAt: now, updatedAt: now };
  await service.server.app.ctx.storage.write((tx) => saveConsent(tx, consent));
  return { app, id, email, key };
}

/** What is left of the stranger's; the owner has seen it named. */
async function expectGone(service: TestService, { id }: { id: string }, shown: Page): Promise<void> {
  expect(shown.text).toContain(appNamed);
  expect(shown.text).toContain("programs with access: 1");
  const { ctx } = service.server.app;
  expect(await factors.factsOf(ctx.storage.reader, id)).toMatchObject({ hasTotp: false, codesLeft: 0 });
  expect(await consents.list(ctx, id)).toEqual([]);
}

/** By password the owner gets in without a code of the stranger's app. */
async function expectOpen(service: TestService, app: TestApp, email: string, password: string): Promise<void> {
  const { code } = await signIn(service, app, { email, password });
  expect(code).not.toBe("");
}

describeSqliteFirst(
  "a second factor that a stranger set up before the address was proven",
  { mail: server.mail },
  (service) => {
    it("O3, M8: goes with the code by mail that proves the address first", async () => {
      const { app, id, email } = await taken(service);
      const asking = await askForCode(service, app, email);
      const code = codeIn(await mailTo(server, email, 1, /Sign in to/u));
      const shown = await asking.visitor.submit(asking.page, "/code", { code });
      expect(await factors.hasFactor(service.server.app.ctx.storage.reader, id)).toBe(true);
      const done = await asking.visitor.submit(shown, "/code", {});
      expect(done.location.searchParams.has("code")).toBe(true);
      await expectGone(service, { id }, shown);
    });

    it("O3, M8: goes with the reset that proves the address first, by its code and by its link", async () => {
      for (const how of ["code", "link"] as const) {
        const { app, id, email } = await taken(service);
        const { visitor, page } = await askForReset(service, app, email);
        const mail = await mailTo(server, email, 1, /Reset/u);
        const typed = { password: otherPassword };
        const withCode = { ...typed, email, code: codeIn(mail) };
        const shown = how === "code" ? await visitor.submit(page, "/reset", withCode) : await visitor.get(linkIn(mail));
        expect(await factors.hasFactor(service.server.app.ctx.storage.reader, id)).toBe(true);
        await visitor.submit(shown, how === "code" ? "/reset" : new URL(linkIn(mail)).pathname, typed);
        await expectGone(service, { id }, shown);
        await expectOpen(service, app, email, otherPassword);
      }
    });

    it("O3, M4: goes with the provider that proves the address first, and where one is required the owner sets up their own", async () => {
      const { app, id, email } = await taken(service);
      const round = await startFromPage(service, app, github);
      const person = { subject: numbered(), email, verified: true };
      const waits = await comeBack(round.visitor, await atProvider(round.address, github, person));
      const shown = await follow(round.visitor, waits);
      expect(await factors.hasFactor(service.server.app.ctx.storage.reader, id)).toBe(true);
      await updateApp(service, app, { settings: { secondFactor: "required" } });
      const done = await round.visitor.submit(shown, "/step/take-over", {});
      await expectGone(service, { id }, shown);
      expect((await follow(round.visitor, done)).text).toContain("/step/set-up");
    });

    it("O3: says again what goes if the stranger replaces the app meanwhile", async () => {
      const { app, id, email, key } = await taken(service);
      const round = await startFromPage(service, app, github);
      const person = { subject: numbered(), email, verified: true };
      const waits = await comeBack(round.visitor, await atProvider(round.address, github, person));
      const shown = await follow(round.visitor, waits);
      service.clock.advance(60_000);
      const stranger = await firstProof(service, app, email);
      await stranger.visitor.submit(stranger.page, "/step/code", { code: codeAt(key, service.clock.now) });
      service.clock.advance(60_000);
      expect((await setUpAt(service, app, stranger)).codes).toHaveLength(10);
      await round.visitor.submit(shown, "/step/take-over", {});
      expect(await factors.hasFactor(service.server.app.ctx.storage.reader, id)).toBe(true);
    });
  },
);
