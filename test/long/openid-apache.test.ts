import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as clients from "../../src/applications/clients/service.ts";
import { configurationFor } from "../../src/applications/clients/configurations.ts";
import { sharedBrowser } from "../support/chromium.ts";
import { freePort } from "../support/free-port.ts";
import { newParty, type Party } from "../support/openid-tokens.ts";
import { goodPassword } from "../support/person.ts";
import { until } from "../support/receiver.ts";
import { describeOnSqlite } from "../support/service.ts";
import { killed } from "./example-apps.ts";

/** Where Debian, Fedora, Alpine and macOS install them. */
const binary = ["/usr/sbin/apache2", "/usr/sbin/httpd", "/usr/local/apache2/bin/httpd"].find(existsSync);
const modules = [
  "/usr/lib/apache2/modules",
  "/usr/lib64/httpd/modules",
  "/usr/lib/apache2",
  "/usr/local/apache2/modules",
].find((folder) => existsSync(join(folder, "mod_auth_openidc.so")));

describeOnSqlite("Apache with mod_auth_openidc, by the configuration that client show prints", (service) => {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-apache-"));
  let child: ChildProcess | undefined;
  let url = "";
  let party: Party;

  beforeAll(async () => {
    if (binary === undefined || modules === undefined) return;
    url = `http://localhost:${await freePort()}`;
    party = await newParty(service, {
      redirectUris: [`${url}/oauth2callback`],
      postLogoutRedirectUris: [`${url}/bye.html`],
      requirePkce: true,
    });
    const client = await clients.get(service.server.app.ctx, party.client.id);
    const { text } = configurationFor("mod_auth_openidc", client, service.url);
    writeFileSync(
      join(folder, "authsvc-client.conf"),
      `OIDCClientSecret "${party.secret}"\nOIDCCryptoPassphrase "a passphrase of this test only"\n`,
    );
    mkdirSync(join(folder, "site"));
    writeFileSync(join(folder, "site/index.html"), "<h1>The protected page</h1>");
    writeFileSync(join(folder, "site/bye.html"), "<h1>Goodbye</h1>");
    writeFileSync(join(folder, "httpd.conf"), configuration(text.replaceAll("/etc/apache2", folder)));
    child = spawn(binary, ["-X", "-f", join(folder, "httpd.conf")], { stdio: "ignore" });
    await until(
      () =>
        fetch(`${url}/bye.html`).then(
          ({ ok }) => ok,
          () => false,
        ),
      "Apache listens",
    );
  }, 120_000);
  afterAll(async () => {
    await killed(child);
    rmSync(folder, { recursive: true, force: true });
  });

  function configuration(printed: string): string {
    const needed = ["mpm_event", "authn_core", "authz_core", "authz_user", "unixd", "dir", "mime", "auth_openidc"];
    const loaded = needed
      .filter((name) => existsSync(join(modules ?? "", `mod_${name}.so`)))
      .map((name) => `LoadModule ${name}_module ${join(modules ?? "", `mod_${name}.so`)}`);
    return [
      ...loaded,
      `ServerName ${url}`,
      `Listen 127.0.0.1:${new URL(url).port}`,
      `PidFile ${join(folder, "httpd.pid")}`,
      `ErrorLog ${join(folder, "error.log")}`,
      "TypesConfig /dev/null",
      "AddType text/html .html",
      `DocumentRoot ${join(folder, "site")}`,
      "DirectoryIndex index.html",
      printed,
      '<Location "/bye.html">',
      "  AuthType none",
      "  Require all granted",
      "</Location>",
      "",
    ].join("\n");
  }

  it("protects a site: signs in with a browser, and signs out, here and there", async ({ skip }) => {
    skip(binary === undefined || modules === undefined, "Apache with mod_auth_openidc is not installed here");
    const context = await (await sharedBrowser()).newContext();
    const page = await context.newPage();
    await page.goto(url);
    expect(new URL(page.url()).origin).toBe(service.url);
    await page.getByLabel("Email").fill(party.email);
    await page.getByRole("textbox", { name: "Password" }).fill(goodPassword);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "The protected page" }).waitFor();

    // The module's own logout, which goes on at the endpoint that discovery names.
    await page.goto(`${url}/oauth2callback?logout=${encodeURIComponent(`${url}/bye.html`)}`);
    await page.getByRole("heading", { name: "Goodbye" }).waitFor();
    await page.goto(url);
    await page.getByLabel("Email").waitFor();
    await context.close();
  });
});
