import { gunzipSync } from "node:zlib";
import { request } from "undici";
import { expect, it } from "vitest";
import { operations } from "../../src/openapi/operations.ts";
import { describeInBrowser } from "./support/stage.ts";

describeInBrowser("the page that describes the HTTP API", (stage) => {
  it("shows every call with its example, from this service alone and under the policy of every page", async () => {
    stage.expectComplaint(
      /\/docs lacks protection: \/\^img-src .*, \/\^require-trusted-types-for .*, img-src 'self' data:$/u,
    );
    const page = await stage.newPage({ colorScheme: "dark" });
    await page.goto(`${stage.service.url}/docs`);
    await expect.poll(async () => await page.locator(".opblock").count(), { timeout: 15_000 }).toBe(operations.length);
    await page.locator("#operations-Authentication-initiate, [id$='-initiate']").first().click();
    await page.getByText("authUrl").first().waitFor();
    expect(await page.locator("html").getAttribute("class")).toContain("dark-mode");
  });

  it("tries a call out", async () => {
    stage.expectComplaint(/\/docs lacks protection/u);
    const page = await stage.newPage();
    await page.goto(`${stage.service.url}/docs`);
    const health = page.locator(".opblock").filter({ hasText: "/healthz" });
    await health.locator("button.opblock-summary-control").click();
    await health.getByRole("button", { name: "Try it out" }).click();
    await health.getByRole("button", { name: "Execute" }).click();
    await health.locator(".live-responses-table .response-col_status").getByText("200").waitFor();
    expect(await health.locator(".live-responses-table").innerText()).toContain('"status": "ok"');
  });

  it("has its script compressed for those who can read that, and plain for others", async () => {
    const { url } = stage.service;
    const path = /src="(\/assets\/swagger-ui\.[\w-]+\.js)"/u.exec(await (await fetch(`${url}/docs`)).text())?.[1];
    const ask = async (encoding: string) => {
      const { headers, body } = await request(`${url}${path}`, { headers: { "accept-encoding": encoding } });
      return {
        encoding: headers["content-encoding"],
        vary: headers["vary"],
        bytes: Buffer.from(await body.arrayBuffer()),
      };
    };
    const [packed, plain] = [await ask("br, gzip"), await ask("identity")];
    expect([packed.encoding, plain.encoding]).toEqual(["gzip", undefined]);
    expect([packed.vary, plain.vary]).toEqual(["Accept-Encoding", "Accept-Encoding"]);
    expect(packed.bytes.length * 3).toBeLessThan(plain.bytes.length);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
  });
});
