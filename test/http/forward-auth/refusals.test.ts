/** What somebody sees who is signed in and not let in, and whom a provider may sign in again. */
import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import * as userMetadata from "../../../src/people/metadata-changes.ts";
import * as groups from "../../../src/users/groups/service.ts";
import { second } from "../../../src/lib/clock.ts";
import { createProxy, forProxies, rawRequest } from "../../support/forward-auth.ts";
import { operator } from "../../support/groups.ts";
import { userWith } from "../../support/mail-flows.ts";
import { HostVisitor, navigates, program } from "../../support/host-visitor.ts";
import { newParty, tokensFor } from "../../support/openid-tokens.ts";
import { goodPassword, newEmail, signUp, type Page } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith, atProvider, comeBack } from "../../support/providers/round.ts";
import { createResource } from "../../support/resources.ts";
import { describeOnSqlite, useApp } from "../../support/service.ts";

const [google] = await useProviders("google");
const script = { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", accept: "*/*" };

function linksIn({ text }: Page): string[] {
  return [...text.matchAll(/<a class="button[^"]*" href="([^"]*)"/gu)].map(([, link = ""]) =>
    link.replaceAll("&amp;", "&"),
  );
}

describeOnSqlite("the pages of a protected host", forProxies, (service) => {
  const app = useApp(service);

  async function signOut(browser: HostVisitor, host: string): Promise<Page> {
    const address = `https://${host}/.authsvc/sign-out`;
    const { token = "" } = (await browser.open(address)).form("/sign-out").fields;
    const headers = {
      ...navigates,
      "content-type": "application/x-www-form-urlencoded",
      origin: `https://${host}`,
    };
    return await browser.open(address, { method: "POST", headers, body: { token } });
  }

  it("name the provider that may sign in again without asking, after a sign-out", async () => {
    const own = await appWith(service, [google]);
    const { host } = await createProxy(service, own);
    const email = newEmail();
    await signUp(service, own, { email });
    const browser = new HostVisitor(service);
    await browser.enter(`https://${host}/`, email);
    expect((await signOut(browser, host)).text).not.toContain("Google");
    const other = new HostVisitor(service);
    const start = await other.own.submit(await other.go(`https://${host}/x`), `/oauth/${google.name}`, {});
    const person = { sub: "g-1", email: newEmail(), emailVerified: true };
    const done = await comeBack(other.own, await atProvider(start.location, google, { ...google.person, ...person }));
    const back = await other.go(done.location.href);
    expect([back.url, back.text]).toEqual([`https://${host}/x`, program]);
    const out = await signOut(other, host);
    expect(out.text).toContain("You&#39;re signed out");
    expect(out.text).toContain("Google");
  });

  for (const proxy of ["nginx", "proxy"] as const) {
    it(`tell a new person behind ${proxy} whom to ask, and the account is there when a group admits it`, async () => {
      const { ctx } = service.server.app;
      const group = `family-${proxy}`;
      await groups.create(ctx, app.id, group, operator);
      const { host } = await createProxy(service, app, { allowedGroups: [group] });
      const [browser, email] = [new HostVisitor(service, proxy), newEmail()];
      const { url } = await browser.go(`https://${host}/deep?q=1`);
      const form = await browser.own.get(`${url}/create-account`);
      const typed = { email, name: "", password: goodPassword };
      const done = await browser.own.submit(form, "/create-account", typed);
      const page = await browser.go(done.location.href);
      expect(page.status).toBe(403);
      for (const said of [email, `This account can&#39;t use ${host}`, `Ask the person who runs ${host}`])
        expect(page.text).toContain(said);
      const user = await userWith(service, app, email);
      await groups.add(ctx, app.id, group, [user?.id ?? ""], operator);
      const again = linksIn(page).at(-1) ?? "";
      expect((await browser.enter(again, email)).url).toBe(`https://${host}/deep?q=1`);
    });

    it(`say behind ${proxy} what an account lacks that the program knows people by`, async () => {
      const { host } = await createProxy(service, app, { headers: [{ name: "X-Staff", from: "private.staff" }] });
      const email = newEmail();
      await signUp(service, app, { email });
      const browser = new HostVisitor(service, proxy);
      const page = await browser.enter(`https://${host}/deep?q=1`, email);
      expect(page.status).toBe(403);
      for (const said of [email, "private.staff", host]) expect(page.text).toContain(said);
      const links = linksIn(page);
      expect(links).toContain(`https://${host}/deep?q=1`);
      // Another account, which a person presses for.
      const other = links.find((link) => link.includes("/.authsvc/start?s=")) ?? "";
      expect((await browser.go(other)).form("/password")).toBeDefined();
      const short = await browser.open(`https://${host}/`, { headers: script });
      expect([short.status, short.json()]).toMatchObject([403, { error: { code: "IDENTITY_MISSING" } }]);
      expect(short.text).toContain("private.staff");
    });

    it(`ask behind ${proxy} for a second factor that is required since, by a new sign-in`, async () => {
      const place = await createProxy(service, app);
      const { host } = place;
      const email = newEmail();
      await signUp(service, app, { email });
      const browser = new HostVisitor(service, proxy);
      expect((await browser.enter(`https://${host}/`, email)).text).toBe(program);
      await clients.update(service.server.app.ctx, place.client.id, { secondFactor: "required" }, operator);
      // A client's settings are cached for that long.
      service.clock.advance(second);
      const page = await browser.open(`https://${host}/deep?q=1`);
      expect([page.status, page.text.includes(email)]).toEqual([403, true]);
      const links = linksIn(page);
      expect(links).toHaveLength(1);
      const next = await browser.go(links[0] ?? "");
      expect(new URL(next.url).pathname).toMatch(/^\/sign-in\//u);
      const short = await browser.open(`https://${host}/`, { headers: script });
      expect([short.status, short.json()]).toMatchObject([403, { error: { code: "SECOND_FACTOR_REQUIRED" } }]);
    });
  }

  it("name a header that nginx let through, to a script and to a person, signed in or not", async () => {
    const { host } = await createProxy(service, app);
    const email = newEmail();
    await signUp(service, app, { email });
    const browser = new HostVisitor(service);
    for (const isSignedIn of [false, true]) {
      if (isSignedIn) await browser.enter(`https://${host}/`, email);
      for (const headers of [script, navigates]) {
        const answer = await browser.open(`https://${host}/`, { headers: { ...headers, "Remote-User": "admin" } });
        expect([answer.status, answer.json()]).toMatchObject([403, { error: { code: "FORBIDDEN_HEADER" } }]);
        expect(answer.text).toContain("Only the reverse proxy may set Remote-User.");
      }
    }
  });

  it("say behind nginx what the person of a token lacks", async () => {
    const { ctx } = service.server.app;
    const headers = [{ name: "X-Staff", from: "private.staff" }];
    const { host } = await createProxy(service, app, { headers });
    const scopes = [{ name: "forward-auth", sentence: "Use it" }];
    const resource = await createResource(service, app, { identifier: `https://${host}`, scopes });
    const party = await newParty(service, { resources: [resource] }, app);
    const { access_token: token } = await tokensFor(service, party, { resource, scope: "openid forward-auth" });
    const authorization = `Bearer ${token}`;
    const answer = await new HostVisitor(service).open(`https://${host}/`, { headers: { authorization } });
    expect([answer.status, answer.json()]).toMatchObject([403, { error: { code: "IDENTITY_MISSING" } }]);
    expect(answer.text).toContain("private.staff");
    await userMetadata.patch(ctx, { userId: String(decodeJwt(token)["sub"]) }, { private: { staff: "7" } }, operator);
    const later = await new HostVisitor(service).open(`https://${host}/`, { headers: { authorization } });
    expect(later.text).toBe(program);
  });

  it("say to somebody who opened a host by http what the proxy said, and stay closed", async () => {
    const { host } = await createProxy(service, app, { publicPaths: ["/public"] });
    const byHttp = async (more: Record<string, string>, proto = "http", path = "/public") =>
      await rawRequest(service.server.forwardAuthUrl ?? "", "/forward-auth", [
        ["X-Forwarded-Proto", proto],
        ["X-Forwarded-Host", host],
        ["X-Forwarded-Method", "GET"],
        ["X-Forwarded-Uri", path],
        ...Object.entries(more),
      ]);
    const page = await byHttp({ accept: "text/html" });
    expect([page.status, page.headers["cache-control"]]).toEqual([400, "no-store"]);
    expect(page.body).toContain(`${host} was opened with http`);
    expect(page.body).toContain("X-Forwarded-Proto: http");
    expect(page.body).toContain(`href="https://${host}/"`);
    for (const [more, proto] of [
      [{ accept: "application/json" }, "http"],
      [{ accept: "text/html", "x-forwarded-host": "strange.example.com" }, "http"],
      [{ accept: "text/html" }, "ws"],
      [{ accept: "text/html" }, "http, https"],
    ] as [Record<string, string>, string][])
      expect(await byHttp(more, proto)).toMatchObject({ status: 400, body: "Bad Request\n" });
  });
});
