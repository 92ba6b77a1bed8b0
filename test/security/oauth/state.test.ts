import { expect, it } from "vitest";
import { initiate, newEmail, Visitor, type Page } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { identitiesOf, usersOf } from "../../support/providers/records.ts";
import {
  appWith,
  atProvider,
  codeOf,
  comeBack,
  startFromPage,
  startRound,
  type Started,
} from "../../support/providers/round.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const [github, google] = await useProviders("github", "google");

describeSqliteFirst("the state of a round", (service) => {
  let subjects = 0;
  const somebody = () => ({ subject: String((subjects += 1)), email: newEmail(), verified: true });

  async function begun(service: TestService): Promise<{ app: TestApp; round: Started; callback: URL }> {
    const app = await appWith(service, [github, google]);
    const round = await startRound(service, app, github);
    const { url } = await atProvider(round.address, github, somebody());
    return { app, round, callback: new URL(url) };
  }

  function expectRefusal(page: Page, status: number): void {
    expect(page.status).toBe(status);
    expect(page.headers.get("location")).toBeNull();
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  }

  async function expectNobody(service: TestService, app: TestApp): Promise<void> {
    expect(await identitiesOf(service, app)).toEqual([]);
    expect(await usersOf(service, app)).toEqual([]);
    expect(github.received.filter(({ path }) => path === "/token")).toEqual([]);
  }

  it.each([
    ["missing", (url: URL) => url.searchParams.delete("state")],
    ["empty", (url: URL) => url.searchParams.set("state", "")],
    ["unknown", (url: URL) => url.searchParams.set("state", "A".repeat(43))],
    ["short", (url: URL) => url.searchParams.set("state", "x")],
    ["altered", (url: URL) => url.searchParams.set("state", `${url.searchParams.get("state")?.slice(0, -1)}~`)],
    ["long", (url: URL) => url.searchParams.set("state", "A".repeat(4000))],
    ["of other letters", (url: URL) => url.searchParams.set("state", "' OR 1=1 --<script>".padEnd(43, "x"))],
  ])("O5: a state that is %s: a page that tells nothing, and the round stays good", async (_title, change) => {
    const { app, round, callback } = await begun(service);
    const wrong = new URL(callback);
    change(wrong);
    const page = await round.visitor.get(wrong.href);
    expectRefusal(page, 404);
    expect(page.text).not.toContain("Acme");
    await expectNobody(service, app);
    expect(codeOf(await round.visitor.get(callback.href))).toHaveLength(43);
  });

  it("O5: a state given twice is refused", async () => {
    const { round, callback } = await begun(service);
    const state = callback.searchParams.get("state") ?? "";
    expectRefusal(await round.visitor.get(`${callback.href}&state=${state}`), 400);
  });

  it("O5, S2, CVE-2025-46815: a state works once: the second use is told that the sign-in is done, and asks the provider nothing", async () => {
    const { app, round, callback } = await begun(service);
    codeOf(await round.visitor.get(callback.href));
    expectRefusal(await round.visitor.get(callback.href), 404);
    expect(await usersOf(service, app)).toHaveLength(1);
    expect(github.received.filter(({ path }) => path === "/token")).toHaveLength(1);
  });

  it("O5, S3: of 50 callbacks at once with the same state, one signs in", async () => {
    const { app, round, callback } = await begun(service);
    const pages = await Promise.all(Array.from({ length: 50 }, () => round.visitor.get(callback.href)));
    const signedIn = pages.filter(({ status }) => status === 303);
    expect(signedIn).toHaveLength(1);
    for (const page of pages) if (page !== signedIn[0]) expectRefusal(page, 404);
    expect(await usersOf(service, app)).toHaveLength(1);
    expect(github.received.filter(({ path }) => path === "/token")).toHaveLength(1);
  });

  it("O5, S7: a state is worth nothing in another browser, with no cookie, a cookie of its own, or one of another session", async () => {
    const withOther = async (app: TestApp): Promise<Visitor> => (await startRound(service, app, github)).visitor;
    const browsers = [async () => new Visitor(), withOther];
    for (const browser of browsers) {
      const { app, round, callback } = await begun(service);
      const victim = await browser(app);
      expectRefusal(await victim.get(callback.href), 403);
      await expectNobody(service, app);
      // What was tried from elsewhere is used up: the answer has left the browser that it was meant
      // for.
      expectRefusal(await round.visitor.get(callback.href), 404);
      await expectNobody(service, app);
    }
  });

  it("O5, S7: a state is worth nothing when the victim's browser has opened the attacker's sign-in", async () => {
    const { app, round, callback } = await begun(service);
    const victim = new Visitor();
    expectRefusal(await victim.get(round.session.authUrl), 403);
    expectRefusal(await victim.get(callback.href), 403);
    await expectNobody(service, app);
  });

  it("O5, O8, GHSA-x445-f3h2-j279: the state of one provider is worth nothing at another's callback, and is used up there", async () => {
    const { app, round, callback } = await begun(service);
    const mixedUp = callback.href.replace("/oauth/github/", "/oauth/google/");
    expectRefusal(await round.visitor.get(mixedUp), 404);
    expectRefusal(await round.visitor.get(callback.href), 404);
    await expectNobody(service, app);
    expect(google.received).toEqual([]);
  });

  it.each(["nowhere", "GitHub%00", "..%2fgithub", "%E0%A4%A"])(
    "O8: a state at the callback of %s leads nowhere",
    async (name) => {
      const { app, round, callback } = await begun(service);
      const page = await round.visitor.get(callback.href.replace("/oauth/github/", `/oauth/${name}/`));
      expect([400, 404]).toContain(page.status);
      await expectNobody(service, app);
    },
  );

  it("O5: the callback takes the provider's name in any letter case", async () => {
    const { round, callback } = await begun(service);
    codeOf(await round.visitor.get(callback.href.replace("/oauth/github/", "/oauth/GitHub/")));
  });

  it("O5: a state ends with the session, after ten minutes", async () => {
    const { app, round, callback } = await begun(service);
    service.clock.advance(10 * 60_000);
    const page = await round.visitor.get(callback.href);
    expect([404, 410]).toContain(page.status);
    expect(page.text).toContain("timed out");
    await expectNobody(service, app);
  });

  it("O5: a state leads nowhere when the session was finished another way in the meantime", async () => {
    const app = await appWith(service, [github, google]);
    const first = await startFromPage(service, app, github);
    const back = await atProvider(first.address, github, somebody());
    // The same browser, another tab.
    const page = await first.visitor.get(first.session.authUrl);
    const second = await first.visitor.submit(page, "/oauth/google", {});
    codeOf(await comeBack(first.visitor, await atProvider(second.location, google, somebody())));
    const late = await comeBack(first.visitor, back);
    expect(late.headers.get("location")).toBeNull();
    expect([200, 403]).toContain(late.status);
    expect(await usersOf(service, app)).toHaveLength(1);
  });

  it("O5: each start has a state of its own, which lets a browser that started twice finish either round, and only one", async () => {
    const app = await appWith(service, [github]);
    const first = await startRound(service, app, github);
    const again = await first.visitor.get(first.session.authUrl);
    expect(again.location.searchParams.get("state")).not.toBe(first.address.searchParams.get("state"));
    const person = somebody();
    const backs = [await atProvider(first.address, github, person), await atProvider(again.location, github, person)];
    const pages = await Promise.all(backs.map(async (back) => await comeBack(first.visitor, back)));
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(await usersOf(service, app)).toHaveLength(1);
  });

  it("O5, S7: a state is not made by a HEAD or a prefetch of the sign-in's address, which belongs to nobody after them", async () => {
    const app = await appWith(service, [github]);
    const { authUrl } = await initiate(service, app, { authMethod: "oauth", provider: "github" });
    expect((await fetch(authUrl, { method: "HEAD", redirect: "manual" })).headers.get("location")).toBeNull();
    expectRefusal(await new Visitor().get(authUrl, { "sec-purpose": "prefetch;prerender" }), 200);
    expect((await new Visitor().get(authUrl)).status).toBe(303);
  });
});
