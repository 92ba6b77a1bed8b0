import { expect, it } from "vitest";
import { describeInBrowser } from "./support/stage.ts";

describeInBrowser("the page that describes the HTTP API", (stage) => {
  it("shows one call at a time with its fields, answers, errors and examples, also without JavaScript", async () => {
    const page = await stage.newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 667 } });
    await page.goto(`${stage.service.url}/docs?search=initiate`);
    await page.getByRole("navigation", { name: "Calls" }).getByRole("link", { name: "POST /auth/initiate" }).click();
    await page.getByRole("heading", { name: "POST /auth/initiate", level: 1 }).waitFor();
    const words = await page.locator("main").innerText();
    for (const part of ["API key and App ID", "redirectUri", "Answer 200", "expiresAt", "INVALID_API_KEY", "cart-42"])
      expect(words, part).toContain(part);
    expect(await page.getByRole("button", { name: "Copy" }).count()).toBe(0);
    await page.getByText("All calls").click();
    expect(await page.getByLabel("Filter").inputValue()).toBe("initiate");
  });

  it("filters while one types, copies the examples, and opens the schema that a link names", async () => {
    const page = await stage.newPage({ viewport: { width: 1280, height: 800 } });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${stage.service.url}/docs?show=initiate`);
    const links = page.getByRole("navigation", { name: "Calls" }).getByRole("listitem");
    const all = await links.count();
    await page.getByLabel("Filter").fill("webhooks delete");
    expect(await links.count()).toBe(1);
    await page.getByLabel("Filter").fill("no such call");
    await page.getByText("No call has these words.").waitFor();
    await page.getByLabel("Filter").fill("initiate");
    await links.getByRole("link").first().click();
    await page.waitForURL(/search=initiate/u);
    expect(await links.count()).toBeLessThan(all);
    await page.getByLabel("Filter").fill("");
    expect(await links.count()).toBe(all);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^curl -X POST "http/u);
    await page.goto(`${stage.service.url}/docs?show=callback`);
    await page.getByRole("main").getByRole("link", { name: "TokensAndUser" }).first().click();
    await page.getByRole("heading", { name: "TokensAndUser", level: 1 }).waitFor();
  });
});
