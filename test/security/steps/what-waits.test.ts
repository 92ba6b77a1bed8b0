import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { routes } from "../../../src/routes.ts";
import { listTermsAnswers } from "../../../src/users/terms-store.ts";
import * as administration from "../../../src/people/administration.ts";
import { accountUrl, openAccount, press, proveAt } from "../../support/account.ts";
import { forProxies } from "../../support/forward-auth.ts";
import { signedUp, type Page } from "../../support/person.ts";
import { newPersonalToken } from "../../support/personal-tokens.ts";
import { addressOf } from "../../support/routes.ts";
import { describeSqliteFirst, describeOnSqlite } from "../../support/service.ts";
import {
  answerTerms,
  ask,
  codeOf,
  fillIn,
  follow,
  signInToStep,
  someTerms,
  stepOf,
  team,
} from "../../support/waiting-steps.ts";
import { doors, newHolder, waits } from "./what-waits.ts";

describeSqliteFirst("what waits for a person", forProxies, (current) => {
  it.each(Object.keys(waits))("H12: with %s, each door opens or not as the table says", async (name) => {
    const service = current();
    const wait = waits[name];
    if (!wait) throw new Error("no such row");
    const holder = await newHolder(service);
    await wait.begin(service, holder);
    const cells: Record<string, string> = {};
    for (const [door, { opens }] of Object.entries(doors))
      cells[door] = (await opens(service, holder)) ? "continues" : "stops";
    expect(cells).toEqual(wait.cells);
  });
});

describeOnSqlite("a personal access token", (current) => {
  it("H12: is made after the step that waits, which a sign-in asks for on the way", async () => {
    const service = current();
    const app = await service.createApp();
    const { email, user } = await signedUp(service, app);
    const { ctx } = service.server.app;
    const by = { actor: { kind: "cli", name: "test" } } as const;
    await administration.update(ctx, String(user["id"]), { emailVerified: true }, { dryRun: false }, by);
    const { visitor } = await signInToStep(service, app, { email });
    await ask(service, app, { personalTokens: true });
    const form = await visitor.get(accountUrl(service, app, "/new-token"));
    await ask(service, app, { ...someTerms });
    // Posted by hand, from the page as it was before.
    const made = await press(app, visitor, form, "/account/new-token", { name: "Script", "scope.profile": "on" });
    expect([made.status, made.location.pathname]).toEqual([303, expect.stringMatching(/^\/sign-in\//u)]);
    const page = await follow(visitor, await proveAt(visitor, made, email));
    expect(stepOf(page)).toBe("terms");
    const back = await answerTerms(visitor, page, "yes");
    const account = await visitor.get(back.location.href);
    expect(account.location.pathname).toBe("/account/new-token");
    expect(await newPersonalToken(service, app, visitor)).toMatch(/^pat_/u);
  });
});

describe("the page about what waits", () => {
  it("has each row and each cell of the table", () => {
    const page = readFileSync(path.join(import.meta.dirname, "../../../docs/terms-and-profile.md"), "utf8");
    const [, section = ""] = page.split("## What a step stops");
    const lines = section.split("\n").filter((line) => line.startsWith("|"));
    const shown = lines.map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const heads = Object.values(doors).map(({ head }) => head);
    const rows = Object.entries(waits)
      .filter(([name]) => name !== "nothing")
      .map(([, { head, cells }]) => [head, ...Object.keys(doors).map((door) => cells[door])]);
    expect([shown[0], ...shown.slice(2)]).toEqual([["", ...heads], ...rows]);
  });
});

describeOnSqlite("a session that waits for an answer", (current) => {
  function hasCode(page: Page): boolean {
    return page.location.searchParams.has("code") && page.location.origin !== new URL(page.url).origin;
  }

  it("H12: no route of the service gives a code or a page of the account for its cookies", async () => {
    const service = current();
    const app = await service.createApp();
    const { email } = await signedUp(service, app);
    await ask(service, app, { ...someTerms, profileFields: [team] });
    const { session, visitor, page } = await signInToStep(service, app, { email });
    const { fields } = page.form("/step/terms");
    const made = { ...fields, answer: "maybe", version: "0", code: "123456", credential: "{}", organization: "none" };
    let tried = 0;
    for (const { method, path: route } of routes) {
      if (route.endsWith("/cancel") || route.endsWith("/deny")) continue;
      const address = `${service.url}${addressOf({ path: route }, { sessionId: session.sessionId, appId: app.id })}?app_id=${app.id}`;
      const browser = visitor.copy();
      const answer = method === "POST" ? await browser.post(address, made) : await browser.get(address);
      tried += 1;
      expect([`${method} ${route}`, hasCode(answer)]).toEqual([`${method} ${route}`, false]);
    }
    expect(tried).toBeGreaterThan(80);
    expect((await openAccount(service, app, visitor)).status).toBe(303);
  });

  it("H12: the second step cannot be answered before the first, nor the first twice", async () => {
    const service = current();
    const app = await service.createApp();
    const { email, user } = await signedUp(service, app);
    await ask(service, app, { ...someTerms, profileFields: [team] });
    const { session, visitor, page } = await signInToStep(service, app, { email });
    const { fields } = page.form("/step/terms");
    const early = await visitor.post(`${session.authUrl}/step/profile`, { ...fields, "profile-team": "Blue" });
    expect(stepOf(await visitor.get(early.location.href))).toBe("terms");
    const next = await answerTerms(visitor, page, "yes");
    const again = await visitor.post(`${session.authUrl}/step/terms`, {
      ...next.form("/step/profile").fields,
      version: "1",
      answer: "no",
    });
    expect(stepOf(await visitor.get(again.location.href))).toBe("profile");
    const { reader } = service.server.app.ctx.storage;
    expect(await listTermsAnswers(reader, String(user["id"]))).toMatchObject([{ accepted: true }]);
    const answered = next.form("/step/profile").fields;
    const both = await Promise.all(
      ["Blue", "Red"].map((value) =>
        visitor.copy().post(`${session.authUrl}/step/profile`, { ...answered, "profile-team": value }),
      ),
    );
    expect(both.filter(hasCode)).toHaveLength(1);
  });

  it("H13: in a browser of somebody else, a no ends nothing of theirs", async () => {
    const service = current();
    const app = await service.createApp();
    const [one, other] = [await signedUp(service, app), await signedUp(service, app)];
    const { visitor } = await signInToStep(service, app, one);
    expect((await openAccount(service, app, visitor)).status).toBe(200);
    await ask(service, app, someTerms);
    const { page } = await signInToStep(service, app, other, visitor);
    const declined = await answerTerms(visitor, page, "no");
    expect(declined.location.searchParams.get("error")).toBe("access_denied");
    expect((await openAccount(service, app, visitor)).status).toBe(200);
  });

  it("H13: a reset password cancels the proof that a step rests on", async () => {
    const service = current();
    const app = await service.createApp();
    const { email, user } = await signedUp(service, app);
    await ask(service, app, { profileFields: [team] });
    const { visitor, page } = await signInToStep(service, app, { email });
    const by = { actor: { kind: "cli", name: "test" } } as const;
    await administration.revokeLogins(service.server.app.ctx, String(user["id"]), { dryRun: false }, by);
    const after = await fillIn(visitor, page, { team: "Blue" });
    expect(codeOf(after)).toBe("");
    expect(after.text).toContain("/password");
  });
});
