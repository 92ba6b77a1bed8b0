import { expect, it } from "vitest";
import { operations } from "../support/routes.ts";
import { describeInBrowser } from "./support/stage.ts";

describeInBrowser("the page that describes the HTTP API", (stage) => {
  it("shows every call with its fields, answers, errors and example, also without JavaScript", async () => {
    const page = await stage.newPage({ javaScriptEnabled: false });
    await page.goto(`${stage.service.url}/docs`);
    for (const { method, path } of operations) {
      const name = `${method} ${path.replaceAll(/:(\w+)/gu, "{$1}")}`;
      expect(await page.getByRole("heading", { name, exact: true }).count(), name).toBe(1);
    }
    const call = page.locator("details", { has: page.getByRole("heading", { name: "POST /auth/initiate" }) });
    expect(await call.locator("pre").first().isVisible()).toBe(false);
    await call.locator("summary").click();
    const words = await call.innerText();
    for (const part of ["API key and App ID", "redirectUri", "Answer 200", "expiresAt", "INVALID_API_KEY", "cart-42"])
      expect(words, part).toContain(part);
  });

  it("opens the schema that a link names", async () => {
    const page = await stage.newPage();
    await page.goto(`${stage.service.url}/docs`);
    await page.locator("summary", { hasText: "POST /auth/callback" }).click();
    await page.getByRole("link", { name: "TokensAndUser" }).first().click();
    await page.locator("#schema-TokensAndUser").getByText("refreshToken").first().waitFor();
  });
});
