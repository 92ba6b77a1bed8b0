import type { Page, Request } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as applications from "../../src/applications/service.ts";
import { standIns } from "../../src/dev/providers/stand-ins.ts";
import { sampled } from "../support/long-run.ts";
import { initiate, redeem, type Session } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { narrow, sidewaysPixels, violations } from "./support/everybody.ts";
import { missingProtections } from "./support/protections.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, heading, summary } from "./support/steps.ts";

const providers = standIns.map(({ name, displayName }) => [displayName, name] as const);
/** Apple's answer is a form that posts itself. */
const throughForms = sampled(
  [
    ["Apple", "apple"],
    ["Google", "google"],
  ],
  2,
);

describeInBrowser(
  "stand-ins for providers",
  (stage) => {
    let demo: TestApp;
    beforeAll(async () => {
      const { url, server } = stage.service;
      const { appId, apiKey } = server.dev ?? { appId: "", apiKey: "" };
      const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": appId };
      demo = { id: appId, apiKey, redirectUri: `${url}/dev/demo/callback`, headers };
      const actor = { kind: "cli", name: "test" } as const;
      await applications.addRedirectUris(server.app.ctx, appId, [`${stage.site.origin}/callback`], actor);
    });
    // They are another origin, which the forms of the sign-in page lead to.
    beforeEach(() => {
      stage.allowOrigin(stage.service.url.replace("localhost", "127.0.0.1"));
      stage.expectComplaint(/ lacks protection: \/\^form-action/u);
    });

    /** From the hosted page of the demo app to a stand-in's. */
    async function goToStandIn(page: Page, displayName: string, extra: Record<string, unknown> = {}): Promise<Session> {
      const session = await initiate(stage.service, demo, extra);
      await page.goto(session.authUrl);
      await button(page, `Continue with ${displayName}`).click();
      await page.getByRole("heading", { name: `Who signs in with ${displayName}?` }).waitFor();
      return session;
    }

    describe.each(sampled(providers, 4))("%s's stand-in", (displayName, name) => {
      it("signs somebody in: by the hosted page's button to tokens", async () => {
        const page = await stage.newPage();
        const session = await goToStandIn(page, displayName, { redirectUri: `${stage.site.origin}/callback` });
        await page.getByText(`${displayName} (stand-in)`).waitFor();
        await page.getByLabel("Name").fill("Mary Somerville");
        await page.getByLabel("Email").fill(`mary@${name}.example`);
        await button(page, "Continue").click();
        await page.waitForURL(`${stage.site.origin}/callback?*`);
        const code = stage.site.callbacks.at(-1)?.get("code") ?? "";
        expect((await redeem(stage.service, demo, { session, code })).user).toMatchObject({
          email: `mary@${name}.example`,
          name: "Mary Somerville",
          authMethods: { oauth: [name] },
        });
      });

      it("fails as it is told to, and the hosted page says so", async () => {
        const page = await stage.newPage();
        for (const failure of ["Authorization: error response", "Token endpoint: garbage"]) {
          await goToStandIn(page, displayName);
          await page.getByText("Let it fail").click();
          await page.getByLabel("What fails").selectOption(failure);
          await button(page, "Fail").click();
          await summary(page).waitFor();
          expect(await summary(page).textContent()).toContain(`${displayName} didn't answer as expected.`);
        }
      });
    });

    describe("the stand-ins", () => {
      it.each(throughForms)(
        "lead on to an app on another origin, which no form of theirs needs to know: %s",
        async (displayName, name) => {
          const page = await stage.newPage();
          await goToStandIn(page, displayName, { redirectUri: `${stage.site.origin}/callback`, state: "st" });
          await page.getByLabel("Email").fill(`ida@${name}.example`);
          await button(page, "Continue").click();
          await page.waitForURL(`${stage.site.origin}/callback?*`);
          expect(stage.site.callbacks.at(-1)?.get("state")).toBe("st");
          expect(stage.site.callbacks.at(-1)?.get("code")).toMatch(/^.{43}$/u);
        },
      );

      it.each(throughForms)("work without JavaScript: %s", async (displayName, name) => {
        const page = await stage.newPage({ javaScriptEnabled: false });
        await goToStandIn(page, displayName, { redirectUri: `${stage.site.origin}/callback` });
        await page.getByLabel("Email").fill(`ida@${name}.example`);
        await button(page, "Continue").click();
        if (name === "apple") {
          await page.getByRole("heading", { name: "Going back" }).waitFor();
          await button(page, "Continue").click();
          await button(page, "Continue to Acme").click();
        }
        await page.waitForURL(`${stage.site.origin}/callback?*`);
        expect(stage.site.callbacks.at(-1)?.has("code")).toBe(true);
      });

      it.each(sampled(["Google", "Facebook"], 2))(
        "have pages that are protected as the hosted ones are, read well, and fit the smallest phone: %s",
        async (displayName) => {
          const page = await stage.newPage({ viewport: narrow, reducedMotion: "reduce" });
          await goToStandIn(page, displayName);
          for (const closed of await page.locator("summary").all()) await closed.click();
          expect(await sidewaysPixels(page)).toBe(0);
          const headers = (await page.reload())?.headers() ?? {};
          expect(missingProtections(headers)).toEqual([]);
          for (const closed of await page.locator("summary").all()) await closed.click();
          for (const colorScheme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme });
            expect(await violations(page)).toEqual([]);
          }
        },
      );

      it("are another site than the service: Apple's post brings no Lax cookie, and the one that follows it does", async () => {
        const page = await stage.newPage();
        const posts: Request[] = [];
        page.on("request", (request) => {
          if (request.method() === "POST" && request.url().endsWith("/oauth/apple/callback")) posts.push(request);
        });
        await goToStandIn(page, "Apple");
        await page.getByRole("button", { name: /Ada Lovelace/u }).click();
        await page.waitForURL(`${demo.redirectUri}?code=*`);
        const sent = await Promise.all(posts.map((post) => post.allHeaders()));
        expect(sent.map((headers) => [headers["sec-fetch-site"], "cookie" in headers])).toEqual([
          ["cross-site", false],
          ["same-origin", true],
        ]);
      });

      it("offer prepared people by one press, and the service tells those whose address is no good what to do", async () => {
        const page = await stage.newPage();
        await goToStandIn(page, "GitHub");
        await page.getByRole("button", { name: /Alan Turing/u }).click();
        await summary(page).waitFor();
        expect(await summary(page).textContent()).toContain("your email address isn't verified there");
        await goToStandIn(page, "GitHub");
        await page.getByRole("button", { name: /Joan Clarke/u }).click();
        await summary(page).waitFor();
        expect(await summary(page).textContent()).toContain("didn't share an email address");
        await goToStandIn(page, "GitHub");
        await page.getByRole("button", { name: /Ada Lovelace/u }).click();
        await page.waitForURL(`${demo.redirectUri}?code=*`);
      });

      it("say what is wrong with a request that they cannot send back", async () => {
        const page = await stage.newPage();
        const response = await page.goto(
          `http://127.0.0.1:${new URL(stage.service.url).port}/dev/providers/google/authorize`,
        );
        expect(await heading(page).textContent()).toBe("This request is refused");
        expect(await page.getByRole("main").textContent()).toContain(
          "client_id: google-stand-in is the only client here.",
        );
        expect(missingProtections(response?.headers() ?? {})).toEqual([]);
      });
    });
  },
  { overrides: { dev: true } },
);
