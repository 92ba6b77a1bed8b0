import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { openAccount, press } from "../../support/account.ts";
import { acceptedAddresses, earlierAddresses, refusedAddresses } from "../../support/addresses.ts";
import { openConsole } from "../../support/console.ts";
import { sampled } from "../../support/long-run.ts";
import { askForReset, codeIn, hasReset, mailTo, said } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { bearer } from "../../support/methods.ts";
import { call, goodPassword, initiate, newEmail, openPage, redeem, signIn, signUp } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith, codeOf, signInAt } from "../../support/providers/round.ts";
import { describeSqliteFirst, updateApp, type TestApp, type TestService } from "../../support/service.ts";

const [openid] = await useProviders("openid");
const server = await useMailServer();
const logged: string[] = [];
const log = createLog({ level: "info", format: "json" }, { write: (line) => void logged.push(line) });

const unusable = [...earlierAddresses, ...refusedAddresses];
const unsupportedRule = /an address with ASCII characters before the @/u;
const ruleOf = ({ unsupported }: { unsupported: boolean }) =>
  unsupported ? unsupportedRule : /an address (?:such as|whose domain)/u;
const wordsOf = ({ address, unsupported }: { address: string; unsupported: boolean }) => {
  if (unsupported) return "Characters such as ü and % can't be used before the @ here.";
  return address === "" ? "Enter your email address." : "Enter an address like name@example.com.";
};

describeSqliteFirst("every door brings an address into one form", { surroundings: { log } }, (service) => {
  const create = async (app: TestApp, email: string) =>
    await call(service, "POST", `/applications/${app.id}/users`, bearer(app.apiKey), { email });
  const found = async (app: TestApp, email: string) => {
    const query = new URLSearchParams({ email }).toString();
    const { status, body } = await call(service, "GET", `/applications/${app.id}/users?${query}`, bearer(app.apiKey));
    return {
      status,
      details: body.error?.details,
      users: body["users"] as { id: string; email: string }[] | undefined,
    };
  };

  it("the users API creates, finds and changes by it, in whatever way it is written", async () => {
    const app = await service.createApp();
    for (const [typed, stored] of acceptedAddresses) {
      const { status, body } = await create(app, typed);
      expect([typed, status, body["email"]]).toEqual([typed, 201, stored]);
      expect((await create(app, stored)).status).toBe(409);
      expect((await found(app, typed)).users).toEqual([expect.objectContaining({ email: stored })]);
      const path = `/applications/${app.id}/users/${String(body["id"])}`;
      await call(service, "PATCH", path, bearer(app.apiKey), { email: newEmail() });
      const changed = await call(service, "PATCH", path, bearer(app.apiKey), { email: typed });
      expect([typed, changed.status, changed.body["email"]]).toEqual([typed, 200, stored]);
      await call(service, "DELETE", path, bearer(app.apiKey));
    }
  });

  it("the users API says what is wrong with an address, without repeating it", async () => {
    const app = await service.createApp();
    const { body } = await create(app, newEmail());
    const path = `/applications/${app.id}/users/${String(body["id"])}`;
    for (const wrong of unusable) {
      const { address } = wrong;
      const refused = await create(app, address);
      const change = await call(service, "PATCH", path, bearer(app.apiKey), { email: address });
      for (const { status, body } of [refused, change]) {
        expect([address, status, body.error?.details]).toEqual([address, 400, expect.stringMatching(ruleOf(wrong))]);
        if (address.length > 5) expect(body.error?.details).not.toContain(address);
      }
    }
    for (const { address } of earlierAddresses) expect((await found(app, address)).users).toEqual([]);
    for (const wrong of refusedAddresses) {
      const { status, details } = await found(app, wrong.address);
      expect([wrong.address, status, details]).toEqual([wrong.address, 400, expect.stringMatching(ruleOf(wrong))]);
    }
  });

  it("initiate fills in its one form, and refuses what no account can have", async () => {
    const app = await service.createApp();
    for (const [typed, stored] of acceptedAddresses) {
      const { page } = await openPage(service, app, { loginHint: typed });
      expect(said(page).replaceAll("&amp;", "&"), typed).toContain(`value="${stored}"`);
    }
    for (const wrong of refusedAddresses) {
      const body = { redirectUri: app.redirectUri, loginHint: wrong.address };
      const refused = await call(service, "POST", "/auth/initiate", app.headers, body);
      const details = wrong.address.length > 254 ? /^loginHint: at most 254/u : ruleOf(wrong);
      expect([wrong.address, refused.status, refused.body.error?.details]).toEqual([
        wrong.address,
        400,
        expect.stringMatching(details),
      ]);
      expect(refused.body.error?.details).toMatch(/^loginHint: /u);
    }
  });

  it("a person signs up with one spelling and in with another", async () => {
    for (const [typed, stored] of sampled(acceptedAddresses, 2)) {
      const app = await service.createApp();
      const { user } = await redeem(service, app, await signUp(service, app, { email: typed }));
      expect([typed, user["email"]]).toEqual([typed, stored]);
      const { user: again } = await redeem(service, app, await signIn(service, app, { email: typed }));
      expect(again["id"]).toBe(user["id"]);
      expect((await redeem(service, app, await signIn(service, app, { email: stored }))).user["id"]).toBe(user["id"]);
    }
  });

  it("the pages say what is wrong with an address", async () => {
    const app = await service.createApp();
    const { visitor, page, session } = await openPage(service, app, {}, "/create-account");
    const signInPage = await visitor.get(session.authUrl);
    for (const wrong of unusable) {
      const typed = { email: wrong.address, name: "", password: goodPassword };
      const refused = await visitor.submit(page, "/create-account", typed);
      expect([wrong.address, refused.status]).toEqual([wrong.address, 422]);
      expect(said(refused), wrong.address).toContain(wordsOf(wrong));
    }
    for (const wrong of refusedAddresses) {
      const refused = await visitor.submit(signInPage, "/password", { email: wrong.address, password: goodPassword });
      expect([wrong.address, refused.status]).toEqual([wrong.address, 422]);
      expect(said(refused), wrong.address).toContain(wordsOf(wrong));
    }
  });

  it("a provider's address creates the account, and finds it in another spelling", async () => {
    for (const [index, [typed, stored]] of acceptedAddresses.entries()) {
      const app = await appWith(service, [openid]);
      const person = { subject: `s${index}`, email: typed, verified: true };
      const { session, done } = await signInAt(service, app, openid, person);
      const { user } = await redeem(service, app, { session, code: codeOf(done) });
      expect([typed, user["email"]]).toEqual([typed, stored]);
      const other = await signInAt(service, app, openid, { ...person, subject: `t${index}`, email: stored });
      const { user: linked } = await redeem(service, app, { session: other.session, code: codeOf(other.done) });
      expect(linked["id"]).toBe(user["id"]);
    }
  });

  it("a provider's address that is not taken is named as that on the page, and its rule in the log", async () => {
    const app = await appWith(service, [openid]);
    for (const [index, wrong] of sampled(unusable, 5).entries()) {
      if (wrong.address === "") continue;
      logged.length = 0;
      const person = { subject: `w${index}`, email: wrong.address, verified: true };
      const { done } = await signInAt(service, app, openid, person);
      expect([wrong.address, done.status]).toEqual([wrong.address, 400]);
      expect(said(done)).toContain("can't be used here. Use another address at");
      const line = logged.find((entry) => entry.includes("a rule refused a provider's identity")) ?? "{}";
      expect(JSON.parse(line)).toMatchObject({
        level: "warn",
        provider: openid.name,
        appId: app.id,
        rule: "unsupported-email",
        emailRule: expect.stringMatching(ruleOf(wrong)) as string,
      });
      if (wrong.address.length > 5) expect(logged.join("")).not.toContain(wrong.address);
    }
    const { done } = await signInAt(service, app, openid, { subject: "none", email: "", verified: true });
    expect(said(done)).toContain("didn't share an email address");
  });

  it("the console finds and creates by it", async () => {
    for (const [typed, stored] of sampled(acceptedAddresses, 4)) {
      const app = await service.createApp();
      const console = await openConsole(service, { appId: app.id });
      const form = await console.get(`/people?app=${app.id}`);
      await console.submit(form, "/people/create", { email: typed, appId: app.id, name: "" });
      const { users = [] } = await found(app, stored);
      expect([typed, users.length]).toEqual([typed, 1]);
      const shown = await console.visitor.get(`${console.url}/console/people?q=${encodeURIComponent(typed)}`);
      expect(`${shown.headers.get("location")}${shown.text}`, typed).toContain(users[0]?.id);
    }
  });
});

describeSqliteFirst(
  "an address that was stored before it was refused in new accounts",
  { mail: server.mail },
  (service) => {
    it("still signs in, resets the password, is found and may be sent unchanged", async () => {
      for (const { address } of earlierAddresses) {
        const app = await service.createApp();
        const id = await storedAs(service, app, address);
        expect(
          (await redeem(service, app, await signIn(service, app, { email: address.toUpperCase() }))).user["id"],
        ).toBe(id);
        const query = new URLSearchParams({ email: address }).toString();
        const list = await call(service, "GET", `/applications/${app.id}/users?${query}`, bearer(app.apiKey));
        expect(list.body["users"]).toEqual([expect.objectContaining({ id })]);
        const path = `/applications/${app.id}/users/${id}`;
        const unchanged = await call(service, "PATCH", path, bearer(app.apiKey), { email: address, name: "Ada" });
        expect([address, unchanged.status, unchanged.body["name"]]).toEqual([address, 200, "Ada"]);
        expect((await initiate(service, app, { loginHint: address })).sessionId).toMatch(/^sis_/u);
        const { visitor, page } = await askForReset(service, app, address);
        const code = codeIn(await mailTo(server, address));
        const reset = await visitor.submit(page, "/reset", {
          email: address,
          code,
          password: "another good passphrase",
        });
        expect([address, hasReset(reset)]).toEqual([address, true]);
      }
    });

    it("the pages for codes and resets, and the account page, say what is wrong with an address", async () => {
      const app = await service.createApp();
      await updateApp(service, app, { settings: { emailCode: true } });
      const id = await storedAs(service, app, newEmail());
      const { visitor, session } = await openPage(service, app);
      const users = service.server.app.ctx.storage.reader.tables.users;
      const [row] = await service.server.app.ctx.storage.reader.db.select().from(users).where(eq(users.id, id));
      await signIn(service, app, { email: row?.email ?? "" }, {}, visitor);
      const forms = [
        [await visitor.get(`${session.authUrl}/forgot-password`), "/forgot-password", refusedAddresses],
        [await visitor.get(`${session.authUrl}/email-code`), "/email-code", refusedAddresses],
      ] as const;
      for (const [form, action, addresses] of forms)
        for (const wrong of sampled([...addresses], 3)) {
          const refused = await visitor.submit(form, action, { email: wrong.address });
          expect([action, wrong.address, refused.status]).toEqual([action, wrong.address, 422]);
          expect(said(refused), wrong.address).toContain(wordsOf(wrong));
        }
      const account = await openAccount(service, app, visitor, "/email");
      for (const wrong of sampled(unusable, 3)) {
        const refused = await press(app, visitor, account, "/email", { email: wrong.address });
        expect([wrong.address, refused.status]).toEqual([wrong.address, 422]);
        expect(said(refused), wrong.address).toContain(wordsOf(wrong));
      }
    });
  },
);

/** As an earlier version stored it. */
async function storedAs(service: TestService, app: TestApp, address: string): Promise<string> {
  const { ctx } = service.server.app;
  const body = { email: newEmail(), emailVerified: true, password: goodPassword };
  const { body: user } = await call(service, "POST", `/applications/${app.id}/users`, bearer(app.apiKey), body);
  const id = String(user["id"]);
  await ctx.storage.write(async ({ db, tables: { users } }) => {
    await db.update(users).set({ email: address }).where(eq(users.id, id));
  });
  return id;
}
