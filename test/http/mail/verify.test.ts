import { afterAll, expect, it } from "vitest";
import { startMailServer } from "../../support/mail.ts";
import {
  allSent,
  askForReset,
  codeIn,
  linkIn,
  mailTo,
  newUser,
  otherCode,
  secretIn,
} from "../../support/mail-flows.ts";
import { givePasskey } from "../../support/methods.ts";
import { goodPassword, initiate, Visitor } from "../../support/person.ts";
import { withApp, describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";
import type { User } from "../../../src/users/user.ts";

const server = await startMailServer();
afterAll(async () => await server.close());

const clientInfo = { ipAddress: "192.0.2.1", userAgent: null, requestId: "req_test" };
const asker = { clientInfo, lang: "en" };

/** A browser that is signed in to an account whose address is not proven. */
async function signedInBrowser(service: TestService, app: TestApp): Promise<{ visitor: Visitor; user: User }> {
  const { email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
  const visitor = new Visitor();
  const { authUrl } = await initiate(service, app);
  await visitor.submit(await visitor.get(authUrl), "/password", { email, password: goodPassword });
  const user = await service.server.app.services.users.findByEmail(app.id, email);
  if (!user) throw new Error("no user");
  return { visitor, user };
}

async function isVerified(service: TestService, { id }: User): Promise<boolean> {
  return (await service.server.app.services.users.find(id))?.emailVerified === true;
}

describeSqliteFirst(
  "the proof of an account's address",
  (current) => {
    it("is given by the link in a browser that is signed in to the account, and by nobody else's browser", async () => {
      const { service, app } = await withApp(current());
      const { visitor, user } = await signedInBrowser(service, app);
      const stranger = await signedInBrowser(service, app);
      await givePasskey(service, user.id);
      const { emailTokens, userAdministration } = service.server.app.services;
      await emailTokens.startVerify(user, asker);
      const link = linkIn(await mailTo(server, user.email ?? ""));
      for (const other of [new Visitor(), stranger.visitor]) {
        const seen = await other.get(link);
        expect(seen.status).toBe(403);
        expect(seen.text).toContain("Open this link where you asked for it");
        expect((await other.post(link, { token: "x" })).status).toBe(403);
      }
      const page = await visitor.get(link);
      expect(page.text).toContain("Confirm your email address");
      expect(await isVerified(service, user)).toBe(false);
      const answers = await Promise.all([1, 2, 3].map(() => visitor.submit(page, new URL(link).pathname, {})));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.toSorted((one, other) => one - other)).toEqual([303, 410, 410]);
      expect(answers.find(({ status }) => status === 303)?.location.href).toBe(
        `${service.url}/account?app_id=${app.id}&notice=verified`,
      );
      expect(await isVerified(service, user)).toBe(true);
      const kept = await userAdministration.get(user.id);
      expect(kept).toMatchObject({ name: "Ann", authMethods: { passkey: true, password: true } });
    });

    it("is given by the code, once, and not after five wrong ones", async () => {
      const { service, app } = await withApp(current());
      const { user } = await signedInBrowser(service, app);
      const { emailTokens } = service.server.app.services;
      expect(await emailTokens.isVerifying(user)).toBe(false);
      await emailTokens.startVerify(user, asker);
      expect(await emailTokens.isVerifying(user)).toBe(true);
      const older = await mailTo(server, user.email ?? "");
      for (let nth = 1; nth <= 5; nth += 1)
        expect(await emailTokens.confirmVerify(user, { code: otherCode(older, nth) }, clientInfo)).toBe("wrong");
      const digits = codeIn(older).replace(" ", "");
      expect(await emailTokens.confirmVerify(user, { code: digits }, clientInfo)).toBe("over");
      await emailTokens.startVerify(user, asker);
      const newer = codeIn(await mailTo(server, user.email ?? "", 2)).replace(" ", "");
      expect(await emailTokens.confirmVerify(user, { code: newer }, clientInfo)).toBe("verified");
      expect(await emailTokens.confirmVerify(user, { code: newer }, clientInfo)).toBe("over");
      expect(await emailTokens.isVerifying(user)).toBe(false);
    });

    it("is nobody's but the user's own: another user's code and a reset's link prove nothing", async () => {
      const { service, app } = await withApp(current());
      const [one, other] = [await signedInBrowser(service, app), await signedInBrowser(service, app)];
      const { emailTokens } = service.server.app.services;
      for (const { user } of [one, other]) await emailTokens.startVerify(user, asker);
      const mail = await mailTo(server, one.user.email ?? "");
      const secret = secretIn(mail);
      const code = codeIn(mail).replace(" ", "");
      expect(await emailTokens.confirmVerify(other.user, { secret }, clientInfo)).toBe("over");
      expect(await emailTokens.confirmVerify(other.user, { code }, clientInfo)).toBe("wrong");
      await askForReset(service, app, other.user.email ?? "");
      const reset = secretIn(await mailTo(server, other.user.email ?? "", 1, /Reset/u));
      expect(await emailTokens.confirmVerify(other.user, { secret: reset }, clientInfo)).toBe("over");
      expect(await isVerified(service, other.user)).toBe(false);
      expect(await emailTokens.confirmVerify(one.user, { secret }, clientInfo)).toBe("verified");
    });

    it("is asked for by mail five times within the hour at most, and not where it is given", async () => {
      const { service, app } = await withApp(current());
      const { user } = await signedInBrowser(service, app);
      const { emailTokens } = service.server.app.services;
      await emailTokens.startVerify({ ...user, emailVerified: true }, asker);
      for (let asked = 0; asked < 7; asked += 1) await emailTokens.startVerify(user, asker);
      await allSent(service);
      expect(server.to(user.email ?? "")).toHaveLength(5);
    });
  },
  { mail: server.mail },
);
