import { beforeAll, describe, expect, it } from "vitest";
import { openAccount, press } from "../../support/account.ts";
import { addingSession, prove, signedUpIn } from "../../support/adding.ts";
import { givePasskey, methodsOf, removeMethod } from "../../support/methods.ts";
import { initiate, Visitor } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const operator = { kind: "cli", name: "test" } as const;
const otherPassword = "another horse, another battery";

describeSqliteFirst("what proves too little, or no longer", (current) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await current().createApp();
  });

  describe("a proof is over with the method that it rests on", () => {
    it("a changed password ends what another browser proved with the old one", async () => {
      const service = current();
      const owner = await signedUpIn(service, app);
      const thief = await signedInAgain(service, owner.email);
      const changing = await addingSession(service, app, owner.accessToken, { type: "password" });
      const page = await owner.visitor.get(changing.authUrl);
      expect((await owner.visitor.submit(page, "/add/password", { password: otherPassword })).status).toBe(303);
      const asked = await thief.get(
        (await addingSession(service, app, owner.accessToken, { type: "passkey" })).authUrl,
      );
      expect(asked.form("/password").action).toContain("/sign-in/");
      // Who changed it goes on.
      const own = await addingSession(service, app, owner.accessToken, { type: "password" });
      expect((await owner.visitor.get(own.authUrl)).form("/add/password").action).toContain("/sign-in/");
    });

    it("so does a removed method, and not a page opened before either", async () => {
      const service = current();
      const owner = await signedUpIn(service, app);
      await givePasskey(service, String(owner.user["id"]));
      const thief = await signedInAgain(service, owner.email);
      const session = await addingSession(service, app, owner.accessToken, { type: "password" });
      const open = await thief.get(session.authUrl);
      const password = (await methodsOf(service, owner)).find(({ type }) => type === "password")?.id ?? "";
      expect((await removeMethod(service, owner, password)).status).toBe(200);
      const late = await thief.submit(open, "/add/password", { password: otherPassword });
      expect(late.headers.get("location") ?? "").not.toContain("status=added");
      expect(await methodsOf(service, owner)).toHaveLength(1);
    });

    async function signedInAgain(service: TestService, email: string): Promise<Visitor> {
      const visitor = new Visitor();
      await prove(visitor, await initiate(service, app), email);
      return visitor;
    }
  });

  describe("passkey.required: a password alone adds nothing to an account that has a passkey (docs/spec/decisions.md, 6)", () => {
    it("shows no account page to who signed in to it by password before, and lets nobody go on with its forms", async () => {
      const service = current();
      const strict = await service.createApp();
      const { visitor, user } = await signedUpIn(service, strict);
      await givePasskey(service, String(user["id"]));
      const page = await openAccount(service, strict, visitor, "/profile");
      expect(page.status).toBe(200);
      const change = { authMethods: { passkey: { required: true } } };
      await service.server.app.services.applications.update(strict.id, change, operator);
      expect((await openAccount(service, strict, visitor)).location.pathname).toContain("/sign-in/");
      await press(strict, visitor, page, "/account/profile", { name: "Somebody else" });
      expect((await service.server.app.services.users.find(String(user["id"])))?.name).not.toBe("Somebody else");
    });

    it("also not by a post of the page that it was never shown", async () => {
      const service = current();
      const strict = await service.createApp();
      const person = await signedUpIn(service, strict);
      await givePasskey(service, String(person.user["id"]));
      const change = { authMethods: { passkey: { required: true } } };
      await service.server.app.services.applications.update(strict.id, change, operator);
      // Whoever has the app's token and the password, in a browser of their own.
      const thief = new Visitor();
      for (const type of ["password", "passkey"]) {
        const session = await addingSession(service, strict, person.accessToken, { type });
        const page = await prove(thief, session, person.email);
        const { token = "" } = page.form("/step/passkey").fields;
        const options = await thief.post(`${session.authUrl}/add/passkey/options`, { token });
        expect(options.status).toBe(400);
        const posted = await thief.post(`${session.authUrl}/add/password`, { token, password: otherPassword });
        expect(posted.headers.get("location") ?? "").not.toContain("status=added");
      }
      expect(await methodsOf(service, person)).toHaveLength(2);
    });
  });
});
