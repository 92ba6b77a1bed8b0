import { expect, it } from "vitest";
import { openAccount } from "../../support/account.ts";
import { signedUpIn } from "../../support/adding.ts";
import { bearer } from "../../support/methods.ts";
import { useService } from "../../support/one-service.ts";
import { call, initiate } from "../../support/person.ts";
import { updateApp } from "../../support/service.ts";

const current = useService();
const shown = /<image href="([^"]*)"/u;

/** The pages that show a person: the account, its profile form, and the card to continue with. */
async function pagesOf(picture: string) {
  const app = await current().createApp();
  const branding = { logo: "https://cdn.acme.example/logo.svg", companyName: null, primaryColor: null };
  await updateApp(current(), app, { branding });
  const { accessToken, visitor } = await signedUpIn(current(), app);
  const changed = await call(current(), "PATCH", "/users/profile", bearer(accessToken), { picture });
  expect(changed.status).toBe(200);
  const { authUrl } = await initiate(current(), app);
  return [
    await openAccount(current(), app, visitor),
    await openAccount(current(), app, visitor, "/profile"),
    await visitor.get(authUrl),
  ];
}

it("H7: a picture from somewhere else is linked, never loaded: its site would learn of each visit", async () => {
  const picture = "https://elsewhere.example/ada.png";
  const [account, form, card] = await pagesOf(picture);
  for (const page of [account, form, card]) {
    expect(page?.text).toContain('class="face"');
    expect(page?.text).not.toMatch(shown);
    expect(page?.headers.get("content-security-policy")).not.toContain("elsewhere.example");
  }
  expect(card?.text).not.toContain("elsewhere.example");
  for (const page of [account, form])
    expect(page?.text).toContain(`<a href="${picture}" target="_blank" rel="noopener noreferrer">`);
  expect(form?.text).toContain("These pages show your initials");
});

it("H7: a picture from the origin of the application's logo is shown, by the policy that already allows the logo", async () => {
  const picture = "https://cdn.acme.example/people/ada.png";
  const pages = await pagesOf(picture);
  for (const page of pages) {
    expect(shown.exec(page.text)?.[1]).toBe(picture);
    expect(page.headers.get("content-security-policy")).toContain("img-src 'self' https://cdn.acme.example;");
  }
  expect(pages[1]?.text).not.toContain("These pages show your initials");
});
