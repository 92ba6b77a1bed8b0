import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import * as resetLinks from "../../src/credentials/mailed/reset-links.ts";
import * as userAdministration from "../../src/people/administration.ts";
import * as groups from "../../src/users/groups/service.ts";
import { insertAuditEvent } from "../../src/records/audit/store.ts";
import { openConsole } from "../support/console.ts";
import { invite } from "../support/invites.ts";
import { newUser } from "../support/mail-flows.ts";
import { setProvider } from "../support/methods.ts";
import { newEmail, type Page } from "../support/person.ts";
import { describeSqliteFirst, updateApp, type TestService } from "../support/service.ts";
import { createEndpoint, happen, localWebhooks } from "../support/webhooks.ts";
import { closedClient, mailAway, newSomebody } from "./somebody.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;

/** What a reader sees of a page, without commands. */
function textOf({ text }: Page): string {
  return text
    .replaceAll(/<div class="command">[\s\S]*?<\/div>/gu, "")
    .replaceAll(/<[^>]+>/gu, " ")
    .replaceAll(/\s+/gu, " ");
}

function partOf(page: Page, heading: string): string {
  const part = [...page.text.matchAll(/<section class="part">[\s\S]*?<\/section>/gu)].find(([text]) =>
    text.includes(`<h2>${heading}</h2>`),
  );
  return part ? textOf({ text: part[0] } as Page) : "";
}

async function addEvents(service: TestService, events: { userId: string; at: number; count: number }): Promise<void> {
  const { userId, at, count } = events;
  await service.server.app.ctx.storage.write(async (tx) => {
    for (let index = 0; index < count; index += 1) {
      const id = `aud_test${String(index).padStart(4, "0")}${userId}`;
      const event = { actor: `user:${userId}`, action: "user.update", result: "success" } as const;
      const rest = { appId: null, ipAddress: null, requestId: null, details: { fields: `nr${index}.` } };
      await insertAuditEvent(tx, { id, at, userId, ...event, ...rest });
    }
  });
}

describeSqliteFirst("a person's page", { ...mailAway, ...localWebhooks }, (current) => {
  it("shows everything about somebody who has everything", async () => {
    const service = current();
    const app = await service.createApp({ authMethods: { oauth: { enabled: true, providers: ["google"] } } });
    await setProvider(service, app);
    await createEndpoint(service, app, { url: "http://127.0.0.1:9/hook", events: ["user.login"] });
    await closedClient(service, app);
    const { id, email } = await newSomebody(service, app);
    await resetLinks.linkFor(service.server.app.ctx, id, { send: true, dryRun: false }, by.actor);
    const console = await openConsole(service);
    const page = await console.get(`/people/${id}`);
    expect(page.status).toBe(200);
    expect(partOf(page, "Profile")).toMatch(new RegExp(`${email} verified .*${id.slice(-6)}.*Acme`, "u"));
    expect(page.text).toContain(`title="${id}"`);
    const into = partOf(page, "Can they sign in?");
    for (const way of ["a passkey", "the password, then a code of their authenticator app"])
      expect(into).toContain(`With ${way}.`);
    expect(into).toContain("With a provider, then a code of their authenticator app.");
    expect(into).toMatch(/Wiki yes/u);
    expect(into).toMatch(/Payroll no Not in its groups: admins/u);
    expect(partOf(page, "Methods")).toMatch(/Password .*Passkey: Pixel 9 .*Google : mth_/u);
    expect(partOf(page, "Second factor")).toMatch(/Recovery codes left 1 .*Trusted browsers .*Firefox/u);
    expect(partOf(page, "Logins")).toContain("Grace acts as them: ticket 4711");
    expect(partOf(page, "Groups")).toMatch(/editors .*staff/u);
    expect(partOf(page, "Programs with access")).toMatch(/Wiki openid email/u);
    expect(partOf(page, "Metadata")).toMatch(/&quot;plan&quot;: &quot;pro&quot;.*&quot;customer&quot;: 4711/u);
    const happened = partOf(page, "Time line");
    for (const words of [
      "Account created",
      "Signed in",
      "Added to a group",
      "Metadata changed",
      "Token made to act as this person",
      "Webhook “login started”",
      "Mail waiting to be sent: password reset",
    ])
      expect.soft(happened).toContain(words);
    expect(page.text).toMatch(new RegExp(`/console/people/${id}\\?open=lgn_\\w+#open`, "u"));
    expect(page.text).toMatch(/href="\/console\/webhooks\/whe_\w+"/u);
    expect(page.text).toContain('href="/console/mail"');
  });

  it("reads the time line to its end, each entry once, many of one instant", async () => {
    const service = current();
    const app = await service.createApp();
    await createEndpoint(service, app, { url: "http://127.0.0.1:9/hook", events: ["user.login"] });
    const { id } = await newUser(service, app);
    await addEvents(service, { userId: id, at: service.clock.now, count: 61 });
    for (const sessionId of ["lgn_1", "lgn_2", "lgn_3"]) await happen(service, app, { userId: id, sessionId });
    const console = await openConsole(service);
    const seen: string[] = [];
    let path: string | undefined = `/people/${id}`;
    while (path !== undefined) {
      const page: Page = await console.get(path);
      seen.push(...[...page.text.matchAll(/(nr\d+\.|Webhook(?= “))/gu)].map(([, entry = ""]) => entry));
      path = /href="\/console(\/people\/[^"#]*\?before=[^"#]*)#time-line">Older/u.exec(page.text)?.[1];
    }
    expect(seen).toHaveLength(61 + 3);
    expect(seen.slice(61)).toEqual(["Webhook", "Webhook", "Webhook"]);
    expect(new Set(seen).size).toBe(61 + 1);
  });

  it.each(["x", "0.audit.", "1.nothing.a", "99999999999999999.audit.a", "1.mail.'--"])(
    "takes a position that no page gave for a page: %s",
    async (before) => {
      const service = current();
      const { id } = await newUser(service, await service.createApp());
      const console = await openConsole(service);
      expect((await console.get(`/people/${id}?before=${before}`)).status).toBe(200);
    },
  );

  it("says what keeps somebody from signing in", async () => {
    const service = current();
    const app = await service.createApp();
    const console = await openConsole(service);
    const invited = await newUser(service, app, { emailVerified: false });
    const nothing = await console.get(`/people/${invited.id}`);
    expect(textOf(nothing)).toContain("They have no way to sign in, and no invitation is open.");
    expect(nothing.text).toContain("Mail an invitation");

    const somebody = await newSomebody(service, app, { hasFactor: false });
    await updateApp(service, app, {
      settings: { secondFactor: "required" },
      authMethods: { passkey: { enabled: false } },
    });
    const required = await console.get(`/people/${somebody.id}`);
    expect(partOf(required, "Methods")).toMatch(/Passkey: Pixel 9 .*no off in this application/u);
    expect(partOf(required, "Second factor")).toContain("Required yes, by the application or a group");
    await userAdministration.disable(service.server.app.ctx, somebody.id, { dryRun: false }, by);
    const disabled = await console.get(`/people/${somebody.id}`);
    expect(textOf(disabled)).toContain("No. The account was disabled");
    expect(disabled.text).toContain("/enable");
  });

  it("shows names with markup, direction marks and escapes as text", async () => {
    const service = current();
    const app = await service.createApp();
    const { id } = await newUser(service, app);
    const name = '<script>alert(1)</script>"\u202Egnp\u001B[2J';
    const { storage } = service.server.app.ctx;
    const stored = { name, lastUserAgent: "<b>\u202E", privateMetadata: { "</pre><i>": "\u202E\u001B" } };
    await storage.write(async ({ db, tables: { users } }) => {
      await db.update(users).set(stored).where(eq(users.id, id));
    });
    const console = await openConsole(service);
    for (const path of [`/people/${id}`, `/people?app=${app.id}`]) {
      const { text } = await console.get(path);
      expect(text).not.toContain("<script>alert");
      expect(text).not.toContain("<b>\\u");
      expect(text).not.toContain("</pre><i>");
      // As a value of the form it is what is stored; anywhere else it is written as an escape.
      const outsideForms = text.replaceAll(/value="[^"]*"/gu, "");
      for (const hidden of ["\u202E", "\u001B"]) expect(outsideForms).not.toContain(hidden);
      expect(outsideForms).toContain("\\u202egnp\\u001b");
    }
  });
});

describeSqliteFirst("who may see and change a person", mailAway, (current) => {
  it("a viewer sees everything, has no form, and is refused each act", async () => {
    const service = current();
    const app = await service.createApp();
    const { id } = await newSomebody(service, app);
    const [owner, viewer] = [await openConsole(service), await openConsole(service, { role: "viewer" })];
    const page = await viewer.get(`/people/${id}`);
    expect(partOf(page, "Methods")).toContain("Pixel 9");
    expect([...page.text.matchAll(/<form method="post" action="([^"]*)"/gu)].map(([, action]) => action)).toEqual([
      "/console/sign-out",
    ]);
    const { fields } = page.form("/sign-out");
    const actions = [
      ...(await owner.get(`/people/${id}`)).text.matchAll(/method="post" action="(\/console\/people\/[^"]*)"/gu),
    ];
    expect(actions.length).toBeGreaterThan(15);
    for (const [, action = ""] of actions)
      expect((await viewer.visitor.post(viewer.url + action, fields)).status, action).toBe(403);
    for (const action of ["invite", "create"])
      expect((await viewer.visitor.post(`${viewer.url}/console/people/${action}`, fields)).status).toBe(403);
    expect((await owner.get(`/people/${id}`)).text).toContain("/disable");
  });

  it("support helps people, and neither deletes them, creates them nor changes their groups", async () => {
    const service = current();
    const app = await service.createApp();
    const { id } = await newSomebody(service, app);
    const support = await openConsole(service, { role: "support" });
    const page = await support.get(`/people/${id}`);
    const { fields } = page.form(`/${id}/disable`);
    for (const path of [`${id}/delete`, `${id}/groups`, `${id}/groups/staff/remove`, "create"]) {
      expect(page.text).not.toContain(`/console/people/${path}"`);
      expect((await support.visitor.post(`${support.url}/console/people/${path}`, fields)).status, path).toBe(403);
    }
    expect(await groups.ofUser(service.server.app.ctx.storage.reader, id)).toEqual(["editors", "staff"]);
  });

  it("an operator of one application finds nobody of another, and changes nobody there", async () => {
    const service = current();
    const [own, other] = [await service.createApp(), await service.createApp()];
    const email = newEmail();
    const [mine, theirs] = [await newUser(service, own, { email }), await newUser(service, other, { email })];
    const console = await openConsole(service, { appId: own.id });
    const { fields } = (await console.get(`/people/${mine.id}`)).form("/disable");
    for (const id of [theirs.id, "usr_nobody"]) {
      expect((await console.get(`/people/${id}`)).status).toBe(404);
      const posted = await console.visitor.post(`${console.url}/console/people/${id}/disable`, fields);
      expect(posted.status).toBe(404);
    }
    const found = await console.get(`/people?q=${encodeURIComponent(email)}`);
    expect(found.location.pathname).toBe(`/console/people/${mine.id}`);
    expect((await console.get(`/people?q=${theirs.id}`)).text).not.toContain(`/people/${theirs.id}`);
    expect((await console.get(`/people?app=${other.id}`)).text).not.toContain(theirs.id);
    const elsewhere = { ...fields, appId: other.id, email: newEmail() };
    for (const act of ["invite", "create"])
      expect((await console.visitor.post(`${console.url}/console/people/${act}`, elsewhere)).status).toBe(404);
    const { disabledAt } = await userAdministration.get(service.server.app.ctx, theirs.id);
    expect(disabledAt).toBeNull();
  });
});

describe("a form that is posted from elsewhere", () => {
  describeSqliteFirst("without this session's token", (current) => {
    it("changes nothing", async () => {
      const service = current();
      const app = await service.createApp();
      const { userId } = await invite(service, app, newEmail(), { link: true });
      const console = await openConsole(service);
      const page = await console.get(`/people/${userId}`);
      for (const token of ["", "x"]) {
        const posted = await console.visitor.submit(page, "/disable", { token });
        expect(posted.status).toBe(403);
      }
      expect((await userAdministration.get(service.server.app.ctx, userId ?? "")).disabledAt).toBeNull();
    });
  });
});
