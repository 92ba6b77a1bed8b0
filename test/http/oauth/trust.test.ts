import { expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import { call, newEmail, signedUp } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { changeUser, identitiesOf, usersOf } from "../../support/providers/records.ts";
import { appWith, signInAt, tokensFrom } from "../../support/providers/round.ts";

const [google, corp] = await useProviders("google", "openid");

const current = useService();
const actor = { kind: "cli", name: "test" } as const;

it("Google's word links no address that is neither of gmail.com nor of the account's own domain", async () => {
  const app = await appWith(current(), [google]);
  const { email } = await signedUp(current(), app);
  await changeUser(current(), email, { emailVerified: true });
  const person = { subject: "1", email, verified: true };
  for (const hd of [undefined, "other.example"]) {
    const { done } = await signInAt(current(), app, google, { ...person, raw: { hd } });
    expect(done.status).toBe(400);
    expect(await identitiesOf(current(), app)).toEqual([]);
  }
  // Nor does it take over what nobody proved.
  await changeUser(current(), email, { emailVerified: false });
  expect((await signInAt(current(), app, google, { ...person, raw: { hd: undefined } })).done.status).toBe(400);
  expect(await usersOf(current(), app)).toMatchObject([{ emailVerified: false }]);
  // Where nobody has the address, what Google says of it stands.
  const other = { subject: "2", email: newEmail(), verified: true, raw: { hd: undefined } };
  expect((await tokensFrom(current(), app, google, other)).user).toMatchObject({ emailVerified: true });
});

it("an issuer that the operator does not trust with addresses proves none", async () => {
  const app = await appWith(current(), [corp]);
  const { providers } = current().server.app.services;
  await providers.set(app.id, { ...corp.settings(), trustsEmail: false }, actor);
  const { email } = await signedUp(current(), app);
  await changeUser(current(), email, { emailVerified: true });
  expect((await signInAt(current(), app, corp, { subject: "1", email, verified: true })).done.status).toBe(400);
  const stranger = { subject: "2", email: newEmail(), verified: true };
  expect((await tokensFrom(current(), app, corp, stranger)).user).toMatchObject({ emailVerified: false });
  await providers.set(app.id, corp.settings(), actor);
  const trusted = { subject: "3", email: newEmail(), verified: true };
  expect((await tokensFrom(current(), app, corp, trusted)).user).toMatchObject({ emailVerified: true });
});

it("a picture is taken from the provider when the account is created, and never overwritten afterwards", async () => {
  const app = await appWith(current(), [corp]);
  const picture = "https://cdn.example/ada.png";
  const ada = { subject: "1", email: newEmail(), verified: true };
  const { user, accessToken } = await tokensFrom(current(), app, corp, { ...ada, raw: { picture } });
  expect(user.picture).toBe(picture);
  const newer = { ...ada, raw: { picture: "https://cdn.example/newer.png" } };
  expect((await tokensFrom(current(), app, corp, newer)).user.picture).toBe(picture);
  const headers = { ...app.headers, authorization: `Bearer ${accessToken}` };
  await call(current(), "PATCH", "/users/profile", headers, { picture: null });
  expect((await tokensFrom(current(), app, corp, newer)).user.picture).toBeNull();
  const insecure = { subject: "2", email: newEmail(), verified: true, raw: { picture: "http://cdn.example/a.png" } };
  expect((await tokensFrom(current(), app, corp, insecure)).user.picture).toBeNull();
  const { email } = await signedUp(current(), app);
  await changeUser(current(), email, { emailVerified: true });
  const linked = await tokensFrom(current(), app, corp, { subject: "3", email, verified: true, raw: { picture } });
  expect(linked.user).toMatchObject({ email, picture: null });
});
