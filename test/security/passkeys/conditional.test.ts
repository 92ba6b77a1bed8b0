import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { attest, flag, newPasskey, type SoftPasskey } from "../../support/authenticator.ts";
import { newUser } from "../../support/mail-flows.ts";
import { methodsOf } from "../../support/methods.ts";
import {
  askedBy,
  askOptions,
  openCeremony,
  signInByPasskey,
  signUpByPasskey,
  type Ceremony,
  openAdding,
} from "../../support/passkey-ceremonies.ts";
import { goodPassword, initiate, newEmail, redeem, Visitor, type Page } from "../../support/person.ts";
import { useApp, updateApp, describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

/** What browsers answer to a conditional creation: nobody was there, nobody was verified. */
const unasked = { flags: flag.attested };
const conditional = { conditional: "yes" };

/** The step after a password, in a browser that can create passkeys. */
async function stepAfterPassword(service: TestService, app: TestApp): Promise<Ceremony & { email: string }> {
  const { email } = await newUser(service, app, { password: goodPassword });
  const visitor = new Visitor();
  const session = await initiate(service, app);
  const form = await visitor.get(session.authUrl);
  await visitor.submit(form, "/password", { email, password: goodPassword, passkeys: "1" });
  return { visitor, session, page: await visitor.get(session.authUrl), form: "/step/new-passkey", email };
}

/** Answers as a browser does that was asked with these fields, and claims these in its answer. */
async function create(
  service: TestService,
  step: Ceremony,
  {
    asked = {},
    claimed = asked,
    twist = unasked,
  }: {
    asked?: Record<string, string>;
    claimed?: Record<string, string>;
    twist?: Parameters<typeof attest>[2];
  },
): Promise<{ answer: Page; passkey: SoftPasskey }> {
  const options = await askOptions(step, asked);
  const passkey = newPasskey("ES256", options.user?.id);
  const credential = JSON.stringify(attest(passkey, askedBy(service, options), twist));
  const { visitor, page, form = "/passkey" } = step;
  return { answer: await visitor.submit(page, form, { ...claimed, credential }), passkey };
}

describeSqliteFirst("a passkey that a browser creates without asking", (service) => {
  const app = useApp(service);

  async function expectNotAdded({ answer, passkey }: Awaited<ReturnType<typeof create>>): Promise<void> {
    expect(answer.location.searchParams.has("code")).toBe(false);
    expect(await service.databaseText()).not.toContain(passkey.id.toString("base64url"));
  }

  it("K11: is added right after a password, proves nothing then, and is verified at every sign-in", async () => {
    const step = await stepAfterPassword(service, app);
    const { answer, passkey } = await create(service, step, { asked: conditional });
    const code = answer.location.searchParams.get("code") ?? "";
    const tokens = await redeem(service, app, { session: step.session, code });
    expect(decodeJwt(tokens.accessToken)["amr"]).toEqual(["pwd"]);
    expect(await methodsOf(service, tokens)).toContainEqual(
      expect.objectContaining({ type: "passkey", lastUsed: null }),
    );
    expect((await signInByPasskey(service, app, passkey, { flags: flag.present })).status).toBe(401);
    expect((await signInByPasskey(service, app, passkey, { flags: flag.verified })).status).toBe(401);
    expect((await signInByPasskey(service, app, passkey)).location.searchParams.has("code")).toBe(true);
  });

  it("K11: is not asked to verify anyone: browsers would refuse; every other creation is", async () => {
    const step = await stepAfterPassword(service, await service.createApp());
    const asks = async (fields: Record<string, string>) =>
      (await askOptions(step, fields))["authenticatorSelection"] as { userVerification: string };
    expect((await asks(conditional)).userVerification).toBe("preferred");
    expect((await asks({})).userVerification).toBe("required");
  });

  it.each([
    ["an ordinary creation at the same step", {}],
    ["an ordinary challenge, answered as a conditional one", { asked: {}, claimed: conditional }],
    ["a conditional challenge, answered as an ordinary one", { asked: conditional, claimed: {} }],
    ["the same, by a person who was verified", { asked: conditional, claimed: {}, twist: {} }],
  ])("K11: is refused as the answer to %s", async (_title, how) => {
    const step = await stepAfterPassword(service, await service.createApp());
    const created = await create(service, step, how);
    expect([200, 422]).toContain(created.answer.status);
    await expectNotAdded(created);
  });

  it("K11: fails without a word, and is not tried again", async () => {
    const step = await stepAfterPassword(service, await service.createApp());
    expect(step.page.text).toContain('name="conditional"');
    const created = await create(service, step, { asked: conditional, twist: { rpId: "evil.localhost" } });
    await expectNotAdded(created);
    const { status, text } = created.answer;
    expect([status, text.includes('class="summary"'), text.includes('name="conditional"')]).toEqual([
      200,
      false,
      false,
    ]);
    const pressed = await create(service, { ...step, page: created.answer }, { twist: {} });
    expect(pressed.answer.location.searchParams.has("code")).toBe(true);
  });

  it("K11: is not there where the application requires a passkey", async () => {
    const app = await service.createApp({ authMethods: { passkey: { required: true } } });
    const step = await stepAfterPassword(service, app);
    expect(step.page.text).not.toContain('name="conditional"');
    await expect(askOptions(step, conditional)).rejects.toThrow("options answered 400");
    await expectNotAdded(await create(service, step, { claimed: conditional }));
  });

  it("K11: gives no code if the application requires a passkey meanwhile", async () => {
    const app = await service.createApp();
    const step = await stepAfterPassword(service, app);
    const options = await askOptions(step, conditional);
    const change = { authMethods: { passkey: { required: true } } };
    await updateApp(service, app, change);
    const passkey = newPasskey("ES256", options.user?.id);
    const credential = JSON.stringify(attest(passkey, askedBy(service, options), unasked));
    const answer = await step.visitor.submit(step.page, "/step/new-passkey", { ...conditional, credential });
    expect(answer.location.href).toBe(step.session.authUrl);
    await expectNotAdded({ answer, passkey });
  });

  it("K11: neither makes an account nor is added to one elsewhere", async () => {
    const signUp = await openCeremony(service, app, "/create-account");
    const asked = { ...conditional, email: newEmail(), name: "" };
    await expectNotAdded(await create(service, signUp, { asked }));
    const adding = await openAdding(service, app, await signUpByPasskey(service, app));
    await expectNotAdded(await create(service, adding, { asked: conditional }));
  });

  it("K11: is added by its session's browser alone, and once", async () => {
    const [step, other] = [await stepAfterPassword(service, app), await stepAfterPassword(service, app)];
    const options = await askOptions(step, conditional);
    const passkey = newPasskey("ES256", options.user?.id);
    const credential = JSON.stringify(attest(passkey, askedBy(service, options), unasked));
    const answerIn = async ({ visitor, page }: Ceremony) =>
      await visitor.submit(page, "/step/new-passkey", { ...conditional, credential });
    await expectNotAdded({ answer: await answerIn(other), passkey });
    expect((await answerIn(step)).location.searchParams.has("code")).toBe(true);
    await expect(askOptions(step, conditional)).rejects.toThrow("options answered 400");
  });
});
