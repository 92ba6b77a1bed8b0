/** Signing in at protected hosts, in a browser, through nginx as `client show` prints it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { blockFor } from "../../src/forward-auth/blocks/blocks.ts";
import { createProxy, forProxies } from "../support/forward-auth.ts";
import { freePort } from "../support/free-port.ts";
import { leftOut } from "../support/left-out.ts";
import { goodPassword, newEmail, signUp } from "../support/person.ts";
import { cannotRun, startProgram, startProxy, type RunningProxy } from "../support/proxies.ts";
import type { TestApp } from "../support/service.ts";
import { describeInBrowser } from "./support/stage.ts";
import { createApp, fillAccount, heading, inPage } from "./support/steps.ts";

const nginx = { proxy: "nginx", program: "nginx" } as const;
const reason = cannotRun(nginx);

describeInBrowser(
  "a protected host in a browser",
  (stage) => {
    describe.skipIf(reason !== undefined)(`behind nginx${leftOut(reason)}`, () => {
      const folder = mkdtempSync(join(tmpdir(), "authsvc-nginx-"));
      let [files, wiki] = ["", ""];
      let app: TestApp;
      let program: Awaited<ReturnType<typeof startProgram>>;
      let proxy: RunningProxy;

      beforeAll(async () => {
        files = `files.localhost:${await freePort()}`;
        wiki = `wiki.localhost:${await freePort()}`;
        const hosts = [files, wiki];
        program = await startProgram();
        app = await createApp(stage, { name: "Acme" });
        const { client } = await createProxy(stage.service, app, { hosts });
        const choices = {
          upstream: `http://127.0.0.1:${program.port}`,
          door: stage.service.server.forwardAuthUrl ?? "",
        };
        proxy = await startProxy(nginx, blockFor("nginx", client, choices, undefined), {
          folder,
          hosts,
          keepsPorts: true,
        });
      });

      afterAll(async () => {
        await proxy.stop();
        await program.close();
        rmSync(folder, { recursive: true, force: true });
      });

      beforeEach(() => {
        for (const host of [files, wiki]) stage.allowOrigin(`https://${host}`);
        // The form of the sign-in leads to the host, and nowhere else.
        stage.expectComplaint(/ lacks protection: [^,]*, form-action 'self' https:\/\/(?:files|wiki)\.localhost:\d+$/u);
      });

      async function person(): Promise<string> {
        const email = newEmail();
        await signUp(stage.service, app, { email });
        return email;
      }

      const newPage = async (): Promise<Page> => await stage.newPage({ ignoreHTTPSErrors: true });

      async function signIn(page: Page, email: string): Promise<void> {
        await fillAccount(page, { email, password: goodPassword }, "Sign in");
      }

      /** A form that this page sends. */
      async function post(page: Page, address: string): Promise<void> {
        await inPage(
          page,
          `(action) => {
            const form = document.createElement("form");
            Object.assign(form, { method: "post", action });
            document.body.append(form);
            form.submit();
          }`,
          address,
        );
      }

      /** What the program saw of the page's request. */
      async function seenIn(page: Page): Promise<{ url: string; headers: Record<string, string> }> {
        const { url, headers } = JSON.parse(await page.locator("pre").innerText()) as {
          url: string;
          headers: [string, string][];
        };
        return { url, headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])) };
      }

      it("opens a deep link with its query after the sign-in, and another host without a page", async () => {
        const email = await person();
        const page = await newPage();
        const deep = `https://${files}/a%20b?x=1&y=%2F&z=%C3%A9`;
        await page.goto(deep);
        await signIn(page, email);
        await page.waitForURL(deep);
        const seen = await seenIn(page);
        expect([seen.url, seen.headers["remote-user"]]).toEqual(["/a%20b?x=1&y=%2F&z=%C3%A9", expect.any(String)]);
        expect(seen.headers["cookie"] ?? "").not.toContain("authsvc-proxy");
        await page.goto(`https://${wiki}/`);
        expect((await seenIn(page)).headers["remote-user"]).toBe(seen.headers["remote-user"]);
        const cookies = await page.context().cookies([`https://${files}`, `https://${wiki}`]);
        const ours = cookies.filter(({ name }) => name.startsWith("__Host-authsvc-proxy"));
        expect(new Set(ours.map(({ value }) => value)).size).toBe(2);
        expect(ours.map(({ httpOnly, secure, sameSite, path }) => [httpOnly, secure, sameSite, path])).toEqual([
          [true, true, "Lax", "/"],
          [true, true, "Lax", "/"],
        ]);
      });

      it("ends two tabs each at its own address", async () => {
        const email = await person();
        const first = await newPage();
        const second = await first.context().newPage();
        await first.goto(`https://${files}/first`);
        await second.goto(`https://${files}/second?q=1`);
        await signIn(first, email);
        await first.waitForURL(`https://${files}/first`);
        await signIn(second, email);
        await second.waitForURL(`https://${files}/second?q=1`);
        for (const page of [first, second]) expect((await seenIn(page)).headers["remote-user"]).toBeDefined();
      });

      it("takes no callback of another browser", async () => {
        const [attacker, victim] = [await newPage(), await newPage()];
        const email = await person();
        await attacker.goto(`https://${files}/`);
        const callback = attacker.waitForRequest((request) => request.url().includes("/.authsvc/callback"));
        // Kept back, as an attacker does who sends it to somebody else.
        await attacker.route("**/.authsvc/callback*", async (route) => await route.abort());
        stage.expectComplaint(/ERR_FAILED/u);
        await signIn(attacker, email);
        const url = (await callback).url();
        await victim.goto(`https://${files}/`);
        await victim.goto(url);
        expect(await heading(victim).textContent()).toBe("Sign in again");
        await victim.goto(`https://${files}/`);
        expect(victim.url()).toContain("/sign-in/");
      });

      it("is not signed out by a form of a sibling host", async () => {
        const email = await person();
        const page = await newPage();
        await page.goto(`https://${files}/`);
        await signIn(page, email);
        await page.waitForURL(`https://${files}/`);
        await page.goto(`https://${wiki}/`);
        await post(page, `https://${files}/.authsvc/sign-out`);
        await page.waitForURL(`https://${files}/.authsvc/sign-out`);
        expect(await heading(page).textContent()).toBe("That didn't come from this page");
        await page.goto(`https://${files}/`);
        expect((await seenIn(page)).headers["remote-user"]).toBeDefined();
      });

      it("is signed out at the next request after a sign-out elsewhere, of scripts and forms, too", async () => {
        const email = await person();
        const page = await newPage();
        await page.goto(`https://${files}/`);
        await signIn(page, email);
        await page.waitForURL(`https://${files}/`);
        await page.goto(`https://${wiki}/`);
        await page.goto(`https://${wiki}/.authsvc/sign-out`);
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByText("You're signed out").first().waitFor();
        const other = await page.context().newPage();
        await other.goto(`https://${files}/.authsvc/sign-out`);
        const told = await other.evaluate(async () => {
          const answers = await Promise.all(["GET", "POST"].map(async (method) => await fetch("/api", { method })));
          return answers.map((answer) => [answer.status, answer.headers.get("authsvc-sign-in")]);
        });
        const start = `https://${files}/.authsvc/start`;
        expect(told).toEqual([
          [401, start],
          [401, start],
        ]);
        await post(other, `https://${files}/form`);
        await other.getByText("Sign in, then send it again").first().waitFor();
        expect(other.url()).toBe(`https://${files}/form`);
      });
    });
  },
  { overrides: forProxies },
);
