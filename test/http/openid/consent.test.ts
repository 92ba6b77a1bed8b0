import { expect, it } from "vitest";
import { cancelCodesOfUser } from "../../../src/sign-in/cancel-store.ts";
import * as users from "../../../src/users/service.ts";
import { authorize, authorizeUrl, createTestClient } from "../../support/openid.ts";
import { newEmail, signUp, Visitor, type Page } from "../../support/person.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

async function prepared(service: TestService, changes: Parameters<typeof createTestClient>[2] = {}) {
  const app = await service.createApp();
  const email = newEmail();
  await signUp(service, app, { email });
  const client = await createTestClient(service, app, { consent: "ask", name: "Grafana", ...changes });
  return { service, app, email, client, visitor: new Visitor() };
}

const answerOf = ({ location }: Page) => Object.fromEntries(location.searchParams);

describeSqliteFirst("consent", (current) => {
  it("is asked after the proof, once, and again only for more", async () => {
    const { service, client, email, visitor } = await prepared(current());
    const proven = await authorize(service, client, { email }, { scope: "openid email" }, visitor);
    expect(proven.location.pathname).toMatch(/^\/sign-in\//u);
    const page = await visitor.get(proven.location.href);
    expect(page.text).toContain("Grafana");
    expect(page.text).toContain(email);
    expect(page.text).toContain(new URL(client.redirectUris[0] ?? "").host);
    expect(page.text).toContain("Your email address");
    expect(page.text).not.toContain("Your name and picture");
    const done = await visitor.submit(page, "/step/consent", {});
    expect(answerOf(done)).toEqual({ code: expect.any(String), state: "st", iss: service.url });

    const again = await visitor.get(authorizeUrl(service, client, { scope: "openid email" }));
    expect(again.location.searchParams.has("code")).toBe(true);
    const less = await visitor.get(authorizeUrl(service, client, { scope: "openid", prompt: "none" }));
    expect(less.location.searchParams.has("code")).toBe(true);

    const more = await visitor.get(authorizeUrl(service, client, { scope: "openid profile" }));
    const asked = await visitor.get(more.location.href);
    expect(asked.text).toContain("Your name and picture");
    expect((await visitor.submit(asked, "/step/consent", {})).location.searchParams.has("code")).toBe(true);
    const all = await visitor.get(authorizeUrl(service, client, { scope: "openid profile email", prompt: "none" }));
    expect(all.location.searchParams.has("code")).toBe(true);
  });

  it("is told to the client when the person does not agree, and is asked again", async () => {
    const { service, client, email, visitor } = await prepared(current());
    const proven = await authorize(service, client, { email }, {}, visitor);
    const denied = await visitor.submit(await visitor.get(proven.location.href), "/step/deny", {});
    expect(answerOf(denied)).toEqual({
      error: "access_denied",
      error_description: "The user did not agree.",
      state: "st",
      iss: service.url,
    });
    const silent = await visitor.get(authorizeUrl(service, client, { prompt: "none" }));
    expect(answerOf(silent)["error"]).toBe("login_required");
  });

  it("C7: cannot be avoided by prompt=none (RFC 9700 §4)", async () => {
    const { service, app, client, email, visitor } = await prepared(current());
    const own = await createTestClient(service, app);
    await authorize(service, own, { email }, {}, visitor);
    const silent = await visitor.get(authorizeUrl(service, client, { prompt: "none" }));
    expect(answerOf(silent)["error"]).toBe("consent_required");
    expect(answerOf(silent)["code"]).toBeUndefined();
  });

  it("is asked by single sign-on too, which keeps the time of the proof", async () => {
    const { service, app, client, email, visitor } = await prepared(current());
    const own = await createTestClient(service, app);
    await authorize(service, own, { email }, {}, visitor);
    const cookies = new Map([...visitor.cookies].filter(([name]) => !name.includes("visit")));
    service.clock.advance(3_600_000);
    const start = await visitor.get(authorizeUrl(service, client));
    const page = await visitor.get(start.location.href);
    const done = await visitor.submit(page, "/step/consent", {});
    expect(done.location.searchParams.has("code")).toBe(true);
    for (const [name, value] of cookies) expect(visitor.cookies.get(name)).toBe(value);
    // The proof is an hour old, whatever was agreed since.
    const aged = await visitor.get(authorizeUrl(service, own, { max_age: "3500", prompt: "none" }));
    expect(answerOf(aged)["error"]).toBe("login_required");
  });

  it("is asked with prompt=consent, also of the operator's own programs", async () => {
    const { service, client, email, visitor } = await prepared(current(), { consent: "none" });
    const proven = await authorize(service, client, { email }, { prompt: "consent" }, visitor);
    const page = await visitor.get(proven.location.href);
    expect((await visitor.submit(page, "/step/consent", {})).location.searchParams.has("code")).toBe(true);
  });

  it("is asked once for each person and client", async () => {
    const { service, app, client, email, visitor } = await prepared(current());
    const proven = await authorize(service, client, { email }, {}, visitor);
    await visitor.submit(await visitor.get(proven.location.href), "/step/consent", {});
    const other = newEmail();
    await signUp(service, app, { email: other });
    const theirs = await authorize(service, client, { email: other });
    expect(theirs.location.pathname).toMatch(/^\/sign-in\//u);
    const second = await createTestClient(service, app, { consent: "ask" });
    const silent = await visitor.get(authorizeUrl(service, second, { prompt: "none" }));
    expect(answerOf(silent)["error"]).toBe("consent_required");
  });

  it("C8: cannot be given by another site, in a frame, in another browser, or before the proof", async () => {
    const { service, client, email, visitor } = await prepared(current());
    const start = await visitor.get(authorizeUrl(service, client));
    const form = await visitor.get(start.location.href);
    const { token = "" } = form.form("/password").fields;
    const early = await visitor.post(`${start.location.href}/step/consent`, { token });
    expect(early.location.href).toBe(start.location.href);

    const proven = await authorize(service, client, { email }, {}, visitor);
    const page = await visitor.get(proven.location.href);
    expect(page.headers.get("x-frame-options")).toBe("DENY");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const forged = await visitor.submit(page, "/step/consent", {}, { "sec-fetch-site": "cross-site" });
    expect(forged.status).toBe(403);
    expect((await visitor.submit(page, "/step/consent", { token: "x" })).status).toBe(403);
    const { fields } = page.form("/step/consent");
    const stranger = await new Visitor().post(`${proven.location.href}/step/consent`, fields);
    expect(stranger.status).toBe(403);
    expect((await visitor.submit(page, "/step/consent", {})).location.searchParams.has("code")).toBe(true);
    const twice = await visitor.submit(page, "/step/consent", {});
    expect(twice.headers.get("location")).toBeNull();
  });

  it("is worth nothing once the proof is: the password was reset meanwhile", async () => {
    const { service, app, client, email, visitor } = await prepared(current());
    const proven = await authorize(service, client, { email }, {}, visitor);
    const page = await visitor.get(proven.location.href);
    const { ctx } = service.server.app;
    const user = await users.findByEmail(ctx.storage.reader, app.id, email);
    await service.server.app.ctx.storage.write((tx) => cancelCodesOfUser(tx, user?.id ?? "", service.clock.now));
    const late = await visitor.submit(page, "/step/consent", {});
    expect(late.location.href).toBe(proven.location.href);
    expect((await visitor.get(late.location.href)).form("/password")).toBeDefined();
  });
});
