import { expect, test } from "vitest";
import { consoleRoutes } from "../../src/console/routes.ts";
import * as organizations from "../../src/organizations/service.ts";
import { openConsole, type Console } from "../support/console.ts";
import { newUser } from "../support/mail-flows.ts";
import { describeEachDatabase, updateApp } from "../support/service.ts";
import { filled } from "./support-forms.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;
const attack = `<img src=x onerror="document.title='owned'">`;

/** Every page of an application that has one of everything, all named by an attacker. */
async function pagesOf(console: Console, id: string, orgId: string): Promise<[path: string, text: string][]> {
  const forms: [path: string, action: string, values: Record<string, string>][] = [
    ["/clients", "/clients", { name: attack, id: `wiki-${id}` }],
    ["/groups", "/groups", { name: "staff" }],
    ["/keys", "/keys", { label: attack.slice(0, 64) }],
    ["/providers/google", "/providers", { clientId: attack, secret: "a secret" }],
    ["/branding", "/branding", { companyName: attack }],
  ];
  for (const [path, action, values] of forms) {
    const page = await console.get(`/applications/${id}${path}`);
    const done = await console.submit(page, action, { ...filled(page, action), ...values });
    expect([path, done.status]).toEqual([path, 200]);
  }
  const paths = consoleRoutes
    .filter(({ method, path }) => method === "GET" && path.startsWith("/console/applications"))
    .map(({ path }) =>
      path.replace("/console", "").replace(":appId", id).replace(":clientId", `wiki-${id}`).replace(":orgId", orgId),
    )
    .map((path) => path.replace(":provider", "google").replace(":program", "grafana"));
  const pages: [string, string][] = [];
  for (const path of paths.filter((path) => !path.endsWith("/try/back"))) {
    const { status, text } = await console.get(path);
    expect([path, status]).toEqual([path, 200]);
    pages.push([path, text]);
  }
  return pages;
}

describeEachDatabase("the console's pages of applications", (service) => {
  test("show names with markup as text", async () => {
    const app = await service.createApp({ name: attack });
    await updateApp(service, app, { settings: { organizations: "on" } });
    const { ctx } = service.server.app;
    const { id: owner } = await newUser(service, app);
    const { id: orgId } = await organizations.create(ctx, app, { name: attack, slug: "attack", owner }, by);
    const pages = await pagesOf(await openConsole(service), app.id, orgId);
    expect(pages.length).toBeGreaterThan(8);
    for (const [path, text] of pages) expect([path, text.includes("<img src=x")]).toEqual([path, false]);
  });

  test("lists of more than 50 are paged", async () => {
    const app = await service.createApp();
    const { ctx } = service.server.app;
    const groups = await import("../../src/users/groups/service.ts");
    for (let number = 10; number < 65; number += 1) await groups.create(ctx, app.id, `g${number}`, by);
    const console = await openConsole(service);
    const first = await console.get(`/applications/${app.id}/groups`);
    expect([first.text.includes(">g59<"), first.text.includes(">g60<")]).toEqual([true, false]);
    const [, next = ""] = /href="[^"]*(\?after=[^"]*)"/u.exec(first.text) ?? [];
    const second = await console.get(`/applications/${app.id}/groups${next}`);
    expect([second.text.includes(">g59<"), second.text.includes(">g60<")]).toEqual([false, true]);
  });
});
