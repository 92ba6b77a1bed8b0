/** Passkeys and second factors at protected hosts, in a browser, through Caddy as it is printed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as clients from "../../src/applications/clients/service.ts";
import { blockFor } from "../../src/forward-auth/blocks/blocks.ts";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { codeAt } from "../support/factors.ts";
import { createProxy, forProxies } from "../support/forward-auth.ts";
import { freePort } from "../support/free-port.ts";
import { operator } from "../support/groups.ts";
import { leftOut } from "../support/left-out.ts";
import { goodPassword, newEmail, signUp } from "../support/person.ts";
import { cannotRun, startProgram, startProxy, type RunningProxy } from "../support/proxies.ts";
import type { TestApp } from "../support/service.ts";
import { switchOffAutofill } from "./support/passkey-steps.ts";
import { describeInBrowser } from "./support/stage.ts";
import { button, createApp, field, fillAccount, heading, link } from "./support/steps.ts";

const caddy = { proxy: "caddy", program: "caddy" } as const;
const reason = cannotRun(caddy);

describeInBrowser(
  "proofs at a protected host in a browser",
  (stage) => {
    describe.skipIf(reason !== undefined)(`behind Caddy${leftOut(reason)}`, () => {
      const folder = mkdtempSync(join(tmpdir(), "authsvc-caddy-"));
      let [files, vault] = ["", ""];
      let app: TestApp;
      let program: Awaited<ReturnType<typeof startProgram>>;
      const proxies: RunningProxy[] = [];

      beforeAll(async () => {
        files = `files.localhost:${await freePort()}`;
        vault = `vault.localhost:${await freePort()}`;
        program = await startProgram();
        app = await createApp(stage, { name: "Acme", settings: { secondFactor: "optional" } });
        const choices = {
          upstream: `http://127.0.0.1:${program.port}`,
          door: stage.service.server.forwardAuthUrl ?? "",
        };
        for (const host of [files, vault]) {
          const { client } = await createProxy(stage.service, app, { hosts: [host] });
          if (host === vault)
            await clients.update(stage.service.server.app.ctx, client.id, { secondFactor: "required" }, operator);
          proxies.push(
            await startProxy(caddy, blockFor("caddy", client, choices, undefined), {
              folder: mkdtempSync(join(folder, "host-")),
              hosts: [host],
              keepsPorts: true,
            }),
          );
        }
      });

      afterAll(async () => {
        for (const proxy of proxies) await proxy.stop();
        await program.close();
        rmSync(folder, { recursive: true, force: true });
      });

      beforeEach(() => {
        for (const host of [files, vault]) stage.allowOrigin(`https://${host}`);
        stage.expectComplaint(
          / lacks protection: [^,]*, form-action 'self' https:\/\/(?:files|vault)\.localhost:\d+$/u,
        );
      });

      const newPage = async (): Promise<Page> => await stage.newPage({ ignoreHTTPSErrors: true });

      /** Whom the program saw at this address. */
      async function userAt(page: Page, address: string): Promise<string | undefined> {
        await page.waitForURL(address);
        const { headers } = JSON.parse(await page.locator("pre").innerText()) as { headers: [string, string][] };
        return headers.find(([name]) => name.toLowerCase() === "remote-user")?.[1];
      }

      it("creates a passkey on the way to a host, and signs in with it after a sign-out", async () => {
        const page = await newPage();
        await addVirtualAuthenticator(page);
        await switchOffAutofill(page);
        const deep = `https://${files}/deep?x=%2F`;
        await page.goto(deep);
        await heading(page)
          .filter({ hasText: `Sign in to ${files}` })
          .waitFor();
        await link(page, "Create account").click();
        await field(page, "Email").fill(newEmail());
        await button(page, "Create a passkey").click();
        const user = await userAt(page, deep);
        expect(user).toMatch(/^usr_/u);
        await page.goto(`https://${files}/.authsvc/sign-out`);
        await button(page, "Sign out").click();
        await link(page, "Sign in").click();
        await button(page, "Sign in with a passkey").click();
        expect(await userAt(page, `https://${files}/`)).toBe(user);
        // A passkey is two factors.
        await page.goto(`https://${vault}/`);
        expect(await userAt(page, `https://${vault}/`)).toBe(user);
      });

      it("asks for the second factor of the host that requires it, and returns to the deep link", async () => {
        const email = newEmail();
        await signUp(stage.service, app, { email });
        const page = await newPage();
        await page.goto(`https://${files}/`);
        await fillAccount(page, { email, password: goodPassword }, "Sign in");
        const user = await userAt(page, `https://${files}/`);
        const deep = `https://${vault}/deep?y=%2F`;
        await page.goto(deep);
        await heading(page).filter({ hasText: "authenticator app" }).waitFor();
        const key = (await page.locator(".key").textContent()) ?? "";
        await page.getByLabel("Code that the app shows").fill(codeAt(key, stage.service.clock.now));
        await page.getByLabel("Code that the app shows").press("Enter");
        await heading(page).filter({ hasText: "Keep your recovery codes" }).waitFor();
        await button(page, "I have kept them").click();
        expect(await userAt(page, deep)).toBe(user);

        stage.service.clock.advance(60_000);
        const other = await newPage();
        await other.goto(deep);
        await fillAccount(other, { email, password: goodPassword }, "Sign in");
        await heading(other).filter({ hasText: "Enter your code" }).waitFor();
        // Half a sign-in opens nothing.
        const second = await other.context().newPage();
        for (const host of [files, vault]) {
          await second.goto(`https://${host}/`);
          expect(second.url()).toContain("/sign-in/");
        }
        await other.getByLabel("Code", { exact: true }).fill(codeAt(key, stage.service.clock.now));
        await button(other, "Continue").click();
        expect(await userAt(other, deep)).toBe(user);
      });
    });
  },
  { overrides: forProxies, dialects: ["sqlite", "postgres"] },
);
