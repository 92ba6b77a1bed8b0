import { beforeAll, expect, it } from "vitest";
import { addingSession, prove, signedUpIn, type SignedInVisitor } from "../../support/adding.ts";
import { attest, newPasskey } from "../../support/authenticator.ts";
import { methodsOf } from "../../support/methods.ts";
import { useService } from "../../support/one-service.ts";
import { askedBy, askOptions, post, makePasskey, openAdding } from "../../support/passkey-ceremonies.ts";
import {
  call,
  goodPassword,
  initiate,
  newEmail,
  signUp,
  Visitor,
  type Page,
  type Session,
} from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { changeApplication, identitiesOf } from "../../support/providers/records.ts";
import { appWith, atProvider, codeOf, comeBack, signInAt, type Back } from "../../support/providers/round.ts";
import type { TestApp } from "../../support/service.ts";

const [google, github] = await useProviders("google", "github");

const service = useService();
const minutes = 60_000;
const otherPassword = "another horse, another battery";

let app: TestApp;
beforeAll(async () => {
  app = await appWith(service, [google, github], { methods: ["password", "passkey", "oauth"] });
});

let subjects = 5000;
const somebody = () => ({ subject: String((subjects += 1)), email: newEmail(), verified: true });

async function ask({ accessToken }: SignedInVisitor, body: Record<string, unknown>): Promise<Session> {
  return await addingSession(service, app, accessToken, body);
}

async function kindsOf(person: SignedInVisitor): Promise<string[]> {
  return (await methodsOf(service, person)).map(({ type, provider }) => provider ?? type).toSorted();
}

/** Every way to go on from the page of a session that adds something, by hand. */
async function forceEverything(visitor: Visitor, session: Session, page: Page): Promise<Page[]> {
  const token = /name="token" value="([^"]+)"/u.exec(page.text)?.[1] ?? "";
  const pages = [
    await visitor.post(`${session.authUrl}/add/password`, { token, password: otherPassword }),
    await visitor.post(`${session.authUrl}/add/oauth`, { token }),
    await visitor.post(`${session.authUrl}/add/passkey`, { token, credential: "{}" }),
    await visitor.post(`${session.authUrl}/add/passkey/options`, { token }),
  ];
  return pages;
}

/**
 * A browser that is not signed in as the account's user reads enough to know its own address, and
 * no more.
 */
function expectMasked(page: Page, email: string): void {
  expect(page.text).not.toContain(email);
  expect(page.text).toContain(`${email.slice(0, 1)}…@e….org`);
}

it.each([{ type: "password" }, { type: "passkey" }, { type: "oauth", provider: "google" }])(
  "O10, CVE-2026-37982: the address alone, for %j, adds nothing in another browser: its page hints at the account and asks for a proof",
  async (body) => {
    const victim = await signedUpIn(service, app);
    const session = await ask(victim, body);
    const thief = new Visitor();
    const page = await thief.get(session.authUrl);
    expect(page.text).toContain("Confirm it&#39;s you");
    expectMasked(page, victim.email);
    for (const forced of await forceEverything(thief, session, page)) {
      expect(forced.headers.get("location") ?? "").not.toContain("status=added");
      expect([303, 400]).toContain(forced.status);
    }
    expect(await kindsOf(victim)).toEqual(["password"]);
  },
);

it.each([{ type: "password" }, { type: "passkey" }, { type: "oauth", provider: "google" }])(
  "O10: an attacker's address, for %j, in a victim's signed-in browser adds nothing to either: the proof is the named account's",
  async (body) => {
    const attacker = await signedUpIn(service, app);
    const victim = await signedUpIn(service, app);
    const session = await ask(attacker, body);
    // The victim's browser has a fresh login, of another account.
    const page = await victim.visitor.get(session.authUrl);
    expect(page.text).toContain("Confirm it&#39;s you");
    expectMasked(page, attacker.email);
    await forceEverything(victim.visitor, session, page);
    const proven = await prove(victim.visitor, session, victim.email);
    expect(proven.text).toContain("That&#39;s another account");
    expect(await kindsOf(victim)).toEqual(["password"]);
    expect(await kindsOf(attacker)).toEqual(["password"]);
  },
);

it("O10, GHSA-hp74-gm6m-2qm5: a session cookie is no proof: neither an old one, nor one of another app, nor a token that is fresh", async () => {
  const owner = await signedUpIn(service, app);
  service.clock.advance(10 * minutes);
  // The token is new, the proof is not.
  const refreshed = await call(service, "POST", "/auth/refresh", app.headers, { refreshToken: owner.refreshToken });
  expect(refreshed.status).toBe(200);
  const fresh = { ...owner, accessToken: String(refreshed.body["accessToken"]) };
  const session = await ask(fresh, { type: "password" });
  const old = await owner.visitor.get(session.authUrl);
  expect(old.text).toContain("Confirm it&#39;s you");
  // The same address and password in another app, just signed in, in the same browser.
  const other = await service.createApp();
  const elsewhere = await initiate(service, other);
  await signUp(service, other, { email: owner.email });
  await owner.visitor.submit(await owner.visitor.get(elsewhere.authUrl), "/password", {
    email: owner.email,
    password: goodPassword,
  });
  const page = await owner.visitor.get(session.authUrl);
  expect(page.text).toContain("Confirm it&#39;s you");
  await forceEverything(owner.visitor, session, page);
  expect(await kindsOf(fresh)).toEqual(["password"]);
});

it("O10, GHSA-hp74-gm6m-2qm5: where the app asks for a passkey, a fresh login by a weaker method adds nothing", async () => {
  const owner = await signedUpIn(service, app);
  await makePasskey(service, await openAdding(service, app, owner));
  expect(await kindsOf(owner)).toEqual(["passkey", "password"]);
  const strict = (required: boolean) =>
    changeApplication(service, app, ({ authMethods }) => ({
      authMethods: { ...authMethods, passkey: { enabled: true, required } },
    }));
  await strict(true);
  try {
    // Somebody with the password, a fresh login by it, and a token of the app's.
    const thief = new Visitor();
    const adding = await ask(owner, { type: "password" });
    const page = await prove(thief, adding, owner.email);
    expect(page.text).not.toContain("Change your password");
    await forceEverything(thief, adding, page);
  } finally {
    await strict(false);
  }
  expect(await kindsOf(owner)).toEqual(["passkey", "password"]);
  const works = await prove(new Visitor(), await initiate(service, app), owner.email);
  expect(works.location.searchParams.has("code")).toBe(true);
});

it("O10, CVE-2026-37982: the address is good once: a second method is not added by it, whatever its forms are sent again", async () => {
  const owner = await signedUpIn(service, app);
  const ceremony = await openAdding(service, app, owner);
  const [first, second] = [askedBy(service, await askOptions(ceremony)), askedBy(service, await askOptions(ceremony))];
  expect((await post(ceremony, attest(newPasskey(), first))).location.searchParams.get("status")).toBe("added");
  const again = await post(ceremony, attest(newPasskey(), second));
  expect(again.headers.get("location") ?? "").not.toContain("status=added");
  await expect(askOptions(ceremony)).rejects.toThrow("400");
  expect(await kindsOf(owner)).toEqual(["passkey", "password"]);
});

it("O10, CVE-2026-37982: the address of one kind adds no other kind, and ends after ten minutes", async () => {
  const owner = await signedUpIn(service, app);
  const session = await ask(owner, { type: "oauth", provider: "google" });
  const page = await owner.visitor.get(session.authUrl);
  const { token = "" } = page.form("/add/oauth").fields;
  await owner.visitor.post(`${session.authUrl}/add/password`, { token, password: otherPassword });
  await owner.visitor.post(`${session.authUrl}/oauth/github`, { token });
  expect(await kindsOf(owner)).toEqual(["password"]);
  service.clock.advance(10 * minutes);
  const late = await owner.visitor.submit(page, "/add/oauth", {});
  expect(late.headers.get("location") ?? "").not.toContain(google.origin);
});

it("O10: a link to add an account, opened in a victim's browser that the provider knows, links nothing by itself", async () => {
  const attacker = await signedUpIn(service, app);
  const session = await ask(attacker, { type: "oauth", provider: "google" });
  const left = await attacker.visitor.submit(await attacker.visitor.get(session.authUrl), "/add/oauth", {});
  // The attacker stops here and gives the provider's address to the victim, who is signed in there.
  const victim = somebody();
  const back = await atProvider(left.location, google, victim);
  const done = await comeBack(new Visitor(), back);
  expect(done.status).toBe(403);
  expect((await identitiesOf(service, app)).some(({ subject }) => subject === victim.subject)).toBe(false);
});

it("O11: an identity that is linked elsewhere is refused, and stays where it is", async () => {
  const who = somebody();
  const { done } = await signInAt(service, app, google, who);
  codeOf(done);
  const before = (await identitiesOf(service, app)).find(({ subject }) => subject === who.subject);
  const other = await signedUpIn(service, app);
  const session = await ask(other, { type: "oauth", provider: "google" });
  const left = await other.visitor.submit(await other.visitor.get(session.authUrl), "/add/oauth", {});
  const refused = await comeBack(other.visitor, await atProvider(left.location, google, who));
  expect(refused.status).toBe(422);
  expect(refused.text).toContain("already belongs to another account");
  expect((await identitiesOf(service, app)).find(({ subject }) => subject === who.subject)).toEqual(before);
  expect(await kindsOf(other)).toEqual(["password"]);
});

it("O11: of two accounts that add one identity at once, one gets it", async () => {
  const who = somebody();
  const people = [await signedUpIn(service, app), await signedUpIn(service, app)];
  const backs: Back[] = [];
  for (const person of people) {
    const session = await ask(person, { type: "oauth", provider: "google" });
    const left = await person.visitor.submit(await person.visitor.get(session.authUrl), "/add/oauth", {});
    backs.push(await atProvider(left.location, google, who));
  }
  const done = await Promise.all(
    people.map(async ({ visitor }, n) => await comeBack(visitor, backs[n] ?? { url: "", fields: undefined })),
  );
  expect(done.map(({ status }) => status)).toEqual(expect.arrayContaining([303, 422]));
  expect((await identitiesOf(service, app)).filter(({ subject }) => subject === who.subject)).toHaveLength(1);
});
