import { afterAll, expect, it } from "vitest";
import { openAccount } from "../../support/account.ts";
import { startMailServer } from "../../support/mail.ts";
import {
  allSent,
  askForAccount,
  askForReset,
  codeIn,
  hasReset,
  linkIn,
  mailTo,
  newUser,
  otherCode,
  secretIn,
} from "../../support/mail-flows.ts";
import {
  call,
  goodPassword,
  initiate,
  newEmail,
  redeem,
  refresh,
  signIn,
  validate,
  Visitor,
} from "../../support/person.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const server = await startMailServer();
afterAll(async () => await server.close());

const minute = 60_000;
const newPassword = "a wholly different phrase";
const isReset = /Reset/u;

describeSqliteFirst(
  "a password that is forgotten",
  (current) => {
    it("P6: its token is 256 random bits, and neither it nor its code can be found in the database", async () => {
      const app = await current().createApp();
      const secrets: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        const { email } = await newUser(current(), app, { password: goodPassword });
        await askForReset(current(), app, email);
        const mail = await mailTo(server, email);
        expect(secretIn(mail)).toMatch(/^[\w-]{43}$/u);
        const stored = await current().databaseText();
        for (const hidden of [secretIn(mail), codeIn(mail), codeIn(mail).replace(" ", "")])
          expect(stored).not.toContain(hidden);
        secrets.push(secretIn(mail));
      }
      expect(new Set(secrets).size).toBe(3);
      expect(new Set(secrets.map((secret) => secret.slice(0, 4))).size).toBe(3);
    });

    it("P6, GHSA-hc7v-rggr-4hvx: of 20 uses of a link at once, one changes the password", async () => {
      const app = await current().createApp();
      const { email } = await newUser(current(), app, { password: goodPassword });
      await askForReset(current(), app, email);
      const link = linkIn(await mailTo(server, email));
      const people = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const visitor = new Visitor();
          return { visitor, page: await visitor.get(link) };
        }),
      );
      const answers = await Promise.all(
        people.map(async ({ visitor, page }, n) => {
          const password = `password of thread number ${n}`;
          return { password, done: await visitor.submit(page, new URL(link).pathname, { password }) };
        }),
      );
      const winners = answers.filter(({ done }) => hasReset(done));
      expect(winners).toHaveLength(1);
      for (const { done } of answers.filter((answer) => answer !== winners[0])) expect(done.status).toBe(410);
      await signIn(current(), app, { email, password: winners[0]?.password ?? "" });
      // Nor later, nor by the code beside it.
      expect((await new Visitor().get(link)).status).toBe(410);
    });

    it("P6, GHSA-hc7v-rggr-4hvx: of 20 uses of a code and its link at once, one changes the password", async () => {
      const app = await current().createApp();
      const { email } = await newUser(current(), app, { password: goodPassword });
      const asked = await askForReset(current(), app, email);
      const mail = await mailTo(server, email);
      const link = linkIn(mail);
      const page = await asked.visitor.get(link);
      const uses = Array.from({ length: 20 }, (_, n) => {
        const password = `password of thread number ${n}`;
        return n % 2 === 0
          ? asked.visitor.submit(asked.page, "/reset", { code: codeIn(mail), password })
          : asked.visitor.submit(page, new URL(link).pathname, { password });
      });
      const changed = (await Promise.all(uses)).filter(hasReset);
      expect(changed).toHaveLength(1);
    });

    it("P6: its link and code are good for 30 minutes, and no longer", async () => {
      const app = await current().createApp();
      const { email } = await newUser(current(), app, { password: goodPassword });
      await askForReset(current(), app, email);
      const link = linkIn(await mailTo(server, email));
      current().clock.advance(30 * minute - 1);
      const visitor = new Visitor();
      const page = await visitor.get(link);
      expect(page.status).toBe(200);
      current().clock.advance(1);
      expect((await visitor.get(link)).status).toBe(410);
      const late = await visitor.submit(page, new URL(link).pathname, { password: newPassword });
      expect(late.status).toBe(410);
      await signIn(current(), app, { email });
    });

    it("P6: only the newest mail counts", async () => {
      const app = await current().createApp();
      const { email } = await newUser(current(), app, { password: goodPassword });
      await askForReset(current(), app, email);
      const older = linkIn(await mailTo(server, email));
      const visitor = new Visitor();
      const page = await visitor.get(older);
      await askForReset(current(), app, email);
      await mailTo(server, email, 2);
      expect((await new Visitor().get(older)).status).toBe(410);
      const late = await visitor.submit(page, new URL(older).pathname, { password: newPassword });
      expect(late.status).toBe(410);
      await signIn(current(), app, { email });
    });

    it("P6, CVE-2026-22706, CVE-2026-34969: it ends every login, account page and code of its user by itself, and signs nobody in", async () => {
      const app = await current().createApp();
      const { email } = await newUser(current(), app, { password: goodPassword });
      const logins = [
        await redeem(current(), app, await signIn(current(), app, { email })),
        await redeem(current(), app, await signIn(current(), app, { email })),
      ];
      const refreshed = await refresh(current(), app, logins[1]?.refreshToken ?? "");
      const inHand = await signIn(current(), app, { email });
      const halfDone = new Visitor();
      await halfDone.get((await initiate(current(), app)).authUrl);
      await askForReset(current(), app, email);
      const link = linkIn(await mailTo(server, email, 1, isReset));
      // Nothing but the new password is sent: no device, no session, no choice.
      const visitor = new Visitor();
      const done = await visitor.submit(await visitor.get(link), new URL(link).pathname, { password: newPassword });
      expect(done.status).toBe(200);
      expect(done.headers.get("location")).toBeNull();
      for (const { accessToken, refreshToken } of logins) {
        expect((await validate(current(), app, accessToken)).status).toBe(401);
        expect((await refresh(current(), app, refreshToken)).status).toBe(401);
      }
      expect((await refresh(current(), app, String(refreshed.body["refreshToken"]))).status).toBe(401);
      const { code, session } = inHand;
      const late = await call(current(), "POST", "/auth/callback", app.headers, { code, sessionId: session.sessionId });
      expect(late.status).toBe(400);
      // Whoever reset it is as little signed in as everybody else.
      expect((await openAccount(current(), app, visitor)).location.pathname).toContain("/sign-in/");
      await signIn(current(), app, { email, password: newPassword });
    });

    it("P6: an account page that was open is closed with it", async () => {
      const app = await current().createApp();
      const { email } = await newUser(current(), app, { password: goodPassword });
      const thief = new Visitor();
      const { authUrl } = await initiate(current(), app);
      await thief.submit(await thief.get(authUrl), "/password", { email, password: goodPassword });
      expect((await openAccount(current(), app, thief)).status).toBe(200);
      const asked = await askForReset(current(), app, email);
      const code = codeIn(await mailTo(server, email, 1, isReset));
      await asked.visitor.submit(asked.page, "/reset", { code, password: newPassword });
      expect((await openAccount(current(), app, thief)).status).toBe(303);
    });

    it("P7: looking at a mailed link, however often and by whatever method, changes nothing", async () => {
      const app = await current().createApp();
      const { email } = await newUser(current(), app, { password: goodPassword });
      await askForReset(current(), app, email);
      const signUp = await askForAccount(current(), app);
      const links = [linkIn(await mailTo(server, email)), linkIn(await mailTo(server, signUp.email))];
      for (const link of links)
        for (const init of [
          { method: "GET" },
          { method: "HEAD" },
          { method: "OPTIONS" },
          { method: "GET", headers: { "sec-purpose": "prefetch;prerender" } },
          { method: "GET", headers: { "user-agent": "Mail scanner", "x-moz": "prefetch" } },
        ])
          for (let looks = 0; looks < 5; looks += 1)
            expect((await fetch(link, { ...init, redirect: "manual" })).status).toBeLessThan(500);
      await signIn(current(), app, { email });
      const [reset = "", confirm = ""] = links;
      const visitor = new Visitor();
      const done = await visitor.submit(await visitor.get(reset), new URL(reset).pathname, { password: newPassword });
      expect(hasReset(done)).toBe(true);
      const confirmed = await signUp.visitor.submit(await signUp.visitor.get(confirm), new URL(confirm).pathname, {});
      expect(confirmed.location.searchParams.has("code")).toBe(true);
    });

    it("P8: asking again and again floods no mailbox, locks nobody out, and changes nothing", async () => {
      const app = await current().createApp();
      const { email } = await newUser(current(), app, { password: goodPassword });
      const login = await redeem(current(), app, await signIn(current(), app, { email }));
      const asked = await askForReset(current(), app, email);
      const answers = [];
      for (let more = 0; more < 9; more += 1) {
        answers.push((await asked.visitor.submit(asked.page, "/forgot-password", {})).text);
        await allSent(current());
      }
      // Five an hour, and the sixth is answered like the fifth (docs/spec/decisions.md, 7).
      expect(server.to(email)).toHaveLength(5);
      expect(new Set(answers).size).toBe(1);
      expect((await validate(current(), app, login.accessToken)).status).toBe(200);
      await signIn(current(), app, { email });
      // Nor do wrong codes: they use up the code, and not the account.
      const last = await mailTo(server, email, 5);
      for (let nth = 1; nth <= 8; nth += 1)
        await asked.visitor.submit(asked.page, "/reset", { code: otherCode(last, nth), password: newPassword });
      await signIn(current(), app, { email });
      const link = linkIn(last);
      const done = await asked.visitor.submit(await asked.visitor.get(link), new URL(link).pathname, {
        password: newPassword,
      });
      expect(hasReset(done)).toBe(true);
    });

    it("P8: an unknown address gets no mail, and is told the same", async () => {
      const app = await current().createApp();
      const email = newEmail();
      const { page } = await askForReset(current(), app, email);
      expect(page.text).toContain("If this address has an account at");
      await allSent(current());
      expect(server.to(email)).toEqual([]);
    });

    it("P6: a signed-in browser of somebody else's is no help: the new password is the mail's account's", async () => {
      const app = await current().createApp();
      const bystander = await signedUpMailless();
      const { email } = await newUser(current(), app, { password: goodPassword });
      await askForReset(current(), app, email);
      const link = linkIn(await mailTo(server, email));
      await bystander.submit(await bystander.get(link), new URL(link).pathname, { password: newPassword });
      await signIn(current(), app, { email, password: newPassword });

      async function signedUpMailless(): Promise<Visitor> {
        const other = await newUser(current(), app, { password: goodPassword });
        const visitor = new Visitor();
        const { authUrl } = await initiate(current(), app);
        await visitor.submit(await visitor.get(authUrl), "/password", { email: other.email, password: goodPassword });
        return visitor;
      }
    });
  },
  { mail: server.mail },
);
