import { beforeAll, describe, expect, test } from "vitest";
import { consoleAppId } from "../../src/applications/console-app.ts";
import * as clients from "../../src/applications/clients/service.ts";
import * as apiKeys from "../../src/applications/keys.ts";
import { consoleRoutes } from "../../src/console/routes.ts";
import { findPlaces, keyOf, names, unnamed } from "../../src/console/search/places.ts";
import { newId } from "../../src/lib/random.ts";
import * as audit from "../../src/records/audit/audit.ts";
import * as deliveries from "../../src/records/webhooks/deliveries.ts";
import { groupId } from "../../src/users/listing.ts";
import { commandsOn, openConsole, runShown, type Console } from "../support/console.ts";
import { newUser } from "../support/mail-flows.ts";
import type { Page } from "../support/person.ts";
import { describeEachDatabase, type TestApp } from "../support/service.ts";
import { createEndpoint } from "../support/webhooks.ts";
import { newSomebody, type Somebody } from "./somebody.ts";

const by = { actor: { kind: "cli", name: "root" } } as const;
const requestId = `req_${"0123456789abcdef".repeat(2)}`;

const find = async (console: Console, text: string): Promise<Page> =>
  await console.get(`/search?${new URLSearchParams({ q: text }).toString()}`);

describeEachDatabase("searching everything", (service) => {
  let shop: TestApp;
  let somebody: Somebody;
  let stranger = "";
  /** Ids of one application, each with the page it leads to. */
  let pages: Record<string, string> = {};

  beforeAll(async () => {
    const { ctx } = service.server.app;
    shop = await service.createApp({ id: "app_corner", name: "Café Corner" });
    const vault = await service.createApp({ id: "app_vault", name: "Vault" });
    stranger = (await newUser(service, vault, {})).id;
    const client = await clients.create(
      ctx,
      { appId: shop.id, name: "Wiki", kind: "spa", redirectUris: ["https://w.example/"] },
      {},
      by,
    );
    const { id: clientId } = client.client;
    const key = (await apiKeys.createKey(ctx, { appId: shop.id, label: "Deploy" }, by.actor)).id;
    const endpoint = await createEndpoint(service, shop, { url: "https://hooks.example/in", events: ["user.updated"] });
    somebody = await newSomebody(service, shop, { clientId, hasFactor: false });
    const [delivery] = (await deliveries.page(ctx, endpoint, { status: undefined, after: undefined, limit: 1 }))
      .deliveries;
    const source = { ipAddress: "192.0.2.1", userAgent: null, requestId };
    const event = { ...by, action: "application.update", result: "success", appId: shop.id, source } as const;
    await ctx.storage.write(async (tx) => await audit.record(ctx, tx, event, ctx.clock()));
    const entry = (await audit.list(ctx, { requestId, limit: 1 }))[0]?.id ?? "";
    const ofApp = `/console/applications/${shop.id}`;
    pages = {
      [somebody.id]: `/console/people/${somebody.id}`,
      [shop.id]: ofApp,
      [clientId]: `${ofApp}/clients/${clientId}`,
      [endpoint]: `/console/webhooks/${endpoint}`,
      [key]: `${ofApp}/keys?open=${key}#open`,
      [await groupId(ctx, shop.id, "staff")]: `${ofApp}/groups?open=staff#open`,
      [somebody.loginId]: `/console/people/${somebody.id}?open=${somebody.loginId}#open`,
      [entry]: `/console/audit?open=${entry}#open`,
      [delivery?.eventId ?? ""]: `/console/webhooks/${endpoint}/deliveries/${delivery?.eventId ?? ""}`,
      [requestId]: `/console/audit?request=${requestId}`,
    };
  });

  test("an id leads to its page, whatever stands around it", async () => {
    const console = await openConsole(service);
    expect(Object.keys(pages)).toHaveLength(10);
    for (const [id, path] of Object.entries(pages))
      for (const text of [
        id,
        `  "${id}",`,
        `sub=${id}&x=1`,
        `{"userId":"${id}"}`,
        `https://auth.example/console/things/${id}?tab=a#b`,
        encodeURIComponent(`"${id}"`),
        `[${"x".repeat(900)}] ${id}`,
        ...(id === shop.id ? [] : [id.toUpperCase()]),
      ]) {
        const { status, headers } = await find(console, text);
        expect([status, headers.get("location")], text.slice(-80)).toEqual([303, path]);
      }
  });

  test("an id that the console has shortened leads to its page, or asks for the whole one", async () => {
    const console = await openConsole(service);
    for (const [id, path] of Object.entries(pages)) {
      if (id === shop.id || id === requestId) continue;
      const page = await find(console, `${id.slice(0, 8)}…${id.slice(-6)}`);
      if (/^(?:lgn|aud|evt)/u.test(id)) expect(page.text).toContain("is shortened: paste the whole ID");
      else if (id.startsWith("usr_")) expect(page.text).toContain(`href="${path}"`);
      else expect(page.headers.get("location"), id).toBe(path);
    }
  });

  test("of several ids each is a hit, and of an event each endpoint", async () => {
    const console = await openConsole(service);
    const [, , client = "", endpoint = ""] = Object.keys(pages);
    const { text } = await find(
      console,
      `userId=${somebody.id} client=${client}, whe=${endpoint} cli_${"0".repeat(26)}`,
    );
    for (const id of [somebody.id, client, endpoint]) expect(text).toContain(`href="${pages[id] ?? ""}"`);
    expect(text).toContain(`Nothing has the ID <bdi>cli_${"0".repeat(26)}`);
    const { ctx } = service.server.app;
    const second = await createEndpoint(service, shop, { url: "https://second.example/in", events: ["user.updated"] });
    const other = await newSomebody(service, shop, { clientId: client, hasFactor: false });
    const [delivery] = (await deliveries.page(ctx, second, { status: undefined, after: undefined, limit: 1 }))
      .deliveries;
    const found = await find(console, delivery?.eventId ?? "");
    expect(other.id).not.toBe(somebody.id);
    for (const id of [endpoint, second])
      expect(found.text).toContain(`href="/console/webhooks/${id}/deliveries/${delivery?.eventId ?? ""}"`);
  });

  test("a request that no entry carries is looked for in the log, by the command shown", async () => {
    const unknown = `req_${"f".repeat(32)}`;
    const { status, text } = await find(await openConsole(service), unknown);
    expect(status).toBe(200);
    expect(text).toContain(`No entry has <bdi>${unknown}</bdi>; look in the log`);
    expect(text).toContain(`journalctl -u authsvc --grep ${unknown}`);
  });

  test("people are found with address, application and last sign-in; things by a part of their name", async () => {
    const console = await openConsole(service);
    const people = (await find(console, somebody.email.slice(0, 9))).text;
    expect(people).toContain(`href="/console/people/${somebody.id}"`);
    expect(people).toContain(somebody.email);
    expect(people).toMatch(/Café Corner.*<time/su);
    for (const [text, id] of [
      ["CAFE corn", shop.id],
      ["wik", Object.keys(pages)[2]],
      ["hooks.example", Object.keys(pages)[3]],
      ["deploy", Object.keys(pages)[4]],
      ["staff", Object.keys(pages)[5]],
    ] as const)
      expect((await find(console, text)).text, text).toContain(`href="${pages[id ?? ""] ?? ""}"`);
  });

  test("finds what its command finds", async () => {
    const page = await find(await openConsole(service), "corner");
    const [command = ""] = commandsOn(page);
    const hits = JSON.parse((await runShown(service, `${command} --json`)).stdout) as { kind: string; id: string }[];
    expect(hits).toContainEqual(expect.objectContaining({ kind: "application", id: shop.id }));
    const byId = JSON.parse(
      (await runShown(service, `authsvc search 'sub=${somebody.id}' --json`)).stdout,
    ) as unknown[];
    expect(byId).toEqual([expect.objectContaining({ kind: "person", id: somebody.id, email: somebody.email })]);
  });

  test("J8: an operator of one application finds nothing of another, by name or by id", async () => {
    const console = await openConsole(service, { appId: "app_vault" });
    for (const text of [...Object.keys(pages), "corner", "wiki", "hooks", "deploy", "staff", somebody.email]) {
      const page = await find(console, text);
      expect(page.status, text).toBe(200);
      for (const path of Object.values(pages)) expect(page.text, text).not.toContain(`href="${path}"`);
    }
    expect((await find(console, stranger)).headers.get("location")).toBe(`/console/people/${stranger}`);
    expect((await find(console, "signing key")).text).not.toContain("/console/keys");
  });

  test("J8: nothing of the console's own application is found on one machine, nor what a role may not do", async () => {
    const { ctx } = service.server.app;
    const event = { ...by, action: "operator.networks", result: "success", appId: consoleAppId } as const;
    await ctx.storage.write(async (tx) => await audit.record(ctx, tx, event, ctx.clock()));
    const [entry] = await audit.list(ctx, { appId: consoleAppId, action: "operator.networks", limit: 1 });
    const viewer = await openConsole(service, { role: "viewer" });
    expect((await find(viewer, entry?.id ?? "")).text).toContain("Nothing has the ID");
    expect((await find(await openConsole(service), entry?.id ?? "")).status).toBe(303);
    expect((await find(viewer, "app_console")).text).toContain("Nothing found.");
    const beginning = await find(viewer, somebody.id.slice(0, 12));
    expect(beginning.text).toContain(`href="/console/people/${somebody.id}"`);
    expect(beginning.text).not.toContain("Nothing has the ID");
    expect((await find(viewer, "invite somebody")).text).not.toContain("Invite somebody</div>");
  });

  test.each([
    ["one character", "é", 200],
    ["markup", "<script>alert(1)</script>", 200],
    ["bidirectional controls", "ada\u202E", 400],
    ["wildcards", "%_*?\"'(-NEAR", 200],
    ["10,000 characters", "a".repeat(10_000), 400],
    ["nothing", "   ", 200],
    ["a broken escape", "%E0%A4%A", 200],
    ["a NUL", "a\0b", 400],
    ["a lone surrogate", "%ED%A0%80", 200],
  ])("%s is an answer or a sentence", async (_what, text, expected) => {
    const page = await find(await openConsole(service), text);
    expect(page.status).toBe(expected);
    expect(page.text).not.toMatch(/<script>alert|\u202E/u);
    if (expected === 400) expect(page.text).toMatch(/Search for 1 to 256 characters|not valid/u);
  });

  test("L11: of a kind it reads the newest 2,000, and says so", async () => {
    const { ctx } = service.server.app;
    const rows = Array.from({ length: 2001 }, (_row, index) => ({
      id: newId("grp", ctx.clock(), ctx.random),
      appId: "app_vault",
      name: `many${index}`,
      secondFactor: null,
      createdAt: ctx.clock(),
    }));
    for (const part of [rows.slice(0, 1000), rows.slice(1000)])
      await ctx.storage.write(async (tx) => void (await tx.db.insert(tx.tables.groups).values(part)));
    const { text } = await find(await openConsole(service), "many");
    expect(text.match(/groups\?open=many/gu)).toHaveLength(8);
    expect(text).toContain("only the newest 2,000 were looked at");
  });
});

describe("pages, settings and acts", () => {
  const titles = (text: string): string[] => findPlaces(consoleRoutes, text).map(({ title }) => title);

  test.each([
    ["set up Google", "Set up Google"],
    ["keycloak", "Set up a provider of your own"],
    ["password length", "Shortest password"],
    ["how do I invite an operator", "Invite an operator"],
    ["rotate api key", "Replace all API keys"],
    ["2fa", "Remove a second factor"],
    ["registration", "Sign-up"],
    ["callback url", "Redirect URIs"],
    ["LOGO", "Logo"],
    ["connect grafana", "Connect Grafana"],
    ["audit", "Audit log"],
    ["who changed", "Audit log"],
  ])("%s finds %s", (text, title) => {
    expect(titles(text)).toContain(title);
  });

  test("nothing is found by words that say nothing, by one letter or by a part in the middle of a word", () => {
    for (const text of ["set up", "a", "the", "assword", "", "zzz"]) expect(titles(text), text).toEqual([]);
  });

  test("every page and act has a name, or is said to have none", () => {
    const [lines, told] = [consoleRoutes.map(keyOf), [...Object.keys(names), ...unnamed]];
    expect(lines.filter((line) => !told.includes(line))).toEqual([]);
    expect(told.filter((line) => !lines.includes(line))).toEqual([]);
  });
});
