import { expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import { useService } from "../../support/one-service.ts";
import { call, newEmail, signedUp } from "../../support/person.ts";
import { startProvider, useProviders } from "../../support/providers/provider.ts";
import { usersOf, changeUser, identitiesOf } from "../../support/providers/records.ts";
import {
  appWith,
  atProvider,
  codeOf,
  comeBack,
  signInAt,
  startRound,
  tokensFrom,
} from "../../support/providers/round.ts";

const [google, github, corp] = await useProviders("google", "github", "openid");

const service = useService();

let subjects = 5000;
const somebody = () => ({ subject: String((subjects += 1)), email: newEmail(), verified: true });

it("O4: an address that no new account may have makes none when a provider says it", async () => {
  const own = await appWith(service, [google]);
  const { done } = await signInAt(service, own, google, { ...somebody(), email: "zoe|ls@good.example" });
  expect(done.status).toBe(400);
  expect(await usersOf(service, own)).toEqual([]);
});

it("O4, CVE-2026-34969: what Microsoft and Facebook say about an address, in whatever words, proves nothing", async () => {
  const [microsoft, facebook] = [await startProvider("microsoft"), await startProvider("facebook")];
  const own = await appWith(service, [microsoft, facebook]);
  const raw = { email_verified: true, verified: true, verified_email: true, xms_edov: true, emailVerified: "true" };
  for (const provider of [microsoft, facebook]) {
    const victim = newEmail();
    const { done, session } = await signInAt(service, own, provider, { ...somebody(), email: victim, raw });
    const bought = await call(service, "POST", "/auth/callback", own.headers, {
      code: codeOf(done),
      sessionId: session.sessionId,
    });
    expect(bought.body["user"]).toMatchObject({ email: victim, emailVerified: false });
    await provider.close();
  }
});

it.each([
  ["google", { email_verified: "true" }, true],
  ["google", { email_verified: "false" }, false],
  ["google", { email_verified: 1 }, false],
  ["google", { email_verified: "yes" }, false],
  ["google", { email_verified: [true] }, false],
  ["discord", { verified: "true" }, false],
  ["discord", { verified: 1 }, false],
  ["discord", { verified: undefined, email_verified: true }, false],
  ["apple", { email_verified: "true" }, true],
  ["apple", { email_verified: "TRUE" }, false],
] as const)("O4: %s with %j: a verified address is %s", async (kind, raw, isVerified) => {
  const provider = await startProvider(kind);
  const own = await appWith(service, [provider]);
  const { done } = await signInAt(service, own, provider, { ...somebody(), raw: { ...raw } });
  const users = await usersOf(service, own);
  if (isVerified) codeOf(done);
  expect(users.some(({ emailVerified }) => emailVerified)).toBe(isVerified);
  await provider.close();
});

it("O4: of GitHub's addresses only the one that is primary and verified counts", async () => {
  const own = await appWith(service, [github]);
  const victim = newEmail();
  const lists = [
    [
      { email: victim, primary: false, verified: true },
      { email: newEmail(), primary: true, verified: false },
    ],
    [{ email: victim, primary: true, verified: false }],
    [{ email: victim, primary: true, verified: "true" }],
    [{ email: victim, primary: "true", verified: true }],
    [{ email: victim, primary: true }],
  ];
  for (const emails of lists)
    await signInAt(service, own, github, { ...somebody(), emails, raw: { email: victim, email_verified: true } });
  for (const user of await usersOf(service, own)) expect([user.email, user.emailVerified]).not.toEqual([victim, true]);
  const round = await startRound(service, own, github);
  const list = [{ email: victim, primary: true, verified: true }];
  const back = await atProvider(round.address, github, { ...somebody(), emails: list });
  codeOf(await comeBack(round.visitor, back));
  const owner = (await usersOf(service, own)).find(({ email }) => email === victim);
  expect(owner?.emailVerified).toBe(true);
});

const actor = { kind: "cli", name: "test" } as const;

it("Google's word links no address that is neither of gmail.com nor of the account's own domain", async () => {
  const app = await appWith(service, [google]);
  const { email } = await signedUp(service, app);
  await changeUser(service, email, { emailVerified: true });
  const person = { subject: "1", email, verified: true };
  for (const hd of [undefined, "other.example"]) {
    const { done } = await signInAt(service, app, google, { ...person, raw: { hd } });
    expect(done.status).toBe(400);
    expect(await identitiesOf(service, app)).toEqual([]);
  }
  // Nor does it take over what nobody proved.
  await changeUser(service, email, { emailVerified: false });
  expect((await signInAt(service, app, google, { ...person, raw: { hd: undefined } })).done.status).toBe(400);
  expect(await usersOf(service, app)).toMatchObject([{ emailVerified: false }]);
  // Where nobody has the address, what Google says of it stands.
  const other = { subject: "2", email: newEmail(), verified: true, raw: { hd: undefined } };
  expect((await tokensFrom(service, app, google, other)).user).toMatchObject({ emailVerified: true });
});

it("an issuer that the operator does not trust with addresses proves none", async () => {
  const app = await appWith(service, [corp]);
  const { ctx } = service.server.app;
  await providers.set(ctx, app.id, { ...corp.settings(), trustsEmail: false }, actor);
  const { email } = await signedUp(service, app);
  await changeUser(service, email, { emailVerified: true });
  expect((await signInAt(service, app, corp, { subject: "1", email, verified: true })).done.status).toBe(400);
  const stranger = { subject: "2", email: newEmail(), verified: true };
  expect((await tokensFrom(service, app, corp, stranger)).user).toMatchObject({ emailVerified: false });
  await providers.set(ctx, app.id, corp.settings(), actor);
  const trusted = { subject: "3", email: newEmail(), verified: true };
  expect((await tokensFrom(service, app, corp, trusted)).user).toMatchObject({ emailVerified: true });
});

it("a picture is taken from the provider when the account is created, and never overwritten afterwards", async () => {
  const app = await appWith(service, [corp]);
  const picture = "https://cdn.example/ada.png";
  const ada = { subject: "1", email: newEmail(), verified: true };
  const { user, accessToken } = await tokensFrom(service, app, corp, { ...ada, raw: { picture } });
  expect(user.picture).toBe(picture);
  const newer = { ...ada, raw: { picture: "https://cdn.example/newer.png" } };
  expect((await tokensFrom(service, app, corp, newer)).user.picture).toBe(picture);
  const headers = { ...app.headers, authorization: `Bearer ${accessToken}` };
  await call(service, "PATCH", "/users/profile", headers, { picture: null });
  expect((await tokensFrom(service, app, corp, newer)).user.picture).toBeNull();
  const insecure = { subject: "2", email: newEmail(), verified: true, raw: { picture: "http://cdn.example/a.png" } };
  expect((await tokensFrom(service, app, corp, insecure)).user.picture).toBeNull();
  const { email } = await signedUp(service, app);
  await changeUser(service, email, { emailVerified: true });
  const linked = await tokensFrom(service, app, corp, { subject: "3", email, verified: true, raw: { picture } });
  expect(linked.user).toMatchObject({ email, picture: null });
});
