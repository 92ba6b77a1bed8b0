import { afterAll, expect, it } from "vitest";
import * as users from "../../../src/users/service.ts";
import {
  allSent,
  askForAccount,
  askForReset,
  codeIn,
  comparable,
  mailTo,
  newUser,
  otherCode,
  said,
} from "../../support/mail-flows.ts";
import { startMailServer } from "../../support/mail.ts";
import { goodPassword, newEmail, Visitor } from "../../support/person.ts";
import { describeEachDatabase } from "../../support/service.ts";

const server = await startMailServer();
afterAll(async () => await server.close());

const hour = 3_600_000;
const maxMailsOfNetwork = 50;

describeEachDatabase(
  "codes of mails",
  (service) => {
    it("L9, CVE-2024-32868: of a sign-up are burned by five wrong ones: the sixth try fails though it is right", async () => {
      const app = await service.createApp();
      const { visitor, email, page } = await askForAccount(service, app);
      const mail = await mailTo(server, email);
      for (let nth = 1; nth <= 5; nth += 1)
        expect((await visitor.submit(page, "/confirm", { code: otherCode(mail, nth) })).status).toBe(422);
      const right = await visitor.submit(page, "/confirm", { code: codeIn(mail) });
      expect([right.status, said(right)]).toEqual([422, expect.stringContaining("This code no longer works")]);
      expect(await users.findByEmail(service.server.app.ctx.storage.reader, app.id, email)).toBeUndefined();
    });

    it("L9, CVE-2024-32868: of a reset are burned by five wrong ones, typed by however many browsers at the same time", async () => {
      const app = await service.createApp();
      const { email } = await newUser(service, app, { password: goodPassword });
      const { visitor, page } = await askForReset(service, app, email);
      const mail = await mailTo(server, email);
      const password = "what the attacker would like";
      const guess = async (code: string) => await visitor.submit(page, "/reset", { code, password });
      await Promise.all(Array.from({ length: 40 }, async (_, nth) => await guess(otherCode(mail, nth + 1))));
      expect((await guess(codeIn(mail))).status).toBe(422);
      const { db, tables } = service.server.app.ctx.storage.reader;
      const rows = await db.select().from(tables.emailTokens);
      expect(rows.filter((row) => row.email === email).map(({ codeTries }) => codeTries)).toEqual([5]);
    });
  },
  { mail: server.mail },
);

describeEachDatabase(
  "mails that one network asks for",
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
  { mail: server.mail, trustedProxies: ["127.0.0.1"] },
);
