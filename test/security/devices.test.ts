import { expect, it } from "vitest";
import type { Context } from "../../src/runtime/context.ts";
import * as clients from "../../src/applications/clients/service.ts";
import { insertDeviceRequest } from "../../src/sign-in/devices/store.ts";
import { newUserCode, typedUserCode } from "../../src/sign-in/devices/user-code.ts";
import * as audit from "../../src/records/audit/audit.ts";
import * as groups from "../../src/users/groups/service.ts";
import {
  allowDevice,
  beginOnDevice,
  newDeviceParty,
  openDecision,
  poll,
  guessUserCodes,
  typeCode,
  userCodeLetters as letters,
  wrongCodes,
  type DeviceCodes,
  type DeviceParty,
} from "../support/devices.ts";
import { codeAt, signedInWithTotp, signedUpWithTotp } from "../support/factors.ts";
import { createTestClient } from "../support/openid.ts";
import { goodPassword, Visitor } from "../support/person.ts";
import { by } from "../support/resources.ts";
import { describeSqliteFirst, describeOnSqlite, type TestService } from "../support/service.ts";

/** What the device is told now. */
async function told(service: TestService, party: DeviceParty, codes: DeviceCodes): Promise<string> {
  service.clock.advance(20_000);
  const { status, body } = await poll(service, party, codes);
  return status === 200 ? "tokens" : String(body["error"]);
}

const addresses = Array.from({ length: 40 }, (_, n) => `203.0.113.${n + 1}`);

describeSqliteFirst("user codes", { trustedProxies: ["127.0.0.1"] }, (current) => {
  it("N4: wrong ones are refused after 10 a minute from a network, and the right one too until the minute is over", async () => {
    const { ctx } = current().server.app;
    const list = async () => await audit.list(ctx, { action: "device.code", limit: 100 });
    const known = new Set((await list()).map(({ id }) => id));
    await guessUserCodes(current(), 25);
    // The service may write its counts in between, which makes two entries.
    const noted = (await list()).filter(({ id }) => !known.has(id));
    for (const each of noted) expect(each).toMatchObject({ result: "failure", ipAddress: "198.51.100.7" });
    expect(noted.reduce((sum, { details }) => sum + Number(details["count"] ?? 1), 0)).toBe(10);
  });

  it("N4: right ones are not counted, however many a network types in a minute", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const right: DeviceCodes[] = [];
    for (let device = 0; device < 12; device += 1) right.push(await beginOnDevice(service, party));
    const visitor = new Visitor({ "x-forwarded-for": "198.51.100.77" });
    const page = await visitor.get(`${service.url}/device`);
    const type = async (code: string) => (await visitor.submit(page, "/device", { code })).status;
    service.clock.advance(60_000 - (service.clock.now % 60_000));
    const wrong = wrongCodes(right[0]?.user_code ?? "", 11, true);
    const statuses: number[] = [];
    for (const [index, code] of wrong.entries()) {
      statuses.push(await type(right[index]?.user_code ?? ""));
      statuses.push(await type(code));
    }
    const pairs = Array.from({ length: 10 }, () => [303, 422]).flat();
    expect(statuses).toEqual([...pairs, 429, 429]);
  });

  it("N4: parallel wrong ones gain nothing over sequential ones", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const codes = await beginOnDevice(service, party);
    const visitor = new Visitor({ "x-forwarded-for": "198.51.100.9" });
    const page = await visitor.get(`${service.url}/device`);
    service.clock.advance(60_000 - (service.clock.now % 60_000));
    const tried = wrongCodes(codes.user_code, 50, true).map(
      async (code) => (await visitor.submit(page, "/device", { code })).status,
    );
    expect((await Promise.all(tried)).filter((status) => status === 422)).toHaveLength(10);
  });

  it("N4: a code expires with the tenth wrong one that has its first half, from whichever networks; others stay", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const codes = await beginOnDevice(service, party);
    const bystander = await beginOnDevice(service, party);
    const wrong = wrongCodes(codes.user_code, 10);
    for (const [index, code] of wrong.slice(0, 9).entries())
      await typeCode(service, code, new Visitor({ "x-forwarded-for": addresses[index] ?? "" }));
    expect(await told(service, party, codes)).toBe("authorization_pending");
    const visitor = new Visitor({ "x-forwarded-for": "203.0.113.200" });
    expect((await typeCode(service, codes.user_code, visitor)).status).toBe(303);
    await typeCode(service, wrong[9] ?? "", visitor);
    expect((await typeCode(service, codes.user_code, visitor)).status).toBe(422);
    expect(await told(service, party, codes)).toBe("expired_token");
    expect(await told(service, party, bystander)).toBe("authorization_pending");
  });

  it("N7: a code that was given out is not given out again while its request is there", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const party = await newDeviceParty(service);
    await beginOnDevice(service, party);
    const { db, tables } = ctx.storage.reader;
    const [row] = await db.select().from(tables.deviceRequests).limit(1);
    if (!row) throw new Error("no row");
    const again = async (handle: Parameters<typeof insertDeviceRequest>[0]) =>
      await insertDeviceRequest(handle, { ...row, digest: "another" });
    expect(await ctx.storage.write(again)).toBe(false);
  });
});

describeOnSqlite("a device", (current) => {
  it("N1: is not let in by single sign-on, an earlier yes, or the link with its code", async () => {
    const service = current();
    const party = await newDeviceParty(service, { consent: "ask" });
    const visitor = new Visitor();
    const first = await beginOnDevice(service, party);
    await allowDevice(service, party, first, visitor);
    expect(await told(service, party, first)).toBe("tokens");
    const codes = await beginOnDevice(service, party);
    // The link only fills in the form.
    const filled = await visitor.get(codes.verification_uri_complete);
    expect([filled.status, filled.text.includes(codes.user_code)]).toEqual([200, true]);
    expect(await told(service, party, codes)).toBe("authorization_pending");
    const entered = await visitor.submit(filled, "/device", { code: codes.user_code });
    const choice = await visitor.get(entered.location.href);
    expect(choice.text).toContain("Continue as");
    const continued = await visitor.submit(choice, "/continue", {});
    const asked = await visitor.get(continued.location.href);
    expect(asked.text).toContain("Let Acme TV sign in?");
    expect(await told(service, party, codes)).toBe("authorization_pending");
    await visitor.submit(asked, "/step/consent", {});
    expect(await told(service, party, codes)).toBe("tokens");
  });

  it("N5: is named with its program, place, time and scopes, and with a warning, on the page that asks", async () => {
    const service = current();
    const app = await service.createApp();
    const party = await newDeviceParty(service, { name: "Acme TV <b>" }, app);
    const codes = await beginOnDevice(service, party, { scope: "openid email offline_access" });
    const form = await new Visitor().get(codes.verification_uri);
    const page = await openDecision(service, party, codes);
    for (const { text } of [form, page]) {
      expect(text).toContain("Continue only if the code is on a device in front of you");
      expect(text).not.toContain("http-equiv");
    }
    expect(page.text).toContain("Acme TV &lt;b&gt;");
    for (const shown of ["account:", party.email, "127.0.0.1", "Your email address", "Access even while you are away"])
      expect(page.text).toContain(shown);
    expect(page.text).toContain(
      new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" }).format(service.clock.now),
    );
    expect(page.text).not.toContain("Your name and picture");
  });

  it("N6: is allowed only by the browser that was asked, on a page of this service, that no other frames", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const codes = await beginOnDevice(service, party);
    const visitor = new Visitor();
    const page = await openDecision(service, party, codes, visitor);
    const session = page.url;
    expect(page.headers.get("x-frame-options")).toBe("DENY");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const { fields } = page.form("/step/consent");
    const tries = [
      await visitor.submit(page, "/step/consent", {}, { "sec-fetch-site": "cross-site" }),
      await visitor.submit(page, "/step/consent", { token: "x" }),
      await new Visitor().post(`${session}/step/consent`, fields),
      await visitor.submit(page, "/step/deny", {}, { "sec-fetch-site": "cross-site" }),
      await new Visitor().post(`${session}/step/deny`, fields),
      await visitor.get(`${session}/cancel`),
    ];
    expect(tries.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 303]);
    expect(await told(service, party, codes)).toBe("authorization_pending");
    const form = await visitor.get(`${service.url}/device`);
    const { fields: typed } = form.form("/device");
    const code = codes.user_code;
    const forged = [
      await visitor.submit(form, "/device", { code }, { "sec-fetch-site": "cross-site" }),
      await visitor.submit(form, "/device", { code, token: "x" }),
      await new Visitor().post(`${service.url}/device`, { ...typed, code }),
    ];
    expect(forged.map(({ status }) => status)).toEqual([403, 403, 400]);
  });

  it("N6: is not allowed before the proof, and a yes to one request is none to another with its code", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const codes = await beginOnDevice(service, party);
    const visitor = new Visitor();
    const entered = await typeCode(service, codes.user_code, visitor);
    const form = await visitor.get(entered.location.href);
    const { token = "" } = form.form("/password").fields;
    for (const step of ["consent", "deny"]) await visitor.post(`${entered.location.href}/step/${step}`, { token });
    expect(await told(service, party, codes)).toBe("authorization_pending");

    // The code changes hands while the page is open: by force, since it is never given out again.
    const page = await openDecision(service, party, codes, visitor);
    const thief = await beginOnDevice(service, party);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const rows = await db.select().from(tables.deviceRequests);
    expect(new Set(rows.map(({ userCodeDigest }) => userCodeDigest)).size).toBe(rows.length);
    await visitor.submit(page, "/step/consent", {});
    expect(await told(service, party, thief)).toBe("authorization_pending");
    expect(await told(service, party, codes)).toBe("tokens");
  });

  it("N1: takes a fresh second factor, also in a trusted browser that is signed in", async () => {
    const service = current();
    const trusting = { settings: { secondFactor: "required", trustBrowsersDays: 30 } } as const;
    const app = await service.createApp(trusting);
    const person = await signedUpWithTotp(service, app);
    const client = await createTestClient(service, app, { kind: "device", redirectUris: [] });
    const party = { app, client, email: person.email };
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    service.clock.advance(11 * 60_000);
    const codes = await beginOnDevice(service, party);
    const step = await openDecision(service, party, codes, visitor);
    expect(() => step.form("/step/consent")).toThrow("no form");
    const proven = await visitor.submit(step, "/step/code", { code: codeAt(person.key, service.clock.now) });
    expect(await told(service, party, codes)).toBe("authorization_pending");
    await visitor.submit(await visitor.get(proven.location.href), "/step/consent", {});
    expect(await told(service, party, codes)).toBe("tokens");
  });

  it("refuses people outside the client's groups on a page that says so, and another account may still say yes", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const party = await newDeviceParty(service);
    await groups.create(ctx, party.app.id, "viewers", by);
    await clients.update(ctx, party.client.id, { allowedGroups: ["viewers"] }, by);
    const codes = await beginOnDevice(service, party);
    const visitor = new Visitor();
    const entered = await typeCode(service, codes.user_code, visitor);
    const form = await visitor.get(entered.location.href);
    const refused = await visitor.submit(form, "/password", { email: party.email, password: goodPassword });
    const page = await visitor.get(refused.location.href);
    expect([page.status, page.text.includes("This account can&#39;t be used here")]).toEqual([403, true]);
    expect(await told(service, party, codes)).toBe("authorization_pending");
  });
});

it("user codes are typed in any case, with dashes and spaces wherever, and have 20 letters that are equally likely", () => {
  for (const text of ["wdjb-mjht", " WDJB MJHT ", "W D J B–M J H T", "ｗｄｊｂｍｊｈｔ"])
    expect(typedUserCode(text)).toBe("WDJBMJHT");
  for (const text of ["", "WDJB", "WDJBMJHTX", "WDJB-MJHA", "12345678", "x".repeat(9000)])
    expect(typedUserCode(text)).toBeUndefined();
  const counts = new Map<string, number>();
  let byte = 0;
  const random: Context["random"] = () => Uint8Array.of((byte += 1) % 256);
  for (let n = 0; n < 30; n += 1)
    for (const letter of newUserCode(random)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect([...counts.keys()].toSorted().join("")).toBe(letters);
  expect(new Set(counts.values()).size).toBe(1);
});
