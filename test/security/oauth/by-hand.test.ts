import { expect, it } from "vitest";
import { signedUpIn } from "../../support/adding.ts";
import { useService } from "../../support/one-service.ts";
import { goodPassword, initiate, newEmail, Visitor, type Page } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { changeApplication, usersOf } from "../../support/providers/records.ts";
import { appWith } from "../../support/providers/round.ts";

const [google] = await useProviders("google");

const current = useService();

it("O9, CVE-2026-29193: a hand-made post signs nobody up where sign-up is closed, and nobody in by a method that is off", async () => {
  const own = await appWith(current(), [google], { methods: ["password", "passkey", "oauth"] });
  const { email } = await signedUpIn(current(), own);
  const session = await initiate(current(), own);
  const visitor = new Visitor();
  const signInPage = await visitor.get(session.authUrl);
  const { token = "" } = signInPage.form("/password").fields;
  const attempts = async (): Promise<Page[]> => [
    await visitor.post(`${session.authUrl}/create-account`, {
      token,
      email: newEmail(),
      name: "",
      password: goodPassword,
    }),
    await visitor.post(`${session.authUrl}/password`, { token, email, password: goodPassword }),
    await visitor.post(`${session.authUrl}/create-account/passkey/options`, { token, email: newEmail(), name: "" }),
    await visitor.post(`${session.authUrl}/create-account/passkey`, { token, credential: "{}" }),
    await visitor.post(`${session.authUrl}/passkey/options`, { token }),
    await visitor.post(`${session.authUrl}/oauth/google`, { token }),
    await visitor.post(`${session.authUrl}/oauth/github`, { token }),
  ];
  await changeApplication(current(), own, ({ settings, authMethods }) => ({
    settings: { ...settings, signUp: "closed" },
    authMethods: {
      ...authMethods,
      password: { enabled: false },
      passkey: { enabled: false, required: false },
      oauth: { enabled: false, providers: [] },
    },
  }));
  for (const page of await attempts()) {
    const location = page.headers.get("location") ?? "";
    expect(location).not.toContain("code=");
    expect(location).not.toContain(google.origin);
    expect(page.text).not.toContain('"challenge"');
  }
  // Passwords are on again, sign-up is not.
  await changeApplication(current(), own, ({ authMethods }) => ({
    authMethods: { ...authMethods, password: { enabled: true } },
  }));
  const again = await initiate(current(), own);
  const other = new Visitor();
  const page = await other.get(again.authUrl);
  const made = await other.post(`${again.authUrl}/create-account`, {
    token: page.form("/password").fields["token"] ?? "",
    email: newEmail(),
    name: "",
    password: goodPassword,
  });
  expect(made.headers.get("location") ?? "").not.toContain("code=");
  expect(await usersOf(current(), own)).toHaveLength(1);
});
