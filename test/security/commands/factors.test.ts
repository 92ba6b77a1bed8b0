import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import { codeAt, codesIn, firstProof, keyIn, signedInWithTotp, wrongCodeAt } from "../../support/factors.ts";
import { linkSecret, mailTo, newUser } from "../../support/mail-flows.ts";
import { startMailServer } from "../../support/mail.ts";
import { goodPassword, redeem, refresh, validate, Visitor, type Tokens } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";
import type { Place } from "../../cli/databases.ts";
import { answer, authsvc } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";

type Json = Record<string, unknown>;
type Person = { id: string; email: string; key: string; codes: string[]; tokens: Tokens };

const server = await startMailServer();
afterAll(async () => await server.close());

describeSqliteFirst("the commands about second factors", { mail: server.mail }, (current) => {
  let service: TestService;
  let app: TestApp;
  let place: Place;
  const run = async (...args: string[]) => await authsvc(args, place);
  const json = async (...args: string[]) => (await answer(args, place)) as Json;

  beforeAll(async () => {
    service = current();
    // A command has no clock but the real one.
    service.clock.now = Date.now();
    const smtpUrl = `smtp://127.0.0.1:${server.port}`;
    const { cwd, env } = placeOf(service);
    place = { cwd, env: { ...env, AUTHSVC_MAIL__SMTP_URL: smtpUrl, AUTHSVC_MAIL__FROM: "auth@service.example" } };
    app = await service.createApp({ settings: { secondFactor: "required", trustBrowsersDays: 30 } });
  });

  async function withTotp(on = app): Promise<Person> {
    const { id, email } = await newUser(service, on, { password: goodPassword });
    const { session, visitor, page } = await firstProof(service, on, email ?? "");
    const key = keyIn(page);
    const shown = await visitor.submit(page, "/step/set-up", { code: codeAt(key, service.clock.now) });
    const done = await visitor.submit(shown, "/step/continue", {});
    const code = done.location.searchParams.get("code") ?? "";
    return {
      id,
      email: email ?? "",
      key,
      codes: codesIn(shown),
      tokens: await redeem(service, on, { session, code }),
    };
  }

  const acrOf = async (tokens: Tokens) => (await validate(service, app, tokens.accessToken)).body["acr"];
  const actionsOf = async (userId: string) =>
    (await audit.list(service.server.app.ctx, { userId, limit: 50 })).map(({ action }) => action);

  test("factors shows what is set up, since when, and what went wrong, and never a secret", async () => {
    const { id: bare } = await newUser(service, app, { password: goodPassword });
    const nothing = { totp: null, recoveryCodes: 0, failures: 0, blocked: false };
    expect(await json("user", "factors", bare)).toEqual({ id: bare, ...nothing });
    const { id, email, key, codes } = await withTotp();
    const { visitor, page } = await firstProof(service, app, email);
    await visitor.submit(page, "/step/code", { code: wrongCodeAt(key, service.clock.now) });
    const shown = await run("user", "factors", id, "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({ recoveryCodes: 10, failures: 1, blocked: false });
    expect(shown.stdout).toMatch(/"totp":\{"setUpAt":"\d{4}-[^"]+Z","lastUsedAt":"\d{4}-[^"]+Z"\}/u);
    for (const secret of [key.replaceAll(" ", ""), ...codes]) expect(shown.stdout).not.toContain(secret);
    expect((await run("user", "factors", id)).stdout).toMatch(/^Wrong codes +1 in a row$/mu);
    expect(await run("user", "factors", "usr_none")).toMatchObject({ code: 3, stdout: "" });
  });

  test("M10, Supabase-2607: reset-factors asks, removes everything at once, and lets logins continue with one factor", async () => {
    const person = await withTotp();
    const { id, email } = person;
    const { tokens } = await signedInWithTotp(service, app, person, { trust: true });
    expect(await acrOf(tokens)).toBe("urn:authsvc:acr:2");
    expect(await run("user", "reset-factors", id)).toMatchObject({ code: 2, stdout: "" });
    expect(await json("user", "reset-factors", id, "--dry-run")).toMatchObject({ removed: false, dryRun: true });
    expect(await acrOf(tokens)).toBe("urn:authsvc:acr:2");
    expect(await json("user", "reset-factors", id, "--yes")).toEqual({ id, appId: app.id, removed: true });
    expect(await acrOf(tokens)).toBe("urn:authsvc:acr:1");
    // It is required, so the login ends with its access token; the next sign-in sets it up anew.
    expect((await refresh(service, app, tokens.refreshToken)).body.error?.code).toBe("INVALID_TOKEN");
    keyIn((await firstProof(service, app, email)).page);
    expect(await json("user", "factors", id)).toMatchObject({ totp: null, recoveryCodes: 0 });
    expect(await json("user", "trusted-browsers", id)).toEqual([]);
    service.clock.now = Date.now();
    expect((await mailTo(server, email, 1, /no authenticator app/u)).text).toContain("recovery codes");
    expect(await actionsOf(id)).toContain("factor.removed");
    expect(await json("user", "reset-factors", id, "--yes")).toMatchObject({ removed: false });
  });

  test("M8: recovery-link lets the person in by their password, once, and removes the lost factor", async () => {
    const { id, email, codes } = await withTotp();
    const older = await json("user", "recovery-link", id);
    const made = await json("user", "recovery-link", id, "--expires", "4h");
    const link = String(made["link"]);
    expect(Date.parse(String(made["expiresAt"])) - Date.now()).toBeGreaterThan(3.9 * 3_600_000);
    expect(link.startsWith(`${service.url}/recover/`)).toBe(true);
    service.clock.now = Date.now();
    await mailTo(server, email, 1, /recovery link/iu);
    expect(await actionsOf(id)).toContain("user.recovery-link");
    expect(await service.databaseText()).not.toContain(linkSecret(link));
    expect((await new Visitor().get(String(older["link"]))).status).toBe(410);

    const visitor = new Visitor();
    const opened = await visitor.get(link);
    expect([opened.status, opened.text.includes(email)]).toEqual([200, true]);
    // Opening the link and beginning change nothing: it waits for the first proof.
    const begun = await visitor.submit(opened, new URL(link).pathname, {});
    const form = await visitor.get(begun.location.href);
    const wrong = await visitor.submit(form, "/password", { email, password: "a wholly different phrase" });
    expect(wrong.status).toBe(401);
    expect(await json("user", "factors", id)).toMatchObject({ recoveryCodes: 10 });
    const proven = await visitor.submit(wrong, "/password", { email, password: goodPassword });
    const key = keyIn(await visitor.get(proven.location.href));
    expect(key).not.toBe("");
    expect(await json("user", "factors", id)).toMatchObject({ totp: null, recoveryCodes: 0 });
    expect((await new Visitor().get(link)).status).toBe(410);
    const { visitor: other, page } = await firstProof(service, app, email);
    expect(() => page.form("/step/code")).toThrow();
    expect((await other.submit(page, "/step/set-up", { code: codes[0] ?? "" })).status).toBe(422);
  });

  test("P6: a recovery link made for ten minutes is over after ten minutes, also for a sign-in that began before", async () => {
    const { id, email } = await withTotp();
    const made = await json("user", "recovery-link", id, "--expires", "10m");
    const [link, end] = [String(made["link"]), Date.parse(String(made["expiresAt"]))];
    expect(Math.abs(end - Date.now() - 600_000)).toBeLessThan(60_000);
    service.clock.now = end - 1;
    const visitor = new Visitor();
    const opened = await visitor.get(link);
    const begun = await visitor.submit(opened, new URL(link).pathname, {});
    const form = await visitor.get(begun.location.href);
    service.clock.now = end;
    expect((await new Visitor().get(link)).status).toBe(410);
    expect((await visitor.submit(opened, new URL(link).pathname, {})).status).toBe(410);
    await visitor.submit(form, "/password", { email, password: goodPassword });
    expect(await json("user", "factors", id)).toMatchObject({ recoveryCodes: 10 });
    service.clock.now = Date.now();
  });

  test("a recovery link is nothing without the first proof of its own user", async () => {
    const person = await withTotp();
    const other = await newUser(service, app, { password: goodPassword });
    const link = String((await json("user", "recovery-link", person.id))["link"]);
    const visitor = new Visitor();
    const begun = await visitor.submit(await visitor.get(link), new URL(link).pathname, {});
    const form = await visitor.get(begun.location.href);
    const email = other.email ?? "";
    expect((await visitor.submit(form, "/password", { email, password: goodPassword })).status).not.toBe(303);
    expect((await new Visitor().get(begun.location.href)).status).not.toBe(200);
    expect(await json("user", "factors", person.id)).toMatchObject({ recoveryCodes: 10 });
    expect((await new Visitor().get(link)).status).toBe(200);
    // Made for the factor that is gone, it must not remove the next one.
    await json("user", "reset-factors", person.id, "--yes");
    expect((await new Visitor().get(link)).status).toBe(410);
  });

  test("recovery-link says why there is none: nothing to recover, too long, nobody", async () => {
    const { id } = await newUser(service, app, { password: goodPassword });
    expect(await run("user", "recovery-link", id)).toMatchObject({ code: 4, stdout: "" });
    const person = await withTotp();
    const long = await run("user", "recovery-link", person.id, "--expires", "25h");
    expect([long.code, long.stderr]).toEqual([2, expect.stringContaining("--expires must be at most 24h")]);
    expect(await run("user", "recovery-link", "usr_none")).toMatchObject({ code: 3 });
    const dry = await json("user", "recovery-link", person.id, "--dry-run");
    expect(dry).toMatchObject({ link: null, dryRun: true });
    expect(await actionsOf(person.id)).not.toContain("user.recovery-link");
  });

  test("trusted-browsers lists them, and ends one or all", async () => {
    const person = await withTotp();
    const { id, email } = person;
    const visitors = [new Visitor(), new Visitor()];
    for (const visitor of visitors) await signedInWithTotp(service, app, person, { visitor, trust: true });
    const list = (await answer(["user", "trusted-browsers", id], place)) as Json[];
    expect(list).toMatchObject([{ id: expect.stringMatching(/^brw_/u) as string }, {}]);
    expect(await run("user", "trusted-browsers", id, "--end", "brw_none")).toMatchObject({ code: 2, stdout: "" });
    const newest = String(list[0]?.["id"]);
    const dry = await json("user", "trusted-browsers", id, "--end", newest, "--dry-run");
    expect(dry).toEqual({ id, ended: 1, dryRun: true });
    const asked = async (visitor = new Visitor()) =>
      (await firstProof(service, app, email, { visitor })).done.location.origin === service.url;
    expect(await Promise.all(visitors.map(asked))).toEqual([false, false]);
    expect(await json("user", "trusted-browsers", id, "--end", newest)).toEqual({ id, ended: 1 });
    expect([await asked(visitors[0]), await asked(visitors[1])]).toEqual([false, true]);
    expect(await json("user", "trusted-browsers", id, "--end-all")).toEqual({ id, ended: 1 });
    expect(await asked(visitors[0])).toBe(true);
    expect(await actionsOf(id)).toContain("factor.trust-ended");
  });

  test("Kratos-3a5664d20: an exported second factor works in the service that imports it, and is exported only with the hashes", async () => {
    const person = await withTotp();
    const { email, key, codes } = person;
    const bare = (await run("user", "export", "--app", app.id)).stdout;
    for (const secret of [key.replaceAll(" ", ""), "totpSecret", "recoveryDigests"]) expect(bare).not.toContain(secret);
    const lines = (await run("user", "export", "--app", app.id, "--with-hashes")).stdout.trim().split("\n");
    const line = JSON.parse(lines.find((text) => text.includes(email)) ?? "{}") as Json;
    expect(line).toMatchObject({ totpSecret: key.replaceAll(" ", "") });
    expect(line["recoveryDigests"]).toHaveLength(10);
    const { id: _, handle: __, ...rest } = line;
    const other = await service.createApp();
    const input = `${JSON.stringify({ ...rest, totpSecret: key.toLowerCase() })}\n`;
    const imported = await authsvc(["user", "import", "--app", other.id], { ...place, input });
    expect([imported.code, imported.stderr]).toEqual([0, ""]);
    service.clock.now = Date.now();
    const { tokens } = await signedInWithTotp(service, other, { email, key });
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ acr: "urn:authsvc:acr:2", amr: ["pwd", "otp", "mfa"] });
    const { session, visitor, page } = await firstProof(service, other, email);
    const used = await visitor.submit(page, "/step/code", { code: codes[3] ?? "" });
    const left = await visitor.get(used.location.href);
    const done = await visitor.submit(left, "/step/continue", {});
    const code = done.location.searchParams.get("code") ?? "";
    expect(await redeem(service, other, { session, code })).toHaveProperty("accessToken");
    expect(await service.databaseText()).not.toContain(key.replaceAll(" ", ""));
  });

  test.each([
    [{ totpSecret: "GEZDGNBVGY3TQOJ1" }, "totpSecret"],
    [{ totpSecret: "GEZDGNBVGY3TQ" }, "totpSecret"],
    [{ totpSecret: "GEZDGNBVGY3TQOJQ", recoveryDigests: ["short"] }, "recoveryDigests[0]"],
    [{ recoveryDigests: ["A".repeat(43)] }, "recoveryDigests"],
  ])("an import refuses %j, naming the field", async (fields, field) => {
    const input = `${JSON.stringify({ email: "refused@example.org", ...fields })}\n`;
    const refused = await authsvc(["user", "import", "--app", app.id], { ...place, input });
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining(`line 1: ${field}: `)]);
  });

  test("a policy of a group that the person is in, or not, decides at the next sign-in", async () => {
    const free = await service.createApp();
    const { id, email } = await newUser(service, free, { password: goodPassword });
    const signsIn = async () => (await firstProof(service, free, email ?? "")).done.location.searchParams.has("code");
    expect(await signsIn()).toBe(true);
    const ofApp = ["--app", free.id];
    expect(await json("group", "create", "staff", ...ofApp)).toMatchObject({ secondFactor: "off" });
    await json("group", "add", "staff", id, ...ofApp);
    expect(await signsIn()).toBe(true);
    const required = ["group", "update", "staff", ...ofApp, "--second-factor", "required"];
    expect(await json(...required, "--dry-run")).toMatchObject({ secondFactor: "required", dryRun: true });
    expect(await signsIn()).toBe(true);
    expect(await json(...required)).toMatchObject({ name: "staff", secondFactor: "required" });
    expect(await json("group", "show", "staff", ...ofApp)).toMatchObject({ secondFactor: "required" });
    keyIn((await firstProof(service, free, email ?? "")).page);
    await json("group", "update", "staff", ...ofApp, "--second-factor", "off");
    expect(await signsIn()).toBe(true);
    expect(await run("group", "update", "staff", ...ofApp)).toMatchObject({ code: 2 });
    expect(await run("group", "update", "nobody", ...ofApp, "--second-factor", "off")).toMatchObject({ code: 3 });
  });
});
