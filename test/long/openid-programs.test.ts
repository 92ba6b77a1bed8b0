import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as clients from "../../src/applications/clients/service.ts";
import { configurationFor, type ProgramName } from "../../src/applications/clients/configurations.ts";
import { sharedBrowser } from "../support/chromium.ts";
import { freePort } from "../support/free-port.ts";
import { newParty, type Party } from "../support/openid-tokens.ts";
import { goodPassword } from "../support/person.ts";
import { untilListening } from "../support/receiver.ts";
import { describeOnSqlite } from "../support/service.ts";
import { killed } from "./example-apps.ts";

const scratch = mkdtempSync(join(tmpdir(), "authsvc-programs-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

type Installed = {
  packages: string[];
  /** Of npm. */
  proxy?: string;
  callback: string;
  /** Puts the printed configuration where the program reads it. Returns its command. */
  configure(folder: string, port: number, printed: string): Promise<string[]>;
  /** Whether somebody without a verified address is refused. */
  needsVerified?: boolean;
  /** Where signing in begins. */
  begin: string;
  /** Where somebody who is signed in sees the own name. */
  home: string;
};

const succeeds = (cwd: string, file: string, args: string[], env: Record<string, string> = {}): boolean =>
  spawnSync(file, args, { cwd, env: { ...process.env, ...env }, stdio: "ignore", timeout: 300_000 }).status === 0;

const view = `
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.urls import include, path

home = login_required(lambda request: HttpResponse(f"Signed in as {request.user.email}"))
urlpatterns = [path("", home), path("accounts/", include("allauth.urls"))]
`;

const programs: Partial<Record<ProgramName, Installed>> = {
  django: {
    packages: ["django==5.2.19", "django-allauth[socialaccount]==65.21.1"],
    callback: "/accounts/oidc/authsvc/login/callback/",
    begin: "/",
    home: "/",
    async configure(folder, port, printed) {
      succeeds(folder, "venv/bin/django-admin", ["startproject", "site1", "."]);
      appendFileSync(join(folder, "site1/settings.py"), printed);
      writeFileSync(join(folder, "site1/urls.py"), view);
      succeeds(folder, "venv/bin/python", ["manage.py", "migrate"], { CLIENT_SECRET: "not needed yet" });
      await Promise.resolve();
      return ["venv/bin/python", "manage.py", "runserver", "--noreload", `127.0.0.1:${port}`];
    },
  },
  jupyterhub: {
    packages: ["jupyterhub==6.1.1", "oauthenticator==17.4.0"],
    proxy: "configurable-http-proxy@5.3.0",
    callback: "/hub/oauth_callback",
    begin: "/hub/oauth_login",
    home: "/hub/home",
    needsVerified: true,
    async configure(folder, port, printed) {
      const here = [
        `c.JupyterHub.bind_url = "http://127.0.0.1:${port}"`,
        `c.JupyterHub.hub_port = ${await freePort()}`,
        `c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:${await freePort()}"`,
        'c.JupyterHub.spawner_class = "simple"',
        "c.JupyterHub.redirect_to_server = False",
      ];
      writeFileSync(join(folder, "jupyterhub_config.py"), `${printed}\n${here.join("\n")}\n`);
      return ["venv/bin/jupyterhub", "-f", "jupyterhub_config.py"];
    },
  },
};

for (const [name, program] of Object.entries(programs))
  describeOnSqlite(`${name}, by the configuration that client show prints`, (service) => {
    const folder = join(scratch, name);
    let child: ChildProcess | undefined;
    let isHere = false;
    let url = "";
    let party: Party;

    beforeAll(async () => {
      mkdirSync(folder);
      isHere =
        succeeds(folder, "python3", ["-m", "venv", "venv"]) &&
        succeeds(folder, "venv/bin/pip", ["install", "-q", ...program.packages]) &&
        (program.proxy === undefined || succeeds(folder, "npm", ["install", "--prefix", folder, program.proxy]));
      if (!isHere) return;
      const port = await freePort();
      url = `http://localhost:${port}`;
      party = await newParty(service, { redirectUris: [`${url}${program.callback}`], requirePkce: true });
      const client = await clients.get(service.server.app.ctx, party.client.id);
      const { text, missing } = configurationFor(name as ProgramName, client, service.url);
      if (missing.length > 0) throw new Error(missing.join(" "));
      const [file = "", ...args] = await program.configure(folder, port, text);
      const path = `${join(folder, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`;
      const env = { ...process.env, PATH: path, CLIENT_SECRET: party.secret };
      child = spawn(join(folder, file), args, { cwd: folder, env, stdio: "ignore" });
      await untilListening(`${url}${program.home}`);
    }, 600_000);
    // Not killed: JupyterHub ends its proxy.
    afterAll(async () => await killed(child, "SIGTERM"));

    /** Types the password in a new browser. Returns what the program shows at home. */
    async function signIn(): Promise<string> {
      const context = await (await sharedBrowser()).newContext();
      const page = await context.newPage();
      await page.goto(`${url}${program.begin}`);
      expect(new URL(page.url()).origin).toBe(service.url);
      await page.getByLabel("Email").fill(party.email);
      await page.getByRole("textbox", { name: "Password" }).fill(goodPassword);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.waitForURL((address) => address.origin === url);
      await page.goto(`${url}${program.home}`);
      const text = (await page.textContent("body")) ?? "";
      await context.close();
      return text;
    }

    it("signs in, and takes nobody by an address that is not verified", async ({ skip }) => {
      skip(!isHere, `${name} cannot be installed here`);
      if (program.needsVerified === true) expect(await signIn()).not.toContain(party.email);
      await service.server.app.ctx.storage.write(async ({ db, tables: { users } }) => {
        await db.update(users).set({ emailVerified: true }).where(eq(users.email, party.email));
      });
      expect(await signIn()).toContain(party.email);
    }, 300_000);
  });
