import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { prove } from "../../support/adding.ts";
import { assertion, attest, newPasskey, type Credential } from "../../support/authenticator.ts";
import { newUser } from "../../support/mail-flows.ts";
import { askedBy, type PasskeyOptions } from "../../support/passkey-ceremonies.ts";
import { goodPassword, initiate, redeem, refresh, Visitor, type Tokens } from "../../support/person.ts";
import { withApp, describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

/** Signs in by password, then takes the step that the next page asks for. */
async function signInByBoth(
  service: TestService,
  app: TestApp,
  email: string,
  step: "/step/passkey" | "/step/new-passkey",
  answer: (options: PasskeyOptions) => Credential,
): Promise<Tokens> {
  const session = await initiate(service, app);
  const visitor = new Visitor();
  const page = await prove(visitor, session, email);
  const { action, fields } = page.form(step);
  const asked = await visitor.post(`${new URL(action, page.url).href}/options`, fields);
  const { options } = asked.json() as { options: PasskeyOptions };
  const done = await visitor.submit(page, step, { credential: JSON.stringify(answer(options)) });
  return await redeem(service, app, { session, code: done.location.searchParams.get("code") ?? "" });
}

const amr = ({ accessToken }: { accessToken: string }): unknown => decodeJwt(accessToken)["amr"];

describeSqliteFirst("amr", (current) => {
  it("lists every proof of a sign-in, in the first token and in refreshed ones", async () => {
    const { service, app } = await withApp(current(), { authMethods: { passkey: { required: true } } });
    const { email } = await newUser(service, app, { password: goodPassword });
    let passkey = newPasskey();

    const created = await signInByBoth(service, app, email, "/step/new-passkey", (options) => {
      passkey = newPasskey("ES256", options.user?.id);
      return attest(passkey, askedBy(service, options));
    });
    // Whoever has the password could create a passkey: it is no second factor until it is used.
    expect(amr(created)).toEqual(["pwd", "pop", "user"]);

    const used = await signInByBoth(service, app, email, "/step/passkey", (options) =>
      assertion(passkey, askedBy(service, options)),
    );
    expect(amr(used)).toEqual(["pwd", "pop", "user", "mfa"]);
    // The second time the old refresh token buys the same successor, which is another path.
    for (let time = 0; time < 2; time += 1)
      expect(amr((await refresh(service, app, used.refreshToken)).body as Tokens)).toEqual(amr(used));
  });
});
