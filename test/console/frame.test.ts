import { expect, test } from "vitest";
import * as deliveries from "../../src/records/webhooks/delivery-store.ts";
import { newId } from "../../src/lib/random.ts";
import { openConsole } from "../support/console.ts";
import { createClient } from "../support/clients-logout.ts";
import { newUser } from "../support/mail-flows.ts";
import { useService } from "../support/one-service.ts";
import type { Page } from "../support/person.ts";
import { useReceiver } from "../support/receiver.ts";
import { useApp } from "../support/service.ts";
import { createEndpoint, localWebhooks } from "../support/webhooks.ts";
import { mailAway } from "./somebody.ts";

const service = useService({ ...localWebhooks, ...mailAway });
const app = useApp(service);
const receiver = useReceiver();

/** Where the first such link of the page leads. */
function linkOn(page: Page, link: RegExp): string {
  const tag = page.text.match(/<a\b[^>]*>[^<]*/gu)?.find((each) => link.test(each)) ?? "";
  const href = /href="([^"]*)"/u.exec(tag)?.[1]?.replaceAll("&amp;", "&");
  if (href === undefined) throw new Error(`no link ${link} in a page with status ${page.status}: ${page.text}`);
  return new URL(href, page.url).href;
}

test("the rows below a refused form open", async () => {
  const console = await openConsole(service);
  const sample = { app: app.id, to: "you@example.com", kind: "verify", language: "en" };
  const queued = await console.submit(await console.get("/mail"), "/mail/test", sample);
  expect(queued.status).toBe(200);
  const refused = await console.submit(queued, "/mail/test", { ...sample, to: "nobody" });
  expect(refused.status).toBe(400);
  const opened = await console.visitor.get(linkOn(refused, /data-open=/u));
  expect(opened.status).toBe(200);
  expect(opened.text).toContain('class="details"');
});

test("an answer to a form leads to the older rows of its page", async () => {
  const console = await openConsole(service);
  const { ctx } = service.server.app;
  const id = await createEndpoint(service, app, { url: receiver.url });
  const nobody = { userId: null, email: null, authMethod: null, ipAddress: null, userAgent: null, sessionId: null };
  const finished = { attempts: 1, nextAttemptAt: null, leaseUntil: null, status: "failed" as const };
  const happened = { kind: "user.login", occurredAt: Date.now() } as const;
  const ids = Array.from({ length: 60 }, (_each, index) => newId("evt", Date.now() + index, ctx.random));
  await ctx.storage.write(async (tx) => {
    for (const eventId of ids)
      await deliveries.insertDelivery(tx, {
        endpointId: id,
        eventId,
        history: [],
        ...nobody,
        ...finished,
        ...happened,
      });
  });
  const tested = await console.submit(await console.get(`/webhooks/${id}`), `/${id}/test`, { event: "user.login" });
  expect(tested.status).toBe(200);
  const older = await console.visitor.get(linkOn(tested, />Older/u));
  expect(older.status).toBe(200);
  expect(older.text).toContain(ids[0]);
});

test("an act that is refused does not repeat the success of the one before", async () => {
  const console = await openConsole(service);
  const { id } = await newUser(service, app);
  const done = await console.submit(await console.get(`/people/${id}`), "/profile", { name: "Grace" });
  expect(done.text).toContain("The profile was changed.");
  expect(done.url).toContain("notice=");
  const refused = await console.submit(done, "/address", { email: "nobody" });
  expect(refused.status).toBe(400);
  const cancelled = await console.visitor.get(linkOn(refused, />Cancel/u));
  expect(cancelled.url).toBe(`${console.url}/console/people/${id}`);
  expect(cancelled.text).not.toContain("The profile was changed.");
});

test("Cancel leads to the page as it was filtered, and never elsewhere", async () => {
  const console = await openConsole(service);
  const asked = "/people?q=grace%2Bada*";
  const page = await console.get(asked);
  const refused = await console.submit(page, "/people/create", { appId: app.id, email: "nobody" });
  expect(linkOn(refused, />Cancel/u)).toBe(`${console.url}/console${asked}`);
  for (const foreign of ["https://evil.example/console/people", "//evil.example/", "javascript:alert(1)", "/x"]) {
    const planted = await console.submit(page, "/people/create", { appId: app.id, email: "nobody", page: foreign });
    expect(linkOn(planted, />Cancel/u)).toMatch(new RegExp(`^${console.url}/console(/people)?$`, "u"));
  }
});

test("filters keep the zone of the page's times", async () => {
  const console = await openConsole(service);
  const client = await createClient(service, app);
  const pages = ["/people", "/audit", "/webhooks", "/agents", "/mail/texts"];
  for (const path of [...pages, `/applications/${app.id}/clients/${client}`]) {
    const filterOf = ({ text }: Page) => /<form[^>]*class="filter"[^]*?<\/form>/u.exec(text)?.[0];
    const zoned = filterOf(await console.get(`${path}?zone=Asia/Tokyo`));
    expect(zoned, path).toMatch(/<input\s[^>]*name="zone"\s[^>]*value="Asia\/Tokyo"/u);
    const plain = filterOf(await console.get(path));
    expect(plain, path).toBeDefined();
    expect(plain, path).not.toContain("zone");
  }
});
