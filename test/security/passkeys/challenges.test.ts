import { expect, it } from "vitest";
import { assertion, attest, newPasskey } from "../../support/authenticator.ts";
import { newUser } from "../../support/mail-flows.ts";
import {
  askedBy,
  askOptions,
  openCeremony,
  post,
  signUpByPasskey,
  openAdding,
  makePasskey,
} from "../../support/passkey-ceremonies.ts";
import { goodPassword, initiate, newEmail, Visitor } from "../../support/person.ts";
import { usersOf } from "../../support/providers/records.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

const minutes = 60_000;

describeSqliteFirst("the challenge of a passkey", (service) => {
  const app = useApp(service);

  it("K2: is 32 random bytes of the server's, never the same twice, and never stored as it is", async () => {
    const ceremony = await openCeremony(service, app, "");
    const challenges: string[] = [];
    for (let n = 0; n < 50; n += 1) challenges.push((await askOptions(ceremony)).challenge);
    expect(new Set(challenges).size).toBe(50);
    for (const challenge of challenges) expect(challenge).toMatch(/^[\w-]{43}$/u);
    const stored = await service.databaseText();
    for (const challenge of challenges) expect(stored).not.toContain(challenge);
  });

  it("K2: is used up by the first answer, right or wrong", async () => {
    const { passkey } = await signUpByPasskey(service, app);
    const ceremony = await openCeremony(service, app, "");
    const asked = askedBy(service, await askOptions(ceremony));
    expect((await post(ceremony, assertion(passkey, asked, { flags: 1 }))).status).toBe(401);
    expect((await post(ceremony, assertion(passkey, asked))).status).toBe(401);
    const good = assertion(passkey, askedBy(service, await askOptions(ceremony)));
    expect((await post(ceremony, good)).status).toBe(303);
    const replayed = await post(await openCeremony(service, app, "", ceremony.visitor), good);
    expect(replayed.status).toBe(401);
  });

  it("K2: lets one of 50 answers at once sign in", async () => {
    const { passkey } = await signUpByPasskey(service, app);
    const ceremony = await openCeremony(service, app, "");
    const good = assertion(passkey, askedBy(service, await askOptions(ceremony)));
    const pages = await Promise.all(Array.from({ length: 50 }, () => post(ceremony, good)));
    expect(pages.filter(({ headers }) => headers.get("location")?.includes("code=") === true)).toHaveLength(1);
  });

  it("K2: lets one of 50 answers at once make an account", async () => {
    const app = await service.createApp();
    const ceremony = await openCeremony(service, app, "/create-account");
    const options = await askOptions(ceremony, { email: newEmail(), name: "" });
    const made = attest(newPasskey("ES256", options.user?.id), askedBy(service, options));
    const pages = await Promise.all(Array.from({ length: 50 }, () => post(ceremony, made)));
    expect(pages.filter(({ headers }) => headers.get("location")?.includes("code=") === true)).toHaveLength(1);
    expect(await usersOf(service, app)).toHaveLength(1);
  });

  it("K2: is good for less than five minutes", async () => {
    const { passkey } = await signUpByPasskey(service, app);
    for (const [waited, status] of [
      [5 * minutes - 1, 303],
      [5 * minutes, 401],
    ] as const) {
      const ceremony = await openCeremony(service, app, "");
      const options = await askOptions(ceremony);
      expect(options["timeout"]).toBe(5 * minutes);
      service.clock.advance(waited);
      expect((await post(ceremony, assertion(passkey, askedBy(service, options)))).status).toBe(status);
    }
  });

  it("K2: of one session is worth nothing in another of the same browser, nor in another browser", async () => {
    const { passkey } = await signUpByPasskey(service, app);
    const first = await openCeremony(service, app, "");
    const same = await openCeremony(service, app, "", first.visitor);
    const other = await openCeremony(service, app, "");
    for (const ceremony of [same, other]) {
      const asked = askedBy(service, await askOptions(first));
      expect((await post(ceremony, assertion(passkey, asked))).status).toBe(401);
    }
    // The same session, its page opened in two browsers.
    const visitor = new Visitor();
    const twin = { visitor, session: first.session, page: await visitor.get(first.session.authUrl) };
    const asked = askedBy(service, await askOptions(twin));
    expect((await post(first, assertion(passkey, asked))).status).toBe(401);
  });

  it("K2: of one ceremony is worth nothing in another: made to sign up, to sign in, or to add", async () => {
    const app = await service.createApp();
    const owner = await signUpByPasskey(service, app);
    const add = await openAdding(service, app, owner);
    const { visitor } = owner;
    const signIn = await openCeremony(service, app, "", visitor);
    const path = `${signIn.session.authUrl}/create-account`;
    const signUp = { ...signIn, page: await visitor.get(path) };

    const toSignUp = askedBy(service, await askOptions(signUp, { email: newEmail(), name: "" }));
    expect((await post(signIn, assertion(owner.passkey, toSignUp))).status).toBe(401);
    const toSignIn = askedBy(service, await askOptions(signIn));
    expect((await post(signUp, attest(newPasskey(), toSignIn))).status).toBe(422);
    const toAdd = askedBy(service, await askOptions(add));
    expect((await post(signUp, attest(newPasskey(), toAdd))).status).toBe(422);
    const toSignUpAgain = askedBy(service, await askOptions(signUp, { email: newEmail(), name: "" }));
    expect((await post(add, attest(newPasskey(), toSignUpAgain))).status).toBe(422);
    expect(await usersOf(service, app)).toHaveLength(1);
    expect((await makePasskey(service, add)).done.location.searchParams.get("status")).toBe("added");
  });

  it("K2: of one user adds nothing to another, also when both use one browser", async () => {
    const ada = await signUpByPasskey(service, app);
    const bob = await signUpByPasskey(service, app);
    const [adas, bobs] = [await openAdding(service, app, ada), await openAdding(service, app, bob)];
    const asked = askedBy(service, await askOptions(adas));
    expect((await post(bobs, attest(newPasskey(), asked))).status).toBe(422);
    expect((await post(adas, attest(newPasskey(), asked))).location.searchParams.get("status")).toBe("added");
  });

  it("K2: of one user adds nothing to another who was proven in the same session afterwards", async () => {
    const app = await service.createApp({ authMethods: { passkey: { required: true } } });
    const [ada, bob] = [
      await newUser(service, app, { password: goodPassword }),
      await newUser(service, app, { password: goodPassword }),
    ];
    const visitor = new Visitor();
    const session = await initiate(service, app);
    const form = await visitor.get(session.authUrl);
    // The first proof renews the cookie, so that the second needs a token of the next page.
    const proveIn = async ({ email }: typeof ada, { token = "" }: Record<string, string>) => {
      const proven = await visitor.post(`${session.authUrl}/password`, { token, email, password: goodPassword });
      expect(proven.location.href).toBe(session.authUrl);
      return { visitor, session, page: await visitor.get(session.authUrl), form: "/step/new-passkey" };
    };
    const first = await proveIn(ada, form.form("/password").fields);
    const ofAda = askedBy(service, await askOptions(first));
    const step = await proveIn(bob, first.page.form("/step/new-passkey").fields);
    const answered = await post(step, attest(newPasskey(), ofAda));
    expect([answered.status, answered.headers.get("location")]).toEqual([422, null]);
    const ofBob = askedBy(service, await askOptions(step));
    expect((await post(step, attest(newPasskey(), ofBob))).location.searchParams.has("code")).toBe(true);
  });
});
