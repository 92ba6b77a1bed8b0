import { hash as digest } from "node:crypto";
import { dictionary } from "@zxcvbn-ts/language-common";
import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import * as newPasswords from "../../../src/credentials/passwords/new-passwords.ts";
import * as passwords from "../../../src/credentials/passwords/service.ts";
import { addingSession, signedUpIn } from "../../support/adding.ts";
import { tryPassword, tryToSignUp } from "../../support/limits.ts";
import { useService } from "../../support/one-service.ts";
import { openPage, newEmail } from "../../support/person.ts";
import { useApp, updateApp } from "../../support/service.ts";

const service = useService();
const app = useApp(service);

/** Characters without any pattern, the same ones each time. */
function patternless(length: number): string {
  return Array.from({ length: Math.ceil(length / 86) }, (_, n) => digest("sha512", `${n}`, "base64url"))
    .join("")
    .slice(0, length);
}

it("P1, Okta-2024-10-30: every character counts: a password that differs only at position 52, 72, 73, 128 or 256 is another one", async () => {
  const right = patternless(256);
  const email = newEmail();
  expect((await tryToSignUp(service, app, { email, password: right })).status).toBe(303);
  for (const position of [2, 52, 55, 56, 72, 73, 128, 255, 256]) {
    const wrong = `${right.slice(0, position - 1)}#${right.slice(position)}`;
    expect((await tryPassword(service, app, email, wrong)).status, `position ${position}`).toBe(401);
    const shorter = right.slice(0, position - 1);
    expect((await tryPassword(service, app, email, shorter)).status, `the first ${position - 1}`).toBe(401);
    await service.server.app.ctx.storage.write((tx) =>
      passwords.forgetFailures(service.server.app.ctx, tx, { id: "", appId: app.id, email }),
    );
  }
  expect((await tryPassword(service, app, email, right)).status).toBe(303);
});

it("P1, Okta-2024-10-30: a long address takes nothing away from the password", async () => {
  const email = `${"a".repeat(64)}@${"b".repeat(60)}.${"c".repeat(60)}.example`;
  expect((await tryToSignUp(service, app, { email, password: "the first of two passwords" })).status).toBe(303);
  for (const password of ["", "x", "the first of two passwordz", "another password altogether"])
    expect((await tryPassword(service, app, email, password)).status).not.toBe(303);
  expect((await tryPassword(service, app, email, "the first of two passwords")).status).toBe(303);
});

/** Pictures, of which no two neighbours are alike. */
function keys(length: number): string {
  return Array.from({ length }, (_, n) => String.fromCodePoint(0x1f300 + ((n * n * 31 + n * 17) % 499))).join("");
}

it.each([
  ["spaces at both ends", "  fifteen characters  ", "fifteen characters"],
  ["capitals", "Fifteen Characters", "fifteen characters"],
  ["a tab in the middle", "fifteen\tcharacters", "fifteen characters"],
  ["emoji that need several code points", "👩‍👩‍👧‍👦 at home, all together", "👩 at home, all together"],
  ["256 characters of four bytes each", keys(256), keys(255)],
  ["quotes, angle brackets and percent signs", `<b>"'%00\\&amp; and more`, `<b>"'\\& and more`],
  [
    "64 letters",
    "correcthorsebatterystaple".repeat(3).slice(0, 64),
    "correcthorsebatterystaple".repeat(3).slice(0, 63),
  ],
])("P1: %s are taken as typed", async (_title, chosen, other) => {
  const email = newEmail();
  expect((await tryToSignUp(service, app, { email, password: chosen })).status).toBe(303);
  expect((await tryPassword(service, app, email, other)).status).not.toBe(303);
  expect((await tryPassword(service, app, email, chosen)).status).toBe(303);
});

it("P1: the same text in another Unicode form is the same password", async () => {
  const email = newEmail();
  const typed = "ünïcödé naïveté ½ ﬁve";
  expect((await tryToSignUp(service, app, { email, password: typed.normalize("NFD") })).status).toBe(303);
  expect((await tryPassword(service, app, email, typed.normalize("NFC"))).status).toBe(303);
});

it.each([
  [14, 422],
  [15, 303],
  [256, 303],
  [257, 422],
])(
  "P1: a password of %i characters is answered with %i, whatever the page would have let through",
  async (length, status) => {
    expect((await tryToSignUp(service, app, { email: newEmail(), password: patternless(length) })).status).toBe(status);
  },
);

it("P1: the floor is 8: an app can ask for no less", async () => {
  const app = await service.createApp();
  await expect(updateApp(service, app, { settings: { passwordMinLength: 7 } })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
  });
  await updateApp(service, app, { settings: { passwordMinLength: 8 } });
  expect((await tryToSignUp(service, app, { email: newEmail(), password: "vkzqjwp" })).status).toBe(422);
  expect((await tryToSignUp(service, app, { email: newEmail(), password: "vkzqjwpx" })).status).toBe(303);
});

it.each([
  ["password12345678", "This is made of common passwords."],
  ["qwertyuiopasdfgh", "This is a keyboard pattern."],
  ["zxcvbnm,./asdfghjkl", "This is a keyboard pattern."],
  ["letmein-letmein-letmein-", "This repeats the same characters or words."],
  ["aaaaaaaaaaaaaaaaaaaa", "This repeats the same characters or words."],
  ["abcdefghijklmnopqrst", "This is a sequence, such as abcd or 1234."],
  ["1234567890123456", "This is a sequence, such as abcd or 1234."],
  ["31.12.1999 1999", "This is mostly a date."],
  ["Grace Hopper 1", "This is mostly your name, your email or the name of the app."],
  ["P@ssw0rdP@ssw0rd", "This repeats the same characters or words."],
])("a password that is long and yet easy to guess is refused, and the page says why: %s", async (password, why) => {
  const app = await service.createApp();
  await updateApp(service, app, { settings: { passwordMinLength: 14 } });
  const refused = await tryToSignUp(service, app, { email: newEmail(), name: "Grace Hopper", password });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain(why);
});

it("a password of 256 characters, whatever it is like, is estimated in another thread", async () => {
  const { ctx } = service.server.app;
  const application = await applications.find(ctx, ctx.storage.reader, app.id);
  if (!application) throw new Error("the application is gone");
  const person = { email: newEmail(), name: null };
  const estimate = async (password: string) =>
    await newPasswords.problemWith(ctx, password, application, person, undefined);
  await estimate(patternless(256));
  const hard = ["p4$$w0rd".repeat(32), "0123456789".repeat(25), "qwerty".repeat(42), patternless(256)];
  const before = performance.eventLoopUtilization();
  await Promise.all(Array.from({ length: 10 }, async () => await Promise.all(hard.map(estimate))));
  // This thread waits: forty of them took a second of another one.
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
});

it("of one network forty new passwords are estimated at the same time, and others are not kept waiting by it", async () => {
  const { ctx } = service.server.app;
  const application = await applications.find(ctx, ctx.storage.reader, app.id);
  if (!application) throw new Error("the application is gone");
  const estimate = async (network: string) =>
    await newPasswords.problemWith(ctx, patternless(64), application, { email: newEmail(), name: null }, network);
  const tries = Array.from({ length: 41 }, async () => await estimate("192.0.2.1"));
  const other = estimate("192.0.2.2");
  const outcomes = await Promise.allSettled(tries);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(40);
  expect(outcomes[40]).toMatchObject({ reason: { code: "RATE_LIMITED", retryAfterSeconds: 1 } });
  expect(await other).toBeUndefined();
  expect(await estimate("192.0.2.1")).toBeUndefined();
});

it("P2: a sample of 100 out of the common ones is refused, in any letter case, wherever a password is chosen", async () => {
  const app = await service.createApp();
  await updateApp(service, app, { settings: { passwordMinLength: 8 } });
  const common = dictionary["passwords-common"].map(String).filter((password) => password.length >= 8);
  expect(common.length).toBeGreaterThan(3000);
  const { visitor, page } = await openPage(service, app, {}, "/create-account");
  const step = Math.floor(common.length / 100);
  for (let n = 0; n < common.length; n += step) {
    const password = n % 2 === 0 ? (common[n] ?? "") : (common[n] ?? "").toUpperCase();
    const refused = await visitor.submit(page, "/create-account", { email: newEmail(), password });
    expect(refused.status, password).toBe(422);
  }
  // The same where a password is changed.
  const owner = await signedUpIn(service, app);
  const changing = await addingSession(service, app, owner.accessToken, { type: "password" });
  const form = await owner.visitor.get(changing.authUrl);
  for (const password of ["password1", "iloveyou1", "qwertyuiop"])
    expect((await owner.visitor.submit(form, "/add/password", { password })).status).toBe(422);
});

it("P2: the address, its local part, and the names of the app and the company are refused", async () => {
  const app = await service.createApp({ name: "The Acme Company Shop" });
  await updateApp(service, app, { branding: { companyName: "Acme Incorporated" } });
  const email = `longer.than.fifteen.${newEmail()}`;
  const [local = ""] = email.split("@");
  for (const password of [email, email.toUpperCase(), local, "the acme company shop", "ACME INCORPORATED"])
    expect((await tryToSignUp(service, app, { email, password })).status, password).toBe(422);
});
