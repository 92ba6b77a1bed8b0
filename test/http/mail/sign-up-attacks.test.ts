import { afterAll, expect, it } from "vitest";
import { startMailServer } from "../../support/mail.ts";
import {
  allSent,
  askForAccount,
  codeIn,
  follow,
  linkIn,
  mailTo,
  otherCode,
  said,
  userWith,
} from "../../support/mail-flows.ts";
import { goodPassword, initiate, signIn, Visitor } from "../../support/person.ts";
import { withApp, describeSqliteFirst } from "../../support/service.ts";

const server = await startMailServer();
afterAll(async () => await server.close());

const minute = 60_000;

describeSqliteFirst(
  "attacks on signing up with the proof of an address",
  (current) => {
    it("pre-hijacking: a link in another browser completes nothing, so whoever signs up with your address gains nothing by your click", async () => {
      const { service, app } = await withApp(current());
      const { visitor, email } = await askForAccount(service, app);
      const link = linkIn(await mailTo(server, email));
      const victim = new Visitor();
      const seen = await victim.get(link);
      expect(seen.status).toBe(403);
      expect(seen.text).toContain("Open this link where you asked for it");
      expect(seen.text).not.toContain("<form");
      // Also not with a form of the victim's own sign-in, in which another token is good.
      const own = await victim.get((await initiate(service, app)).authUrl);
      const token = own.form("/password").fields["token"] ?? "";
      expect((await victim.post(link, { token })).status).toBe(403);
      expect(await userWith(service, app, email)).toBeUndefined();
      // It is still good where it was asked for.
      const page = await visitor.get(link);
      expect((await visitor.submit(page, new URL(link).pathname, {})).status).toBe(303);
    });

    it("of parallel posts of a link exactly one signs in", async () => {
      const { service, app } = await withApp(current());
      const { visitor, email, page } = await askForAccount(service, app);
      const mail = await mailTo(server, email);
      const link = linkIn(mail);
      const linkPage = await visitor.get(link);
      const answers = await Promise.all([
        ...Array.from({ length: 5 }, () => visitor.submit(linkPage, new URL(link).pathname, {})),
        ...Array.from({ length: 3 }, () => visitor.submit(page, "/confirm", { code: codeIn(mail) })),
      ]);
      const signedIn = answers.filter(({ headers }) => headers.get("location")?.includes("code="));
      expect(signedIn).toHaveLength(1);
    });

    it("takes no code after five wrong ones, not even the right one; the link still works", async () => {
      const { service, app } = await withApp(current());
      const { visitor, email, page } = await askForAccount(service, app);
      const mail = await mailTo(server, email);
      for (let nth = 1; nth <= 5; nth += 1) {
        const wrong = await visitor.submit(page, "/confirm", { code: otherCode(mail, nth) });
        expect(wrong.status).toBe(422);
        expect(said(wrong)).toContain("That code isn't right");
      }
      const right = await visitor.submit(page, "/confirm", { code: codeIn(mail) });
      expect(right.status).toBe(422);
      expect(right.text).toContain("This code no longer works");
      const link = linkIn(mail);
      const done = await visitor.submit(await visitor.get(link), new URL(link).pathname, {});
      expect(done.status).toBe(303);
    });

    it("parallel guesses are counted one by one: no more than five reach the code", async () => {
      const { service, app } = await withApp(current());
      const { visitor, email, page } = await askForAccount(service, app);
      const mail = await mailTo(server, email);
      const guesses = Array.from({ length: 20 }, (_, nth) => otherCode(mail, nth + 1));
      const answers = await Promise.all(guesses.map((code) => visitor.submit(page, "/confirm", { code })));
      expect(answers.filter((answer) => said(answer).includes("That code isn't right"))).toHaveLength(5);
      expect((await visitor.submit(page, "/confirm", { code: codeIn(mail) })).status).toBe(422);
    });

    it("newest only: after one more mail the older link and code are over", async () => {
      const { service, app } = await withApp(current());
      const { visitor, email, page } = await askForAccount(service, app);
      const older = await mailTo(server, email);
      const sentAgain = await follow(visitor, await visitor.submit(page, "/confirm/again", {}));
      expect(sentAgain.text).toContain("A new email is on its way");
      const newer = await mailTo(server, email, 2);
      expect((await visitor.get(linkIn(older))).status).toBe(410);
      expect((await visitor.submit(page, "/confirm", { code: codeIn(older) })).status).toBe(422);
      expect((await visitor.submit(page, "/confirm", { code: codeIn(newer) })).status).toBe(303);
    });

    it("mails an address five times within the hour at most, and says the same when it does not", async () => {
      const { service, app } = await withApp(current());
      const { visitor, email, page } = await askForAccount(service, app);
      const answers = [];
      for (let asked = 2; asked <= 8; asked += 1) {
        answers.push(await follow(visitor, await visitor.submit(page, "/confirm/again", {})));
        // One after the other: mails may overtake each other.
        await allSent(service);
      }
      expect(server.to(email)).toHaveLength(5);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      // The newest mail that was sent is still good.
      expect((await visitor.submit(page, "/confirm", { code: codeIn(await mailTo(server, email, 5)) })).status).toBe(
        303,
      );
      // Another app's mails and the next hour's are counted anew.
      await askForAccount(service, await service.createApp(), { email });
      await mailTo(server, email, 6);
      service.clock.advance(60 * minute);
      await askForAccount(service, app, { email });
      await mailTo(server, email, 7);
    });

    it("makes no second account when the address was taken meanwhile", async () => {
      const { service, app } = await withApp(current());
      const first = await askForAccount(service, app);
      const one = await mailTo(server, first.email);
      const second = await askForAccount(service, app, { email: first.email, password: "another good password" });
      const two = await mailTo(server, first.email, 2);
      expect((await first.visitor.submit(first.page, "/confirm", { code: codeIn(one) })).status).toBe(303);
      const late = await second.visitor.submit(second.page, "/confirm", { code: codeIn(two) });
      expect(late.status).toBe(422);
      expect(said(late)).toContain("We couldn't create an account");
      await signIn(service, app, { email: first.email, password: goodPassword });
    });

    it("session fixation: the page of somebody else's sign-up shows nothing and takes nothing", async () => {
      const { service, app } = await withApp(current());
      const { session, email } = await askForAccount(service, app);
      const mail = await mailTo(server, email);
      const stranger = new Visitor();
      const page = await stranger.get(`${session.authUrl}/confirm`);
      expect(page.status).toBe(403);
      expect(page.text).not.toContain(email);
      const own = await initiate(service, app);
      const token = (await stranger.get(own.authUrl)).form("/password").fields["token"] ?? "";
      for (const url of [`${session.authUrl}/confirm`, `${own.authUrl}/confirm`])
        expect((await stranger.post(url, { token, code: codeIn(mail) })).headers.get("location") ?? "").not.toContain(
          app.redirectUri,
        );
      expect(await userWith(service, app, email)).toBeUndefined();
    });
  },
  { mail: server.mail },
);
