import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import * as apiKeys from "../../src/applications/keys.ts";
import * as applications from "../../src/applications/service.ts";
import * as clients from "../../src/applications/clients/service.ts";
import { pathOf } from "../../src/console/route.ts";
import { consoleRoutes } from "../../src/console/routes.ts";
import * as resetLinks from "../../src/credentials/mailed/reset-links.ts";
import { recordFactorTries } from "../../src/factors/store.ts";
import * as domains from "../../src/organizations/domains/service.ts";
import * as invitations from "../../src/organizations/invitations.ts";
import * as organizations from "../../src/organizations/service.ts";
import * as operators from "../../src/operators/service.ts";
import * as userAdministration from "../../src/people/administration.ts";
import { insertAuditEvent } from "../../src/records/audit/store.ts";
import { insertSentMail } from "../../src/records/mail/sent-store.ts";
import * as deliveries from "../../src/records/webhooks/deliveries.ts";
import * as signingKeys from "../../src/tokens/signing-keys.ts";
import * as groups from "../../src/users/groups/service.ts";
import { closedClient, mailAway, newSomebody } from "../console/somebody.ts";
import { freePort } from "../support/free-port.ts";
import { blockPassword } from "../support/limits.ts";
import { newUser } from "../support/mail-flows.ts";
import { setProvider } from "../support/methods.ts";
import { makeOperator, signInTo } from "../support/operators.ts";
import { Visitor } from "../support/person.ts";
import { updateApp, type TestApp } from "../support/service.ts";
import { createEndpoint, happen, localWebhooks } from "../support/webhooks.ts";
import { violations } from "./support/everybody.ts";
import { layoutFaults } from "./support/layout.ts";
import { describeInBrowser, type Stage } from "./support/stage.ts";
import { inPage, pageFor } from "./support/steps.ts";

const port = await freePort();
const team = { host: "127.0.0.1", port, baseUrl: `http://127.0.0.1:${port}` };
const by = { actor: { kind: "cli", name: "test" } } as const;
const widths = [1440, 1280, 1024, 768, 390];
const wide = 1280;
const phone = 390;
const word = "Rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetz";
const longest = (length: number): string =>
  `${word} `
    .repeat(10)
    .slice(0, length - 1)
    .padEnd(length, "x");
const longDomain = `${`${"e".repeat(60)}.`.repeat(3)}example.org`;
const unbroken = (length: number): string => word.repeat(10).slice(0, length);

/** Every kind of thing that a page shows, each with the longest texts that are allowed. */
async function fill(stage: Stage): Promise<Record<string, string>> {
  const { service } = stage;
  const { ctx } = service.server.app;
  const app = await service.createApp({
    id: `app_${"x".repeat(40)}`,
    name: longest(200),
    redirectUris: [`https://${"sub.".repeat(20)}example/${unbroken(200)}`],
    authMethods: { oauth: { enabled: true, providers: ["google"] } },
  });
  await setProvider(service, app);
  await apiKeys.createKey(ctx, { appId: app.id, label: unbroken(64) }, by.actor);
  const { id: userId, clientId } = await newSomebody(service, app);
  const email = `${"a".repeat(64)}@${`${"b".repeat(60)}.`.repeat(2)}example.org`;
  await userAdministration.update(ctx, userId, { name: unbroken(200), email }, { dryRun: false }, by);
  await newUser(service, app);
  // What closes every way to sign in, and the same address elsewhere.
  await blockPassword(service, app, email);
  await ctx.storage.write((tx) => recordFactorTries(tx, { userId, failures: 100, blockedUntil: 0 }));
  await clients.update(ctx, await closedClient(service, app), { name: longest(200) }, by);
  await newUser(service, await service.createApp({ name: unbroken(200) }), { email });
  await clients.update(ctx, clientId, { name: unbroken(200) }, by);
  const group = unbroken(64);
  await groups.put(ctx, app.id, group, {}, by);
  await groups.add(ctx, app.id, group, [userId], by);
  await resetLinks.linkFor(ctx, userId, { send: true, dryRun: false }, by.actor);
  const id = await createEndpoint(service, app, { url: `http://127.0.0.1:9/${unbroken(300)}` });
  await happen(service, app, { userId });
  await signingKeys.list(ctx);
  await fetch(`${service.url}/.well-known/jwks.json`);
  const event = {
    appId: app.id,
    userId,
    action: "user.update",
    actor: `cli:${unbroken(64)}`,
    requestId: "req_1",
  } as const;
  const details = { fields: unbroken(300), reason: longest(300) };
  const row = {
    ...event,
    id: "aud_long",
    at: ctx.clock(),
    result: "failure",
    ipAddress: `2001:db8:${"ffff:".repeat(5)}ffff`,
  } as const;
  await ctx.storage.write(async (tx) => {
    await insertAuditEvent(tx, { ...row, details });
    const sent = { appId: app.id, userId, kind: "verify", sentAt: ctx.clock(), answer: unbroken(200) } as const;
    await insertSentMail(tx, { id: `mail_${unbroken(26)}`, ...sent });
  });
  const refused = { ...row, id: "aud_refused", action: "sign-in", actor: "user:unknown" };
  const why = { method: "oauth", reason: "existing-method-first", count: 12_000 };
  await ctx.storage.write((tx) => insertAuditEvent(tx, { ...refused, details: why }));
  const value = { from: unbroken(500), to: longest(500) };
  const change = { target: clientId, changes: { redirectUris: value, name: value }, details: {} };
  const changed = { ...row, ...change, id: "aud_change", userId: null, action: "client.update" };
  await ctx.storage.write((tx) => insertAuditEvent(tx, changed));
  const orgId = await fillOrganization(stage, app, userId);
  const [key] = await signingKeys.list(ctx);
  const [delivery] = await deliveries.list(ctx, id, { limit: 1 });
  return {
    provider: "microsoft",
    program: "grafana",
    appId: app.id,
    orgId,
    userId,
    clientId,
    id,
    event: delivery?.eventId ?? "",
    kid: key?.kid ?? "",
  };
}

/** With ten of its own roles, each as long as it may be. */
async function fillOrganization({ service }: Stage, app: TestApp, owner: string): Promise<string> {
  const { ctx } = service.server.app;
  const roles = Array.from({ length: 10 }, (_, n) => `${unbroken(30)}${n}`);
  await updateApp(service, app, { settings: { organizations: "on", organizationRoles: roles } });
  const input = { name: unbroken(64), slug: `${"w".repeat(47)}x`, owner, publicMetadata: { note: unbroken(300) } };
  const { id } = await organizations.create(ctx, app, input, by);
  const organization = await organizations.named(ctx.storage.reader, app.id, id);
  const application = await applications.find(ctx, ctx.storage.reader, app.id);
  if (!application) throw new Error("no application");
  const email = `${"c".repeat(64)}@${`${"d".repeat(60)}.`.repeat(2)}example.org`;
  await invitations.invite(ctx, application, organization, [{ email, roles }], by);
  await domains.add(ctx, organization, { domain: longDomain }, by);
  const machine = { appId: app.id, name: longest(200), kind: "machine", organizationId: id } as const;
  await clients.create(ctx, machine, {}, by);
  return id;
}

/** The dialogs of a page, each open by itself. */
async function faultsOfDialogs(page: Page): Promise<string[]> {
  const count = await page.locator("[popover]").count();
  const faults: string[] = [];
  for (let index = 0; index < count; index += 1) {
    await inPage(page, `() => document.querySelectorAll("[popover]")[${index}].showPopover()`);
    faults.push(...(await layoutFaults(page, "[popover]:popover-open")));
    await inPage(page, `() => document.querySelectorAll("[popover]")[${index}].hidePopover()`);
  }
  return faults;
}

describeInBrowser(
  "every page of the console, with the longest texts",
  (stage) => {
    let ids: Record<string, string> | undefined;
    let visitor: Visitor | undefined;
    let operatorId = "";

    it.each(["light", "dark"] as const)(
      "is whole at five widths, and gives axe nothing to find (%s)",
      async (scheme) => {
        const { service } = stage;
        ids ??= await fill(stage);
        if (!visitor) {
          const owner = await makeOperator(service, "owner");
          operatorId = (await makeOperator(service, "viewer", `${"o".repeat(64)}@${"p".repeat(60)}.example.org`)).id;
          const invited = {
            email: `${"q".repeat(64)}@${"r".repeat(60)}.example.org`,
            role: "support",
            name: longest(200),
          };
          await operators.invite(service.server.app.ctx, invited, { link: true }, by);
          visitor = new Visitor();
          await signInTo(service, await visitor.get(`${team.baseUrl}/console/operators`), owner, visitor);
        }
        stage.expectComplaint(/sandboxed|postMessage/u);
        const page = await pageFor(stage, { url: team.baseUrl, visitor }, { colorScheme: scheme });
        const paths = consoleRoutes
          // Previews are within other pages, and nobody comes back from a sign-in.
          .filter(({ method, path }) => method === "GET" && !/\/(?:preview|back)$/u.test(path))
          .map((route) =>
            pathOf(route, route.path.startsWith("/console/operators") ? { id: operatorId } : (ids ?? {})),
          );
        const more = [
          `/console/people?app=${ids["appId"]}`,
          `/console/bulk?act=disable&all=yes&app=${ids["appId"]}`,
          `/console/applications/${ids["appId"]}/organizations/${ids["orgId"]}?open=${longDomain}`,
          "/console/audit?open=aud_long",
          "/console/audit?open=aud_change",
          "/console/search?q=w",
          "/console/search?q=password",
          `/console/search?q=${ids["clientId"]}%20req_${"f".repeat(32)}`,
          "/console/overview?range=year",
          "/console/mail?list=sent",
          "/console/mail?list=given-up",
          `/console/overview?from=${new Date(service.clock.now).toISOString().slice(0, 13)}:00`,
        ];
        for (const path of [...paths, ...more]) {
          const answer = await page.goto(team.baseUrl + path);
          expect([path, answer?.status()]).toEqual([path, 200]);
          for (const width of widths) {
            await page.setViewportSize({ width, height: 900 });
            expect.soft(await layoutFaults(page), `${path} at ${width}`).toEqual([]);
            if (width !== wide && width !== phone) continue;
            expect.soft(await faultsOfDialogs(page), `${path} at ${width}, dialogs`).toEqual([]);
            const rules = scheme === "dark" ? ["color-contrast"] : undefined;
            expect.soft(await violations(page, rules), `${path} at ${width}, axe`).toEqual([]);
          }
        }
      },
    );
  },
  { overrides: { console: team, ...mailAway, ...localWebhooks } },
);
