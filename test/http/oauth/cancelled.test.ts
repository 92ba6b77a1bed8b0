import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { goodPassword, newEmail, signUp } from "../../support/person.ts";
import type { KindName } from "../../support/providers/kinds.ts";
import { startProvider, type FakeProvider } from "../../support/providers/provider.ts";
import { usersOf } from "../../support/providers/records.ts";
import { withProviders, atProvider, comeBack, startFromPage, startRound } from "../../support/providers/round.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const nobody = { subject: "1", email: "nobody@example.org" };

/** Apple says "user_cancelled_authorize", the others what RFC 6749 says. */
const cancellations: [kind: KindName, error: string][] = [
  ["github", "access_denied"],
  ["apple", "user_cancelled_authorize"],
];

describeSqliteFirst("somebody who turns back", (current) => {
  describe.each(cancellations)("at %s (%s)", (kind, error) => {
    let provider: FakeProvider;
    beforeAll(async () => {
      provider = await startProvider(kind);
    });
    afterEach(() => provider.reset());
    afterAll(async () => await provider.close());

    it("having come from the sign-in page finds it again with a word about it, and can sign in another way", async () => {
      const { service, app } = await withProviders(current(), [provider]);
      const email = newEmail();
      await signUp(service, app, { email });
      const round = await startFromPage(service, app, provider);
      provider.refusal = error;
      const page = await comeBack(round.visitor, await atProvider(round.address, provider, nobody));
      expect(page.status).toBe(400);
      expect(page.text).toContain(`You came back from ${provider.displayName} without signing in.`);
      const done = await round.visitor.submit(page, "/password", { email, password: goodPassword });
      expect(done.location.searchParams.get("code")).toHaveLength(43);
    });

    it("having been sent by the app is sent back to it with access_denied", async () => {
      const { service, app } = await withProviders(current(), [provider]);
      const round = await startRound(service, app, provider, { state: "st" });
      provider.refusal = error;
      const page = await comeBack(round.visitor, await atProvider(round.address, provider, nobody));
      expect(page.status).toBe(303);
      expect(page.location.href.split("?")[0]).toBe(app.redirectUri);
      expect(Object.fromEntries(page.location.searchParams)).toEqual({
        error: "access_denied",
        error_description: "The sign-in was cancelled.",
        state: "st",
        sessionId: round.session.sessionId,
      });
      expect(await usersOf(service, app)).toEqual([]);
    });
  });

  describe("or whom the provider refuses", () => {
    let provider: FakeProvider;
    beforeAll(async () => {
      provider = await startProvider("github");
    });
    afterEach(() => provider.reset());
    afterAll(async () => await provider.close());

    it.each([
      "server_error",
      "temporarily_unavailable",
      "invalid_scope",
      "",
      "<script>alert(1)</script>",
      "x".repeat(2000),
    ])("with %j finds a page that repeats nothing of it", async (error) => {
      const { service, app } = await withProviders(current(), [provider]);
      const round = await startRound(service, app, provider);
      provider.refusal = error;
      provider.extra = { error_description: "<b>call 555-0100</b>", error_uri: "https://evil.example/help" };
      const page = await comeBack(round.visitor, await atProvider(round.address, provider, nobody));
      expect(page.status).toBe(400);
      expect(page.text).toContain("GitHub didn&#39;t answer as expected.");
      for (const told of ["555-0100", "evil.example", "<script>alert"]) expect(page.text).not.toContain(told);
      expect(provider.received.filter(({ path }) => path === "/token")).toEqual([]);
    });

    it("with neither code nor error finds a page", async () => {
      const { service, app } = await withProviders(current(), [provider]);
      const round = await startRound(service, app, provider);
      const { url } = await atProvider(round.address, provider, nobody);
      const bare = new URL(url);
      bare.searchParams.delete("code");
      expect((await round.visitor.get(bare.href)).status).toBe(400);
    });

    it.each(["", "x", "a".repeat(6000), "code-of-somebody-else"])("with the code %j finds a page", async (code) => {
      const { service, app } = await withProviders(current(), [provider]);
      const round = await startRound(service, app, provider);
      const { url } = await atProvider(round.address, provider, nobody);
      const wrong = new URL(url);
      wrong.searchParams.set("code", code);
      expect((await round.visitor.get(wrong.href)).status).toBe(400);
      expect(await usersOf(service, app)).toEqual([]);
    });

    it("S2, CVE-2025-46815: cannot finish with a code that was issued for somebody else's round (PKCE)", async () => {
      const { service, app } = await withProviders(current(), [provider]);
      const attacker = await startRound(service, app, provider);
      const victim = await startRound(service, app, provider);
      const stolen = new URL((await atProvider(victim.address, provider, nobody)).url).searchParams.get("code") ?? "";
      const injected = new URL((await atProvider(attacker.address, provider, nobody)).url);
      injected.searchParams.set("code", stolen);
      expect((await attacker.visitor.get(injected.href)).status).toBe(400);
      expect(provider.complaints).toEqual(["github: token: code_verifier: does not belong to the code_challenge"]);
      expect(await usersOf(service, app)).toEqual([]);
    });
  });
});
