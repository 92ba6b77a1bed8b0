import { expect, it } from "vitest";
import { allSent, askForAccount, askForReset, comparable, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { goodPassword, newEmail, Visitor } from "../../support/person.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const server = await useMailServer();

const hour = 3_600_000;
const maxMailsOfNetwork = 50;

describeSqliteFirst(
  "mails that one network asks for",
  { mail: server.mail, trustedProxies: ["127.0.0.1"] },
  (service) => {
    it("are fifty an hour at most, to whichever addresses, and nobody is told; other networks still have theirs", async () => {
      const app = await service.createApp();
      const before = server.received.length;
      const ask = async (n: number, network: string) =>
        await askForAccount(service, app, {
          email: newEmail(),
          // What an attacker can choose freely in its network.
          visitor: new Visitor({ "x-forwarded-for": network.replace("N", (n + 1).toString(16)) }),
        });
      const asked = [];
      for (let n = 0; n < maxMailsOfNetwork + 5; n += 1) asked.push(await ask(n, "2001:db8:9:9::N"));
      await allSent(service);
      expect(server.received.length - before).toBe(maxMailsOfNetwork);
      const [first, last] = [asked[0], asked.at(-1)];
      if (!first || !last) throw new Error("nobody asked");
      expect(comparable(last.page, last)).toBe(comparable(first.page, first));
      expect(server.to(last.email)).toEqual([]);

      // What the network may not have sent any more does not use up what the address may be sent.
      const victim = await newUser(service, app, { password: goodPassword });
      for (let n = 0; n < 6; n += 1)
        await askForReset(service, app, victim.email, new Visitor({ "x-forwarded-for": "2001:db8:9:9::1" }));
      await askForReset(service, app, victim.email, new Visitor({ "x-forwarded-for": "2001:db8:9:8::1" }));
      await mailTo(server, victim.email);
      service.clock.advance(hour);
      const later = await ask(0, "2001:db8:9:9::N");
      await mailTo(server, later.email);
    });
  },
);
