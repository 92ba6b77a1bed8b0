import { afterAll, beforeAll, expect, it } from "vitest";
import { startMailServer } from "../support/mail.ts";
import { allSent, askForAccount, askForReset, newUser, otherCode, mailTo, said } from "../support/mail-flows.ts";
import { givePasskey } from "../support/methods.ts";
import { goodPassword, initiate, newEmail, Visitor } from "../support/person.ts";
import { startProvider, type FakeProvider } from "../support/providers/provider.ts";
import { appWith, tokensFrom } from "../support/providers/round.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../support/service.ts";

const server = await startMailServer();
afterAll(async () => await server.close());

const by = { actor: { kind: "cli", name: "test" } } as const;

/** Signs in where nobody has signed in before. */
async function signInElsewhere(service: TestService, app: TestApp, email: string): Promise<void> {
  const visitor = new Visitor();
  const page = await visitor.get((await initiate(service, app)).authUrl);
  const done = await visitor.submit(page, "/password", { email, password: goodPassword });
  if (done.status !== 303) throw new Error(`sign-in answered ${done.status}`);
}

describeEachDatabase(
  "what a stranger may have mailed",
  (current) => {
    let google: FakeProvider;
    beforeAll(async () => {
      google = await startProvider("google");
    });
    afterAll(async () => await google.close());

    it("25 guesses an hour at an address: asking for more accounts with it, mailed or not, gives no more", async () => {
      const service = current();
      const app = await service.createApp();
      const email = newEmail();
      for (let asked = 1; asked <= 5; asked += 1) await askForAccount(service, app, { email });
      const mail = await mailTo(server, email, 5);
      for (let asked = 6; asked <= 7; asked += 1) {
        const { visitor, page } = await askForAccount(service, app, { email });
        const guess = await visitor.submit(page, "/confirm", { code: otherCode(mail) });
        expect(said(guess)).toContain("no code to enter any more");
      }
      // It is the same with an address that is known.
      const known = await newUser(service, app);
      for (let asked = 1; asked <= 5; asked += 1) await askForAccount(service, app, { email: known.email });
      const { visitor, page } = await askForAccount(service, app, { email: known.email });
      const guess = await visitor.submit(page, "/confirm", { code: "00000000" });
      expect(said(guess)).toContain("no code to enter any more");
    });

    it("accounts asked for with somebody's address leave its owner the mail that resets the password", async () => {
      const service = current();
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      for (let asked = 1; asked <= 6; asked += 1) await askForAccount(service, app, { email });
      await allSent(service);
      expect(server.to(email)).toHaveLength(5);
      for (let asked = 1; asked <= 6; asked += 1) await askForReset(service, app, email);
      await allSent(service);
      const links = server.to(email).filter(({ text }) => text.includes(`${service.url}/reset/`));
      expect(links).toHaveLength(5);
    });

    it("notices to an address that nobody has proven are few, and hold no words of who has the account", async () => {
      const service = current();
      const app = await service.createApp();
      const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
      const { methods, users, notices } = service.server.app.services;
      const passkey = await givePasskey(service, id, "Refund at evil.example");
      await methods.remove(id, passkey, by);
      await signInElsewhere(service, app, email);
      const user = await users.find(id);
      if (!user) throw new Error("no user");
      for (let told = 0; told < 8; told += 1) {
        await service.server.app.storage.write((tx) =>
          notices.newDevice(tx, { user, origin: undefined }, service.clock.now),
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
        await methods.remove(owner.id, key, by);
      }
      await allSent(service);
      expect(server.to(owner.email)).toHaveLength(6);
      expect(server.to(owner.email)[0]?.text).toContain("Ann's key");
    });

    it("the user is mailed about every added method: also one that came by a verified address (decision 6)", async () => {
      const service = current();
      const app = await appWith(service, [google]);
      const { email } = await newUser(service, app, { password: goodPassword });
      await tokensFrom(service, app, google, { subject: "4711", email, verified: true, name: "Ann" });
      const mail = await mailTo(server, email);
      expect(mail.text).toContain("Google");
    });
  },
  { mail: server.mail },
);
