import { expect, it } from "vitest";
import * as notices from "../../../src/credentials/mailed/notices.ts";
import * as methods from "../../../src/credentials/methods/service.ts";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import * as users from "../../../src/users/service.ts";
import {
  allSent,
  askForAccount,
  askForReset,
  codeIn,
  hasReset,
  mailTo,
  newUser,
  otherCode,
  said,
} from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { givePasskey } from "../../support/methods.ts";
import { call, goodPassword, initiate, newEmail, Visitor } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { withProviders, tokensFrom } from "../../support/providers/round.ts";
import { scrape } from "../../support/scrape.ts";
import {
  withApp,
  updateApp,
  describeSqliteFirst,
  describeOnSqlite,
  type TestApp,
  type TestService,
} from "../../support/service.ts";

const [google] = await useProviders("google");

const server = await useMailServer();

const by = { actor: { kind: "cli", name: "test" } } as const;

/** A browser in a network of its own. */
function from(address: string): Visitor {
  return new Visitor({ "x-forwarded-for": address });
}

/** Signs in where nobody has signed in before. */
async function signInElsewhere(service: TestService, app: TestApp, email: string): Promise<void> {
  const visitor = new Visitor();
  const page = await visitor.get((await initiate(service, app)).authUrl);
  const done = await visitor.submit(page, "/password", { email, password: goodPassword });
  if (done.status !== 303) throw new Error(`sign-in answered ${done.status}`);
}

describeSqliteFirst(
  "what a stranger may have mailed",
  { mail: server.mail, trustedProxies: ["127.0.0.1"] },
  (current) => {
    it("25 guesses an hour at an address: asking for more accounts with it, mailed or not, gives no more", async () => {
      const { service, app } = await withApp(current());
      const email = newEmail();
      for (let asked = 1; asked <= 5; asked += 1) await askForAccount(service, app, { email });
      const mail = await mailTo(server, email, 5);
      for (let asked = 6; asked <= 7; asked += 1) {
        const { visitor, page } = await askForAccount(service, app, { email });
        const guess = await visitor.submit(page, "/confirm", { code: otherCode(mail) });
        expect(said(guess)).toContain("This code no longer works");
      }
      // It is the same with an address that is known.
      const known = await newUser(service, app);
      for (let asked = 1; asked <= 5; asked += 1) await askForAccount(service, app, { email: known.email });
      const { visitor, page } = await askForAccount(service, app, { email: known.email });
      const guess = await visitor.submit(page, "/confirm", { code: "00000000" });
      expect(said(guess)).toContain("This code no longer works");
    });

    it("accounts asked for with somebody's address leave its owner the mail that resets the password", async () => {
      const { service, app } = await withApp(current());
      const { email } = await newUser(service, app, { password: goodPassword });
      for (let asked = 1; asked <= 6; asked += 1) await askForAccount(service, app, { email });
      await allSent(service);
      expect(server.to(email)).toHaveLength(5);
      for (let asked = 1; asked <= 6; asked += 1) await askForReset(service, app, email);
      await allSent(service);
      const links = server.to(email).filter(({ text }) => text.includes(`${service.url}/reset/`));
      expect(links).toHaveLength(5);
    });

    it("one network uses up its own five mails to an address, and nothing of other networks, purposes, applications and addresses", async () => {
      const service = current();
      const [app, other] = [await service.createApp(), await service.createApp()];
      const [attacker, elsewhere] = ["192.0.2.66", "192.0.2.7"];
      const { email } = await newUser(service, app, { password: goodPassword });
      const stranger = newEmail();
      const ask = async (to: string, network: string, of = app) => {
        await askForAccount(service, of, { email: to, visitor: from(network) });
        await allSent(service);
        return server.to(to).length;
      };
      for (let asked = 0; asked < 8; asked += 1) await ask(stranger, attacker);
      for (let asked = 0; asked < 8; asked += 1) await askForReset(service, app, email, from(attacker));
      await allSent(service);
      expect([server.to(stranger).length, server.to(email).length]).toEqual([5, 5]);
      expect(await ask(stranger, attacker, other)).toBe(6);
      expect(await ask(stranger, elsewhere)).toBe(7);
      expect(await ask(newEmail(), attacker)).toBe(1);
      expect(await ask(email, attacker)).toBe(6);
      await askForReset(service, app, email, from(elsewhere));
      await allSent(service);
      expect(server.to(email)).toHaveLength(7);
    });

    it("an address is sent twenty mails of a purpose an hour, however many networks ask, and its owner always has a reset that is good", async () => {
      const { service, app } = await withApp(current());
      const { email } = await newUser(service, app, { password: goodPassword });
      const stranger = newEmail();
      for (let network = 1; network <= 23; network += 1) {
        await askForReset(service, app, email, from(`198.51.100.${network}`));
        await askForAccount(service, app, { email: stranger, visitor: from(`198.51.100.${network}`) });
      }
      await allSent(service);
      expect([server.to(email).length, server.to(stranger).length]).toEqual([20, 20]);
      // The last of them holds for half an hour. After that the owner gets another one, from
      // whichever network.
      service.clock.advance(31 * 60_000);
      const { visitor, page } = await askForReset(service, app, email, from("198.51.100.1"));
      const mail = await mailTo(server, email, 21);
      const done = await visitor.submit(page, "/reset", { code: codeIn(mail), password: "chosen by the owner alone" });
      expect(hasReset(done)).toBe(true);
    });

    it("notices to an address that nobody has proven are few, and hold no words of who has the account", async () => {
      const { service, app } = await withApp(current());
      const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
      const { ctx } = service.server.app;
      const passkey = await givePasskey(service, id, "Refund at evil.example");
      await methods.remove(ctx, id, passkey, by);
      await signInElsewhere(service, app, email);
      const user = await users.find(ctx.storage.reader, id);
      if (!user) throw new Error("no user");
      for (let told = 0; told < 8; told += 1) {
        await service.server.app.ctx.storage.write((tx) =>
          notices.newDevice(ctx, tx, { user, source: undefined }, service.clock.now),
        );
      }
      await allSent(service);
      expect(server.to(email)).toHaveLength(5);
      expect(server.to(email).some(({ raw, text }) => (raw + text).includes("evil.example"))).toBe(false);
      // A proven address is told everything, by name.
      const owner = await newUser(service, app);
      for (let removed = 0; removed < 6; removed += 1) {
        const key = await givePasskey(service, owner.id, "Ann's key");
        await givePasskey(service, owner.id, "Another");
        await methods.remove(ctx, owner.id, key, by);
      }
      await allSent(service);
      expect(server.to(owner.email)).toHaveLength(6);
      expect(server.to(owner.email)[0]?.text).toContain("Ann's key");
    });

    it("the user is mailed about every added method: also one that came by a verified address (docs/spec/decisions.md, 6)", async () => {
      const { service, app } = await withProviders(current(), [google]);
      const { email } = await newUser(service, app, { password: goodPassword });
      await tokensFrom(service, app, google, { subject: "4711", email, verified: true, name: "Ann" });
      const mail = await mailTo(server, email);
      expect(mail.text).toContain("Google");
    });
  },
);

describeOnSqlite(
  "what an application may have mailed",
  { mail: server.mail, mailsPerHour: 3, metrics: { host: "127.0.0.1", port: 0, hosts: [] } },
  (current) => {
    it("is so many mails of each purpose an hour; the operator sees what was kept back in metrics and audit log", async () => {
      const service = current();
      const [app, other] = [await service.createApp(), await service.createApp()];
      const { email } = await newUser(service, app, { password: goodPassword });
      const strangers = Array.from({ length: 4 }, () => newEmail());
      for (const stranger of strangers) await askForAccount(service, app, { email: stranger });
      await askForReset(service, app, email);
      await askForAccount(service, other, { email: strangers[3] ?? "" });
      await allSent(service);
      expect(strangers.map((stranger) => server.to(stranger).length)).toEqual([1, 1, 1, 1]);
      expect(server.to(email)).toHaveLength(1);
      const limited = { purpose: "sign-up", limit: "application" };
      expect((await scrape(service)).value("authsvc_mails_limited_total", limited)).toBe(1);
      const { ctx } = service.server.app;
      await aggregatedEvents(ctx).flush();
      const events = (await audit.list(ctx, { limit: 100 })).filter(({ action }) => action === "mail.limited");
      expect(events).toMatchObject([{ result: "failure", appId: app.id, details: limited }]);
    });

    it("carries the name that the operator gave, whatever the application's own server calls itself", async () => {
      const { service, app } = await withApp(current(), { name: "Acme" });
      const rename = await call(service, "PATCH", `/applications/${app.id}`, app.headers, { name: "You have won" });
      expect([rename.status, rename.body["name"]]).toEqual([200, "You have won"]);
      const mailed = async () => {
        const { email } = await askForAccount(service, app);
        const mail = await mailTo(server, email);
        return mail.raw + mail.subject + mail.text;
      };
      const first = await mailed();
      expect(first).toContain("Acme");
      expect(first).not.toContain("won");
      await updateApp(service, app, { settings: { mailName: "Acme Ltd" } });
      expect(await mailed()).toContain("Acme Ltd");
    });
  },
);
