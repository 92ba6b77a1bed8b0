import { expect, it } from "vitest";
import { companyConfig, proveDomain } from "../../support/company-provider.ts";
import { ofProviderPage } from "../../support/company-sign-in.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { withOrganizationPages } from "../../support/organizations.ts";
import { initiate, redeem, Visitor, type Page } from "../../support/person.ts";
import { startStrictIssuer } from "../../support/providers/strict-issuer.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const person = (email: string) => ({ sub: `sub-${email}`, email, email_verified: true, name: "Emma" });

/** Where a page that names the company sends the browser. */
function awayFrom({ headers }: Page): URL {
  return new URL(/0; url=(.*)$/u.exec(headers.get("refresh") ?? "")?.[1] ?? "about:blank");
}

describeSqliteFirst(
  "a company's sign-in by a real provider (oidc-provider)",
  { ...companyConfig, dev: true },
  (current) => {
    it("is set, tried, used, renewed and ended, and its new keys need no restart", async () => {
      const service = current();
      const {
        app,
        send,
        newVisitor,
        newOrganization,
        url: pageOf,
      } = await withOrganizationPages(service, { companySignIn: "on" });
      const { userId: owner, visitor: asOwner, email: ownerEmail } = await newVisitor();
      const { id, path } = await newOrganization({ owner });
      const domain = ownerEmail.split("@")[1] ?? "";
      await proveDomain(service, { id }, domain);
      const real = await startStrictIssuer("userinfo", `${service.server.app.ctx.baseUrl}/oauth/${id}/callback`);
      const { issuer = "", clientId, secret: clientSecret } = real.settings();

      // An owner sets it, tries it and turns it on; the server shortens its sign-ins.
      const { press, tryAddress } = ofProviderPage(service, app, id);
      await press(asOwner, { act: "set", issuer, clientId, clientSecret });
      const tried = await asOwner.get(await real.signIn(new URL(await tryAddress(asOwner)), person(ownerEmail)));
      expect([tried.text.includes("opens the organization as you"), real.errors]).toEqual([true, []]);
      expect((await press(asOwner, { act: "confirm", issuer })).status).toBe(303);
      expect((await send("POST", `${path}/provider/test`)).body).toEqual({ issuer, problem: null });
      expect((await send("PUT", `${path}/provider`, { issuer, clientId, sessionSeconds: 300 })).status).toBe(200);

      async function followed(page: Page): Promise<Page> {
        let last = page;
        while (last.status === 303 && last.location.origin === new URL(service.url).origin)
          last = await visitor.get(last.location.href);
        return last;
      }

      // Somebody invited types the address, and is led there and back.
      const ada = person(`ada.real@${domain}`);
      await send("POST", `${path}/invitations`, { invitations: [{ email: ada.email, roles: ["member"] }] });
      const [visitor, there] = [new Visitor(), new Visitor()];
      const session = await initiate(service, app);
      const typed = await visitor.submit(await visitor.get(session.authUrl), "/password", {
        email: ada.email,
        password: "anything-at-all",
      });
      const left = await visitor.submit(typed, "/company", {});
      const back = await followed(await visitor.get(await real.signIn(awayFrom(left), ada, there)));
      const done = await visitor.submit(back, "/company/agree", {});
      const code = done.location.searchParams.get("code") ?? "";
      const { user } = await redeem(service, app, { session, code });
      expect([user["email"], real.errors]).toEqual([ada.email, []]);
      const activity = (await asOwner.get(pageOf(id))).text;
      expect([activity.includes("Account at work linked"), />\s*organization\./u.test(activity)]).toEqual([
        true,
        false,
      ]);

      // Its proof ends: the provider, which knows the browser, is asked without a page.
      const client = await createTestClient(service, app, { companySignIn: true });
      const url = authorizeUrl(service, client, { organization: id });
      async function renewed(browserThere: Visitor): Promise<Page> {
        service.clock.advance(301_000);
        const asked = await visitor.get((await visitor.get(url)).location.href);
        expect([asked.location.origin, asked.location.searchParams.get("prompt")]).toEqual([issuer, "none"]);
        return await followed(await visitor.get(await real.signIn(asked.location, ada, browserThere)));
      }
      expect((await renewed(there)).location.searchParams.has("code")).toBe(true);
      real.rotateKeys();
      expect((await renewed(there)).location.searchParams.has("code")).toBe(true);
      expect(real.errors).toEqual([]);

      // Whose session there has ended is out: a page asks them to sign in there.
      const out = await renewed(new Visitor());
      expect([out.status, out.text.includes(new URL(issuer).host)]).toEqual([200, true]);
      expect((await followed(await visitor.get(url))).location.searchParams.has("code")).toBe(false);
      await real.close();
    });
  },
);
