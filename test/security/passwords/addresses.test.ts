import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answer, authsvc } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";
import { runSql } from "../../cli/sql.ts";
import { addingSession, askToAdd, signedUpIn } from "../../support/adding.ts";
import { allSent, newUser, userWith } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { bearer } from "../../support/methods.ts";
import { useService } from "../../support/one-service.ts";
import { openPage, call, goodPassword, initiate, newEmail, signedUp, signIn, Visitor } from "../../support/person.ts";
import { usersOf } from "../../support/providers/records.ts";
import type { TestApp } from "../../support/service.ts";

const server = await useMailServer();
const service = useService();
const mailing = useService({ mail: server.mail });

const otherPassword = "another horse, another battery";
const minutes = 60_000;

/** Texts that some part of some system would read as another address, or as two. */
const hostileAddresses = [
  "attacker@evil.example,victim@good.example",
  "attacker@evil.example;victim@good.example",
  "attacker@evil.example victim@good.example",
  "<victim@good.example>",
  "Victim <victim@good.example>",
  '"victim@good.example"@evil.example',
  "victim@good.example@evil.example",
  "victim@evil.example@good.example",
  "victim\uFF20good.example",
  "victim@good\u3002example",
  "victim@good\uFF0Eexample",
  "v\u0131ctim@good.example",
  "victim@go\u00AD\u00ADod.example",
  "victim@xn--gd-tga.example\u0000",
  "victim@good.example\r\nBcc: everybody@good.example",
  "victim@good.example%0d%0aBcc:everybody@good.example",
  "victim@good.example\n",
  "vic\u200Btim@good.example",
  "victim@[127.0.0.1]",
  "victim@good..example",
  "victim@.good.example",
  "victim@-good.example",
  "victim@good",
  "@good.example",
  "victim@",
  "victim",
  `${"v".repeat(65)}@good.example`,
  `victim@${"g".repeat(250)}.example`,
];

it.each(hostileAddresses.filter((address) => address.trim() === address))(
  "P10, CVE-2022-35924, GHSA-7rqj-j65f-68wh, CVE-2026-40574: %j is no address: no account, no mail, no sign-in",
  async (address) => {
    const app = await mailing.createApp();
    const { session, visitor, page } = await openPage(mailing, app, {}, "/create-account");
    // Forms with a NUL are refused as a whole.
    const refused = address.includes("\0") ? 400 : 422;
    const made = await visitor.submit(page, "/create-account", { email: address, password: goodPassword });
    expect(made.status).toBe(refused);
    const forgot = await visitor.get(`${session.authUrl}/forgot-password`);
    expect((await visitor.submit(forgot, "/forgot-password", { email: address })).status).toBe(refused);
    const signInPage = await visitor.get(session.authUrl);
    expect((await visitor.submit(signInPage, "/password", { email: address, password: goodPassword })).status).toBe(
      refused,
    );
    const options = `${session.authUrl}/create-account/passkey/options`;
    const { fields } = page.form("/create-account/passkey");
    expect((await visitor.post(options, { ...fields, email: address, name: "" })).status).toBe(400);
    const hinted = await call(mailing, "POST", "/auth/initiate", app.headers, {
      redirectUri: app.redirectUri,
      loginHint: address,
    });
    expect(hinted.status).toBe(400);
    await allSent(mailing);
    expect(server.received.filter(({ to }) => to.some((one) => one.includes("good.example")))).toEqual([]);
    expect(await usersOf(mailing, app)).toEqual([]);
  },
);

/**
 * Addresses by their form, which a shell or a mail server's routing would take for more than that.
 */
const refusedWhenNew = [
  "zoe`reboot`@good.example",
  "zoe$home@good.example",
  "zoe{a}@good.example",
  "zoe|ls@good.example",
  "evil.example!zoe@good.example",
  "zoe%evil.example@good.example",
  "-oproxycommand=x@good.example",
  "zoe@192.0.2.1",
  "zoe@good.123",
  "zoe@good.0x7f",
];

it.each(refusedWhenNew)("P10: no new account gets the address %j", async (address) => {
  const app = await mailing.createApp();
  const { session, visitor, page } = await openPage(mailing, app, {}, "/create-account");
  const made = await visitor.submit(page, "/create-account", { email: address, password: goodPassword });
  expect(made.status).toBe(422);
  const options = `${session.authUrl}/create-account/passkey/options`;
  const { fields } = page.form("/create-account/passkey");
  expect((await visitor.post(options, { ...fields, email: address, name: "" })).status).toBe(400);
  const place = placeOf(mailing);
  const created = await authsvc(["user", "create", "--app", app.id, `--email=${address}`], place);
  expect(created).toMatchObject({ code: 2, stdout: "" });
  const line = JSON.stringify({ email: address, emailVerified: true });
  const file = join(mailing.dataDir, "one.jsonl");
  writeFileSync(file, `${line}\n`);
  const imported = await authsvc(["user", "import", file, "--app", app.id, "--json"], place);
  expect(JSON.parse(imported.stdout)).toMatchObject({ refused: 1 });
  await allSent(mailing);
  expect(server.received.filter(({ to }) => to.includes(address))).toEqual([]);
  expect(await usersOf(mailing, app)).toEqual([]);
});

it("P10: a user whose address was stored before it was refused signs in, is found and is deleted", async () => {
  const app = await service.createApp();
  const { email, user } = await signedUp(service, app);
  const address = "o'brien|`x`@good.example";
  const id = String(user["id"]);
  await runSql(service, `UPDATE users SET email = '${address.replace("'", "''")}' WHERE email = '${email}'`);
  await signIn(service, app, { email: address });
  const place = placeOf(service);
  expect(await answer(["user", "list", "--app", app.id, "--email", address], place)).toMatchObject([{ id }]);
  expect(await authsvc(["user", "delete", id, "--yes"], place)).toMatchObject({ code: 0 });
  expect(await usersOf(service, app)).toEqual([]);
});

it("P10: every spelling of an address is one account, which is stored and written to in one form", async () => {
  const app = await mailing.createApp();
  const { email } = await newUser(mailing, app, { password: goodPassword });
  for (const spelling of [email.toUpperCase(), ` ${email}`, `${email}\t`, email.replace("@", "@").replace("p", "P")]) {
    await signIn(mailing, app, { email: spelling });
    const { visitor, page } = await openPage(mailing, app, {}, "/forgot-password");
    await visitor.submit(page, "/forgot-password", { email: spelling });
  }
  await allSent(mailing);
  const recipients = server.received.flatMap(({ to }) => to).filter((to) => to.toLowerCase() === email);
  expect(new Set(recipients)).toEqual(new Set([email]));
});

it("P10, CVE-2022-35924: a repeated field is not two addresses", async () => {
  const app = await mailing.createApp();
  const { visitor, page } = await openPage(mailing, app, {}, "/forgot-password");
  const { action, fields } = page.form("/forgot-password");
  const [one, two] = [
    (await newUser(mailing, app, { password: goodPassword })).email,
    (await newUser(mailing, app, { password: goodPassword })).email,
  ];
  const body = new URLSearchParams(fields);
  body.append("email", one);
  body.append("email", two);
  const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
  const answer = await fetch(new URL(action, page.url), {
    method: "POST",
    body,
    headers: { cookie, origin: mailing.url, "sec-fetch-site": "same-origin" },
  });
  expect(answer.status).toBeLessThan(500);
  await allSent(mailing);
  expect([...server.to(one), ...server.to(two)].length).toBeLessThanOrEqual(1);
});

const forbidden: [field: string, value: unknown][] = [
  ["emailVerified", true],
  ["email_verified", true],
  ["email", "victim@good.example"],
  ["id", "usr_00000000000000000000000000"],
  ["userId", "usr_00000000000000000000000000"],
  ["appId", "app_2"],
  ["authMethods", { password: true }],
  ["metadata", { loginCount: 0 }],
  ["password", "a password by the back door"],
  ["disabledAt", null],
  ["createdAt", "2020-01-01T00:00:00.000Z"],
  ["handle", "A".repeat(43)],
  ["constructor", { prototype: { emailVerified: true } }],
];

it.each(forbidden)("P11, CVE-2026-27946: nobody sets %s of a user by the API", async (field, value) => {
  const app = await service.createApp();
  const { accessToken, user, email } = await signedUp(service, app);
  const before = await call(service, "GET", "/users/profile", bearer(accessToken));
  for (const body of [{ [field]: value }, { name: "Ann", [field]: value }]) {
    const answer = await call(service, "PATCH", "/users/profile", bearer(accessToken), body);
    expect(answer.status).toBe(400);
    expect(answer.body.error?.code).toBe("INVALID_REQUEST");
  }
  // Nor in the body of any call that a user's token opens, nor beside the code that makes the
  // login.
  for (const [method, path] of [
    ["POST", "/users/auth-methods"],
    ["POST", "/auth/logout"],
  ] as const) {
    const answer = await call(service, method, path, bearer(accessToken), {
      ...(path === "/auth/logout" ? {} : { type: "password", redirectUri: app.redirectUri }),
      [field]: value,
    });
    expect(answer.status).toBe(400);
  }
  const after = await call(service, "GET", "/users/profile", bearer(accessToken));
  expect(after.body).toEqual(before.body);
  expect(after.body).toMatchObject({ id: user["id"], email, emailVerified: false });
});

it("P11, CVE-2026-27946: nor by a key in the text of the body that an object takes for its prototype", async () => {
  const app = await service.createApp();
  const { accessToken } = await signedUp(service, app);
  const body = '{"name":"Ann","__proto__":{"emailVerified":true}}';
  const answer = await call(service, "PATCH", "/users/profile", bearer(accessToken), body);
  expect(answer.status).toBe(400);
  const profile = await call(service, "GET", "/users/profile", bearer(accessToken));
  expect(profile.body).toMatchObject({ emailVerified: false, name: null });
});

it("P11: hidden fields added to a sign-up make no address verified and choose no id", async () => {
  const app = await service.createApp();
  const email = newEmail();
  const visitor = new Visitor();
  const { authUrl } = await initiate(service, app);
  const page = await visitor.get(`${authUrl}/create-account`);
  const extra = { emailVerified: "true", email_verified: "1", id: "usr_mine", userId: "usr_mine" };
  await visitor.submit(page, "/create-account", { email, name: "", password: goodPassword, ...extra });
  const user = await userWith(service, app, email);
  expect(user?.emailVerified ?? false).toBe(false);
  expect(user?.id).not.toBe("usr_mine");
});

it("P9: a proof is fresh for ten minutes, also when it was fresh as the form was opened", async () => {
  const { app, email, accessToken, visitor } = await person();
  service.clock.advance(9 * minutes);
  const session = await addingSession(service, app, accessToken, { type: "password" });
  const form = await visitor.get(session.authUrl);
  expect(form.text).toContain("Change your password");
  service.clock.advance(minutes);
  const late = await visitor.submit(form, "/add/password", { password: otherPassword });
  expect(late.headers.get("location")).toBe(new URL(session.authUrl).pathname);
  await signIn(service, app, { email });
});

it("P9: no password is taken by the API itself", async () => {
  const { app, accessToken } = await person();
  const answer = await askToAdd(service, accessToken, {
    type: "password",
    redirectUri: app.redirectUri,
    password: otherPassword,
  });
  expect(answer.status).toBe(400);
  expect(answer.body.error?.details).not.toContain(otherPassword);
});

async function person(): Promise<Awaited<ReturnType<typeof signedUpIn>> & { app: TestApp }> {
  const app = await service.createApp();
  return { app, ...(await signedUpIn(service, app)) };
}
