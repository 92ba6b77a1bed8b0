import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Application } from "../../src/applications/application.ts";
import { configurationFor, programs } from "../../src/applications/clients/configurations.ts";
import * as clients from "../../src/applications/clients/service.ts";
import { isOfKind } from "../../src/applications/clients/rules.ts";
import { clientRows } from "../../src/applications/clients/settings.ts";
import type { ClientKind } from "../../src/storage/column-types.ts";
import * as apiKeys from "../../src/applications/keys.ts";
import * as providers from "../../src/applications/providers/provider-clients.ts";
import * as applications from "../../src/applications/service.ts";
import { applicationRows } from "../../src/applications/settings.ts";
import { consoleRoutes } from "../../src/console/routes.ts";
import * as groups from "../../src/users/groups/service.ts";
import { commandsOn, openConsole, runShown, type Console } from "../support/console.ts";
import { withOrganizations } from "../support/organizations.ts";
import { newUser } from "../support/mail-flows.ts";
import { givePersonalToken } from "../support/personal-tokens.ts";
import { useService } from "../support/one-service.ts";
import { call, decoded, initiate, type Page } from "../support/person.ts";
import { startProvider } from "../support/providers/provider.ts";
import { filled } from "./support-forms.ts";

const service = useService();

/** Posts a form of a page with these values, as a browser would. */
async function send(console: Console, page: Page, action: string, values: Record<string, string> = {}): Promise<Page> {
  return await console.submit(page, action, { ...filled(page, action), ...values });
}

/** The first command with this beginning that a page shows. */
function checkedCommand(page: Page, beginning: string): string {
  const command = commandsOn(page).find((line) => line.startsWith(`authsvc ${beginning}`));
  if (command === undefined) throw new Error(`no command ${beginning} in ${page.text}`);
  return command;
}

async function run(line: string): Promise<void> {
  const { code, stderr } = await runShown(service, line);
  expect([code, stderr.match(/rror.*/u)?.[0]]).toEqual([0, undefined]);
}

/** What an application is, without what differs between two of them. */
async function stateOf(id: string): Promise<Partial<Application>> {
  const { ctx } = service.server.app;
  const found: Partial<Application> = (await applications.find(ctx, ctx.storage.reader, id)) ?? {};
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...state } = found;
  return state;
}

test("each setting of an application and of a client stands with the sentence of the table of settings", async () => {
  const app = await service.createApp();
  await run(`authsvc client create --app ${app.id} --id told --name Told`);
  await run(`authsvc client create --app ${app.id} --id wiki --name Wiki --kind proxy --host wiki.example.com`);
  const rowsOf = (kind: ClientKind) =>
    clientRows.filter(([field, row]) => row.form === "client" && isOfKind(kind, field, row));
  const console = await openConsole(service, { role: "viewer" });
  for (const [path, rows] of [
    [`/applications/${app.id}`, applicationRows.filter(([, { form }]) => form !== "branding" && form !== undefined)],
    [`/applications/${app.id}/clients/told`, rowsOf("web")],
    [`/applications/${app.id}/clients/wiki`, rowsOf("proxy")],
  ] as const) {
    const text = decoded((await console.get(path)).text);
    for (const [, { label, about }] of rows)
      expect([label, text.includes(`<dt>${label}</dt>`), text.includes(`<div class="hint">${about}</div>`)]).toEqual([
        label,
        true,
        true,
      ]);
  }
});

test("the page of a proxy client says what its proxies need, and nothing of OpenID Connect", async () => {
  const app = await service.createApp();
  await run(`authsvc client create --app ${app.id} --id docs --name Docs --kind proxy --host docs.example.com`);
  const console = await openConsole(service, { role: "viewer" });
  const page = await console.get(`/applications/${app.id}/clients/docs`);
  expect(commandsOn(page)).toEqual(
    expect.arrayContaining([
      "authsvc client show docs --for nginx --upstream http://127.0.0.1:8384",
      "authsvc client check docs",
    ]),
  );
  const text = decoded(page.text);
  expect(text).toContain("https://docs.example.com");
  for (const strange of ["openid-configuration", "Redirect URIs", "Token endpoint"])
    expect(text).not.toContain(strange);
});

describe("the list of applications", () => {
  test("checks a new application, shows its command, and creates it with a key that is shown once", async () => {
    const console = await openConsole(service);
    const values = { name: "Shop", id: "app_new", redirectUris: "https://shop.example/back", emailCode: "on" };
    const checked = await send(console, await console.get("/applications"), "/applications", {
      ...values,
      check: "yes",
    });
    expect(checked.text).toContain("This can be created.");
    expect(await stateOf("app_new")).toEqual({});
    const command = checkedCommand(checked, "app create");
    const created = await send(console, checked, "/applications");
    const apiKey = /ak_\w+/u.exec(created.text)?.[0] ?? "";
    const app = { id: "app_new", apiKey, redirectUri: "https://shop.example/back", headers: {} };
    app.headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": app.id };
    expect((await initiate(service, app)).authUrl).toContain("/sign-in/");
    expect(created.url).not.toContain(apiKey);
    expect(await service.databaseText()).not.toContain(apiKey);
    expect((await console.get("/applications/app_new/keys")).text).not.toContain(apiKey);
    await run(command.replace("app_new", "app_new2"));
    expect(await stateOf("app_new2")).toEqual(await stateOf("app_new"));
    expect((await console.get("/applications")).text).toContain("app_new2");
  });

  test("keeps what was entered when it is refused, and says why beside the field", async () => {
    const console = await openConsole(service);
    const values = { name: "Refused <b>", id: "no id", domain: "example.com" };
    const page = await send(console, await console.get("/applications"), "/applications", values);
    expect(page.status).toBe(422);
    expect(filled(page, "/applications")).toMatchObject(values);
    expect(page.text).toMatch(/name="id"\s+aria-invalid="true"/u);
    expect(page.text).toContain('id="id-problem"');
    expect(page.text).not.toContain("Refused <b>");
  });
});

const changes: [group: string, values: Record<string, string>][] = [
  ["names", { name: "Other's name", redirectUris: "https://a.example/1\r\nhttps://a.example/2" }],
  ["names", { redirectUris: "" }],
  ["names", { domain: "example.com", relyingPartyId: "login.example.com", mailName: "Mail" }],
  ["methods", { passkeyRequired: "on", emailCode: "on", signUp: "closed", passwordMinLength: "20" }],
  ["methods", { "methods.oauth": "on", providers: "google, github" }],
  ["factors", { secondFactor: "required", trustBrowsers: "30d", singleSignOn: "30m", refreshGrace: "90s" }],
  ["factors", { singleSignOn: "off" }],
  ["tokens", { "scopes.groups": "on", claims: '[{"claim":"roles","from":"groups","in":["access"]}]' }],
  ["tokens", { signingAlgorithm: "EdDSA", "signsNow.now": "on" }],
  ["api", { publicClients: "on", queryEndpoints: "off", "limit.authentication": "100", "limit.webhooks": "7" }],
];

describe("the settings of an application", () => {
  test("checking a lower maximum says how many tokens it ends", async () => {
    const app = await service.createApp({ settings: { personalTokens: true } });
    await givePersonalToken(service, (await newUser(service, app)).id);
    const console = await openConsole(service);
    const values = { personalTokenLife: "30d", check: "yes" };
    const checked = await send(console, await console.get(`/applications/${app.id}`), "/settings/tokens", values);
    expect(checked.text).toContain("Nothing has changed yet. 1 personal access token lasts longer, and would end.");
  });

  test("saving says how many people a setting stops, as the command does", async () => {
    const app = await service.createApp();
    await newUser(service, app);
    const console = await openConsole(service);
    const values = { secondFactor: "required" };
    const page = await console.get(`/applications/${app.id}`);
    const checked = await send(console, page, "/settings/factors", { ...values, check: "yes" });
    expect(checked.text).toContain("Nothing has changed yet. 1 person must set up a second factor");
    const saved = await send(console, page, "/settings/factors", values);
    expect(saved.text).toContain("The settings were saved. 1 person must set up a second factor");
  });

  test.each(changes)(
    "%s %j: checking changes nothing; saving and the shown command do the same",
    async (group, values) => {
      const [app, twin] = [await service.createApp({ name: "A" }), await service.createApp({ name: "A" })];
      const before = await stateOf(app.id);
      const console = await openConsole(service);
      const action = `/settings/${group}`;
      const page = await console.get(`/applications/${app.id}`);
      const checked = await send(console, page, action, { ...values, check: "yes" });
      expect(checked.status).toBe(200);
      expect(await stateOf(app.id)).toEqual(before);
      const saved = await send(console, checked, action);
      expect(saved.text).toContain("The settings were saved.");
      expect(await stateOf(app.id)).not.toEqual(before);
      await run(checkedCommand(checked, "app update").replace(app.id, twin.id));
      expect(await stateOf(twin.id)).toEqual(await stateOf(app.id));
    },
  );

  test.each([
    ["names", { redirectUris: "https://a.example/\nhttp://b.example/" }, "redirectUris", "Redirect URIs 2: https"],
    ["methods", { "methods.passkey": "", passkeyRequired: "on" }, "passkeyRequired", "Passkey required: only with"],
    ["methods", { passwordMinLength: "3" }, "passwordMinLength", "Shortest password: a whole number from 8"],
    ["factors", { trustBrowsers: "soon" }, "trustBrowsers", "Trusted browsers: from 1 to 90"],
    ["factors", { refreshGrace: "3m" }, "refreshGrace", "Refresh grace: from 10 to 120 seconds"],
    ["tokens", { claims: "[{]" }, "claims", "Token claims: not JSON"],
    ["tokens", { "signsNow.now": "on" }, "signsNow", "only with another signing algorithm"],
    ["api", { "limit.webhooks": "no" }, "limit.webhooks", "Limit of webhook management: from 1"],
  ])("%s: refuses %j beside the field, and keeps it", async (group, values, field, words) => {
    const app = await service.createApp();
    const before = await stateOf(app.id);
    const console = await openConsole(service);
    const entered = filled(await console.get(`/applications/${app.id}`), `/settings/${group}`);
    for (const [name, value] of Object.entries(values)) if (value === "") delete entered[name];
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    const page = await console.submit(await console.get(`/applications/${app.id}`), `/settings/${group}`, {
      ...entered,
      ...given,
    });
    expect(page.status).toBe(422);
    expect(page.text).toContain(`id="${field}-problem"`);
    expect(page.text).toContain(words);
    expect(filled(page, `/settings/${group}`)).toMatchObject(given);
    expect(await stateOf(app.id)).toEqual(before);
  });

  test("a form that was opened before keeps what somebody else has changed since", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const page = await console.get(`/applications/${app.id}`);
    await run(`authsvc app update ${app.id} --domain example.com`);
    await send(console, page, "/settings/names", { name: "Renamed" });
    expect(await stateOf(app.id)).toMatchObject({ name: "Renamed", domain: "example.com" });
  });

  test("writes the same audit entry as its command, with the operator", async () => {
    const [app, twin] = [await service.createApp(), await service.createApp()];
    const console = await openConsole(service);
    await send(console, await console.get(`/applications/${app.id}`), "/settings/methods", { signUp: "closed" });
    await run(`authsvc app update ${twin.id} --sign-up closed`);
    const { stdout } = await runShown(service, "authsvc audit list --action application.update --json");
    const events = JSON.parse(stdout) as { appId: string; actor: string; action: string; details: unknown }[];
    const of = (id: string) => events.find(({ appId }) => appId === id);
    expect(of(app.id)).toMatchObject({ actor: "cli:test", details: of(twin.id)?.details });
  });

  test("an application is deleted once its id was typed", async () => {
    const [app, twin] = [await service.createApp(), await service.createApp()];
    const console = await openConsole(service);
    const page = await console.get(`/applications/${app.id}`);
    const refused = await send(console, page, "/delete", { confirmation: "app" });
    expect([refused.status, filled(refused, "/delete")["confirmation"]]).toEqual([422, "app"]);
    expect(await stateOf(app.id)).not.toEqual({});
    const command = checkedCommand(page, "app delete");
    await send(console, page, "/delete", { confirmation: app.id });
    expect(await stateOf(app.id)).toEqual({});
    await run(command.replace(app.id, twin.id));
    expect(await stateOf(twin.id)).toEqual({});
  });

  test("shows what to copy", async () => {
    const app = await service.createApp();
    const { text } = await (await openConsole(service)).get(`/applications/${app.id}`);
    const { baseUrl } = service.server.app.ctx;
    const paths = ["", "/.well-known/openid-configuration", "/.well-known/jwks.json", "/oauth2/token"];
    for (const path of [...paths, `/account?app_id=${app.id}`])
      expect(text).toContain(`<code>${`${baseUrl}${path}`.replaceAll("&", "&amp;")}</code>`);
  });
});

describe("the keys of an application", () => {
  async function answerTo(apiKey: string, id: string): Promise<number> {
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": id };
    return (await call(service, "POST", "/auth/initiate", headers, { redirectUri: "https://app.example/callback" }))
      .status;
  }

  function keyOn(page: Page): string {
    return /ak_\w+/u.exec(page.text)?.[0] ?? "";
  }

  test("a created key works, and is neither shown again nor kept", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const path = `/applications/${app.id}/keys`;
    const page = await console.get(path);
    const created = await send(console, page, "/keys", { label: "web <b>" });
    const key = keyOn(created);
    expect(await answerTo(key, app.id)).toBe(200);
    expect(created.headers.get("cache-control")).toBe("no-store");
    const list = await console.get(path);
    expect(list.text).not.toContain(key);
    expect(list.text).toContain("web &lt;b&gt;");
    expect(await service.databaseText()).not.toContain(key);
    await run(checkedCommand(page, "key create"));
    expect((await console.get(path)).text.match(/key_\w+\/revoke/gu)).toHaveLength(3);
  });

  test("with each new key stand the lines of the .env file, and the next step", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const forms = [
      ["/applications", "/applications", { name: "Shop", id: "app_env" }],
      [`/applications/${app.id}/keys`, "/keys", {}],
      [`/applications/${app.id}/keys`, "/keys/rotate", {}],
    ] as const;
    for (const [path, action, values] of forms) {
      const { text } = await send(console, await console.get(path), action, values);
      const [, shown = ""] = /<pre>([^<]*)<\/pre>/u.exec(text) ?? [];
      const lines = Object.fromEntries(shown.split("\n").map((line) => line.split("=", 2) as [string, string]));
      const { AUTHSVC_APP_ID: id = "", AUTHSVC_API_KEY: apiKey = "", AUTHSVC_COOKIE_SECRET: secret = "" } = lines;
      expect(shown.split("\n").map((line) => line.split("=")[0])).toEqual([
        "AUTHSVC_ISSUER",
        "AUTHSVC_APP_ID",
        "AUTHSVC_API_KEY",
        "AUTHSVC_COOKIE_SECRET",
        "",
      ]);
      expect(lines["AUTHSVC_ISSUER"]).toBe(service.url);
      expect(text).toContain(`<code>${apiKey}</code>`);
      await expect(applications.authenticate(service.server.app.ctx, apiKey)).resolves.toMatchObject({ id });
      expect(secret).toHaveLength(43);
      expect(await service.databaseText()).not.toContain(secret);
      expect((await console.get(`/applications/${id}/try`)).status).toBe(200);
      expect(text).toContain(`href="/console/applications/${id}/try"`);
    }
  });

  test("replacing all keys ends the others after the overlap, as the command does", async () => {
    const [app, twin] = [await service.createApp(), await service.createApp()];
    const console = await openConsole(service);
    const page = await console.get(`/applications/${app.id}/keys`);
    await send(console, page, "/keys/rotate");
    await run(checkedCommand(page, "key rotate").replace(app.id, twin.id));
    const day = 24 * 3_600_000;
    for (const { apiKey, id } of [app, twin]) {
      expect(await answerTo(apiKey, id)).toBe(200);
      const keys = await apiKeys.listKeys(service.server.app.ctx, id);
      const ends = keys.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [Date.parse(expiresAt)]));
      expect(ends).toHaveLength(1);
      expect(Math.abs(Math.max(...ends) - Date.now() - day)).toBeLessThan(60_000);
    }
  });

  test("a refused label is kept", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const label = "x".repeat(65);
    const page = await send(console, await console.get(`/applications/${app.id}/keys`), "/keys", { label });
    expect([page.status, filled(page, "/keys")["label"]]).toEqual([422, label]);
    // Where a proof would lead back to.
    expect(page.form("/keys/rotate").fields["page"]).toBe(`/console/applications/${app.id}/keys`);
  });

  test("a revoked key is refused at once, and the command revokes another", async () => {
    const [app, twin] = [await service.createApp(), await service.createApp()];
    const console = await openConsole(service);
    const page = await console.get(`/applications/${app.id}/keys`);
    await send(console, page, "/revoke");
    await run(checkedCommand(await console.get(`/applications/${twin.id}/keys`), "key revoke"));
    for (const { apiKey, id } of [app, twin]) expect(await answerTo(apiKey, id)).toBe(401);
  });

  test("a key of another application is not revoked", async () => {
    const [app, other] = [await service.createApp(), await service.createApp()];
    const console = await openConsole(service);
    const page = await console.get(`/applications/${other.id}/keys`);
    const { action, fields } = page.form("/revoke");
    const forged = await console.visitor.post(`${console.url}${action.replace(other.id, app.id)}`, fields);
    expect(forged.status).toBe(404);
    expect(await answerTo(other.apiKey, other.id)).toBe(200);
  });
});

describe("OpenID Connect clients", () => {
  async function clientOf(id: string) {
    const {
      id: _id,
      appId: _appId,
      createdAt: _createdAt,
      updatedAt: _updatedAt,
      lastUsedAt: _lastUsedAt,
      disabledAt,
      ...client
    } = await clients.get(service.server.app.ctx, id);
    return { ...client, isDisabled: disabledAt !== null };
  }

  async function withClient(id: string): Promise<{ path: string; id: string; appId: string }> {
    const { id: appId } = await service.createApp();
    await run(`authsvc client create --app ${appId} --id ${id} --name Wiki --redirect-uri https://wiki.example/cb`);
    return { path: `/applications/${appId}/clients/${id}`, id, appId };
  }

  test("a client is checked, created with a secret that is shown once, and the command creates the same", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const path = `/applications/${app.id}/clients`;
    const values = { name: "Wiki", id: "wiki1", redirectUris: "https://wiki.example/cb", consent: "ask" };
    const checked = await send(console, await console.get(path), "/clients", { ...values, check: "yes" });
    await expect(clientOf("wiki1")).rejects.toThrow("no client");
    const created = await send(console, checked, "/clients");
    const secret = /cs_\w+/u.exec(created.text)?.[0] ?? "";
    const token = await fetch(`${service.url}/oauth2/introspect`, {
      method: "POST",
      body: new URLSearchParams({ token: "x" }),
      headers: { authorization: `Basic ${Buffer.from(`wiki1:${secret}`).toString("base64")}` },
    });
    expect(token.status).toBe(200);
    expect(await service.databaseText()).not.toContain(secret);
    expect((await console.get(`${path}/wiki1`)).text).not.toContain(secret);
    await run(checkedCommand(checked, "client create").replace("wiki1", "wiki2"));
    expect(await clientOf("wiki2")).toEqual(await clientOf("wiki1"));
  });

  test("a program on a device has no secret", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const values = { name: "CLI", id: "device", kind: "native", redirectUris: "http://127.0.0.1/cb" };
    const page = await send(console, await console.get(`/applications/${app.id}/clients`), "/clients", values);
    expect(page.text).toContain("The client was created.");
    expect(page.text).not.toMatch(/cs_\w+/u);
    expect(await clientOf("device")).toMatchObject({ kind: "native", requirePkce: true });
  });

  test("a profile sets what it demands, and a setting that it refuses is named", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const values = { name: "Bank", id: "bank", redirectUris: "https://bank.example/cb", profile: "fapi2" };
    await send(console, await console.get(`/applications/${app.id}/clients`), "/clients", values);
    expect(await clientOf("bank")).toMatchObject({ profile: "fapi2", requirePkce: true, idTokenAlg: "ES256" });
    const page = await console.get(`/applications/${app.id}/clients/bank`);
    const refused = await send(console, page, "/settings", { ...filled(page, "/settings"), idTokenAlg: "RS256" });
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining("ES256 or EdDSA with the profile fapi2"),
    ]);
  });

  test("refuses an address beside its field, and keeps it", async () => {
    const { path } = await withClient("kept");
    const console = await openConsole(service);
    const redirectUris = "https://wiki.example/cb\nnowhere";
    const page = await send(console, await console.get(path), "/settings", { redirectUris });
    expect([page.status, filled(page, "/settings")["redirectUris"]]).toEqual([422, redirectUris]);
    expect(page.text).toContain("Redirect URIs 2: an absolute URL");
  });

  test("its settings change as by the shown command", async () => {
    const [one, two] = [await withClient("one"), await withClient("two")];
    const console = await openConsole(service);
    for (const { appId } of [one, two]) await run(`authsvc group create staff --app ${appId}`);
    const values = {
      name: "Other",
      postLogoutRedirectUris: "https://wiki.example/bye",
      "scopes.email": "",
      requirePkce: "on",
      refreshTokens: "always",
      allowedGroups: "staff",
      secondFactor: "required",
      idTokenAlg: "ES256",
      idTokenClaims: "minimal",
      assertionAudience: "any",
    };
    const entered: Record<string, string> = { ...filled(await console.get(one.path), "/settings"), ...values };
    delete entered["scopes.email"];
    const checked = await console.submit(await console.get(one.path), "/settings", { ...entered, check: "yes" });
    await send(console, checked, "/settings");
    expect(await clientOf("one")).toMatchObject({ name: "Other", scopes: ["openid", "profile", "offline_access"] });
    await run(checkedCommand(checked, "client update one").replace(" one", " two"));
    expect(await clientOf("two")).toEqual(await clientOf("one"));
  });

  test("is given resources, exchanges and DPoP, as by the shown command", async () => {
    const [one, two] = [await withClient("api1"), await withClient("api2")];
    for (const { appId } of [one, two])
      await run(`authsvc resource create --app ${appId} --identifier https://${appId.replaceAll("_", "-")}.example`);
    const uri = `https://${one.appId.replaceAll("_", "-")}.example`;
    const console = await openConsole(service);
    const values = { resources: uri, exchangeTo: uri, audienceOf: uri, dpop: "required", dpopNonce: "on" };
    const checked = await send(console, await console.get(one.path), "/settings", { ...values, check: "yes" });
    await send(console, checked, "/settings");
    const wanted = { resources: [uri], exchangeTo: [uri], audienceOf: [uri], dpop: "required", dpopNonce: true };
    expect(await clientOf("api1")).toMatchObject(wanted);
    const command = checkedCommand(checked, "client update api1").replace(" api1", " api2");
    await run(command.replaceAll(uri, `https://${two.appId.replaceAll("_", "-")}.example`));
    expect(await clientOf("api2")).toMatchObject({ dpop: "required", dpopNonce: true });
  });

  test("is disabled, enabled and deleted, as by the shown commands", async () => {
    const [one, two] = [await withClient("end1"), await withClient("end2")];
    const console = await openConsole(service);
    for (const [action, word] of [
      ["/disable", "client update end1 --enabled"],
      ["/enable", "client update end1 --enabled"],
      ["/clients/end1/delete", "client delete end1"],
    ] as const) {
      const page = await console.get(one.path);
      await send(console, page, action);
      await run(checkedCommand(page, word).replace("end1", "end2"));
      const states = await Promise.allSettled([clientOf("end1"), clientOf("end2")]);
      expect(states[0]).toEqual(states[1]);
    }
    expect((await console.get(two.path)).status).toBe(404);
  });

  test("its secrets are created, replaced and revoked; each is shown once", async () => {
    const [one, two] = [await withClient("sec1"), await withClient("sec2")];
    const console = await openConsole(service);
    for (const [action, word] of [
      ["/secrets", "client secret create"],
      ["/secrets/rotate", "client secret rotate"],
    ] as const) {
      const page = await console.get(one.path);
      const created = await send(console, page, action);
      const secret = /cs_\w+/u.exec(created.text)?.[0] ?? "";
      expect(secret).not.toBe("");
      expect(await service.databaseText()).not.toContain(secret);
      expect((await console.get(one.path)).text).not.toContain(secret);
      await run(checkedCommand(page, word).replace("sec1", "sec2"));
    }
    await send(console, await console.get(one.path), "/revoke");
    await run(checkedCommand(await console.get(two.path), "client secret revoke"));
    const states = async (path: string) =>
      [...(await console.get(path)).text.matchAll(/class="state \w+">(live|revoked)/gu)].map(([, word]) => word);
    expect(await states(one.path)).toEqual(["revoked", "live", "live"]);
    expect(await states(two.path)).toEqual(await states(one.path));
  });

  test.each(programs)("shows the configuration of %s, as the command does", async (program) => {
    const { path } = await withClient(`for-${program.replaceAll("_", "-")}`);
    const page = await (await openConsole(service)).get(`${path}?for=${program}`);
    const { stdout } = await runShown(service, checkedCommand(page, "client show"));
    const [, shown = ""] = /<pre[^>]*>([^]*?)<\/pre>/u.exec(page.text) ?? [];
    const port = (text: string) => text.replaceAll(/localhost:\d+|127\.0\.0\.1:\d+/gu, "HOST");
    expect(
      port(
        shown
          .replaceAll("&quot;", '"')
          .replaceAll("&#39;", "'")
          .replaceAll("&lt;", "<")
          .replaceAll("&gt;", ">")
          .replaceAll("&amp;", "&"),
      ),
    ).toBe(port(stdout));
  });

  test.each(programs)(
    "sets up %s from its address, as the shown command does, and has what to paste",
    async (program) => {
      const [app, twin] = [await service.createApp(), await service.createApp()];
      const console = await openConsole(service);
      const list = await console.get(`/applications/${app.id}/clients`);
      const path = `/applications/${app.id}/programs/${program}`;
      expect(list.text).toContain(`href="/console${path}"`);
      const values = { name: "The program", address: "https://there.example/below/" };
      const checked = await send(console, await console.get(path), path, { ...values, check: "yes" });
      const { ctx } = service.server.app;
      expect(await clients.list(ctx, app.id)).toEqual([]);
      const created = await send(console, checked, path);
      expect(created.text).toContain("shown only once");
      expect(decoded(created.text)).toContain(`authsvc client show`);
      await run(checkedCommand(checked, "client create").replace(app.id, twin.id));
      const own = async (appId: string) =>
        (await clients.list(ctx, appId)).map(
          ({ id: _id, appId: _appId, createdAt: _at, updatedAt: _to, ...rest }) => rest,
        );
      expect(await own(app.id)).toMatchObject([{ name: "The program", kind: "web" }]);
      expect(await own(twin.id)).toEqual(await own(app.id));
      const [client] = await clients.list(ctx, app.id);
      if (!client) throw new Error("no client");
      expect(configurationFor(program, client, ctx.baseUrl).missing).toEqual([]);
      expect(created.text).toContain(client.id);
      const refused = await send(console, await console.get(path), path, { ...values, address: "there.example" });
      expect([refused.status, filled(refused, path)["address"]]).toEqual([422, "there.example"]);
      expect(refused.text).toMatch(/role="alert" id="address-problem"/u);
    },
  );

  test("a client of another application is not found", async () => {
    const { id } = await withClient("foreign");
    const app = await service.createApp();
    expect((await (await openConsole(service)).get(`/applications/${app.id}/clients/${id}`)).status).toBe(404);
  });
});

describe("the providers of an application", () => {
  const secret = "secret-of-google-9f2c";

  test("a provider is set with a secret that no page shows again, and removed, as by the commands", async () => {
    const [app, twin] = [await service.createApp(), await service.createApp()];
    const { ctx } = service.server.app;
    const stateOfProviders = async (id: string) =>
      (await providers.list(ctx, id)).map(({ updatedAt: _updatedAt, ...rest }) => rest);
    const console = await openConsole(service);
    const path = `/applications/${app.id}/providers`;
    expect((await console.get(path)).text).toContain(`href="/console${path}/google"`);
    const values = { clientId: "123.apps", secret };
    const checked = await send(console, await console.get(`${path}/google`), "/providers", { ...values, check: "yes" });
    expect(checked.text).not.toContain(secret);
    expect(await stateOfProviders(app.id)).toEqual([]);
    const set = await send(console, checked, "/providers", { secret });
    expect(set.text).toContain(`${ctx.baseUrl}/oauth/google/callback`);
    expect(set.text).not.toContain(secret);
    expect(await service.databaseText()).not.toContain(secret);
    writeFileSync(join(service.dataDir, "google.txt"), secret);
    await run(checkedCommand(checked, "app provider set").replace(app.id, twin.id).replace("FILE", "google.txt"));
    expect((await stateOfProviders(twin.id)).map(({ name, clientId, enabled }) => [name, clientId, enabled])).toEqual(
      (await stateOfProviders(app.id)).map(({ name, clientId, enabled }) => [name, clientId, enabled]),
    );
    await send(console, set, "/providers/google/remove");
    await run(checkedCommand(set, "app provider remove").replace(app.id, twin.id));
    for (const { id } of [app, twin]) expect(await stateOfProviders(id)).toEqual([]);
  });

  test("an issuer is asked when it is checked, set and examined, and the page says what was seen", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const path = `/applications/${app.id}/providers`;
    const corp = await startProvider("openid");
    const values = { name: "corp", clientId: "shop", secret, issuer: corp.origin, emailClaim: "upn" };
    const blank = await console.get(`/applications/${app.id}/own-provider`);
    const checked = await send(console, blank, "/providers", { ...values, check: "yes" });
    expect(checked.text).toContain("This can be saved. Its issuer answers.");
    expect(checkedCommand(checked, "app provider set")).toContain("--email-claim upn");
    const set = await send(console, checked, "/providers", { secret });
    expect(set.text).toContain("The provider was set. Its issuer answers.");
    expect((await console.get(`${path}?examine=yes`)).text).toContain("Issuers of your own answer");
    await corp.close();
    expect((await send(console, set, "/providers/corp", values)).text).toContain("But nobody can sign in with it yet");
    const examined = await console.get(`${path}?examine=yes`);
    expect(examined.text).toContain(
      `Checking ${corp.origin} failed: discovery: the connection was refused (ECONNREFUSED)`,
    );
  });

  test("refuses what is missing, keeps the rest, and never the secret", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const values = { name: "corp", clientId: "shop", secret };
    const blank = await console.get(`/applications/${app.id}/own-provider`);
    const page = await send(console, blank, "/providers", values);
    expect(page.status).toBe(422);
    expect(page.text).toContain("Issuer: required for a provider of your own");
    expect(filled(page, "/providers")).toMatchObject({ name: "corp", clientId: "shop" });
    expect(page.text).not.toContain(secret);
  });

  test("a provider's page has only its own fields, its callback to copy, and what was set before", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const path = `/applications/${app.id}/providers`;
    const namesOn = async (provider: string) =>
      Object.keys(filled(await console.get(`${path}/${provider}`), "/providers"))
        .filter((name) => name !== "act" && !name.startsWith("was."))
        .toSorted();
    expect(await namesOn("google")).toEqual(["clientId", "name", "page", "secret", "token"]);
    expect(await namesOn("apple")).toEqual(["clientId", "keyId", "name", "page", "privateKey", "teamId", "token"]);
    const page = await console.get(`${path}/github`);
    expect(page.text).toContain(`${service.server.app.ctx.baseUrl}/oauth/github/callback`);
    const enterprise = { tokenUrl: "https://github.corp.example/login/oauth/access_token" };
    const set = await send(console, page, "/providers", { clientId: "Ov23li", secret, ...enterprise });
    expect(set.text).toContain("offered");
    expect(filled(set, "/providers/github")).toMatchObject({ clientId: "Ov23li", secret: "", ...enterprise });
    for (const [role, shows] of [
      ["viewer", false],
      ["owner", true],
    ] as const) {
      const { text } = await (await openConsole(service, { role })).get(`${path}/github`);
      expect([role, text.includes("Ov23li")]).toEqual([role, shows]);
    }
    expect((await console.get(`${path}/unheard-of`)).status).toBe(404);
  });

  test("says what doctor says", async () => {
    const app = await service.createApp({ authMethods: { oauth: { enabled: true, providers: ["github"] } } });
    const page = await (await openConsole(service)).get(`/applications/${app.id}/providers?examine=yes`);
    expect(page.text).toContain(`${app.id} offers github, which is not configured.`);
  });
});

test("groups are checked, created, changed and deleted, as by the shown commands", async () => {
  const [app, twin] = [await service.createApp(), await service.createApp()];
  const stateOfGroups = async (id: string) =>
    (await groups.list(service.server.app.ctx, id)).map(({ createdAt: _createdAt, ...rest }) => rest);
  const console = await openConsole(service);
  const path = `/applications/${app.id}/groups`;
  const same = async (): Promise<unknown> => {
    expect(await stateOfGroups(twin.id)).toEqual(await stateOfGroups(app.id));
    return await stateOfGroups(app.id);
  };
  const values = { name: "team:ops", secondFactor: "required" };
  const checked = await send(console, await console.get(path), "/groups", { ...values, check: "yes" });
  expect(await stateOfGroups(app.id)).toEqual([]);
  await send(console, checked, "/groups");
  await run(checkedCommand(checked, "group create").replace(app.id, twin.id));
  expect(await same()).toEqual([{ name: "team:ops", secondFactor: "required" }]);
  const page = await console.get(path);
  await send(console, page, "/groups/update", { secondFactor: "off" });
  await run(checkedCommand(page, "group update").replace(app.id, twin.id).replace("POLICY", "off"));
  expect(await same()).toEqual([{ name: "team:ops", secondFactor: "off" }]);
  const again = await send(console, page, "/groups", { name: "team:ops" });
  expect([again.status, again.text.includes("already has a group")]).toEqual([422, true]);
  await send(console, page, "/groups/delete");
  await run(checkedCommand(page, "group delete").replace(app.id, twin.id));
  expect(await same()).toEqual([]);
});

describe("branding", () => {
  const values = { companyName: "Acme & <Co>", primaryColor: "#b3261e", logo: "https://cdn.example/logo.png" };

  test("is shown before it is saved; saving and the shown command do the same", async () => {
    const [app, twin] = [await service.createApp({ name: "A" }), await service.createApp({ name: "A" })];
    const console = await openConsole(service);
    const page = await console.get(`/applications/${app.id}/branding`);
    expect(page.headers.get("content-security-policy")).toContain("frame-src 'self'");
    const shown = await send(console, page, "/branding", { ...values, lang: "de", scheme: "dark", check: "yes" });
    const [, source = ""] = /<iframe[^>]*\ssrc="([^"]*)"/u.exec(shown.text) ?? [];
    const preview = await console.visitor.get(`${console.url}${source.replaceAll("&amp;", "&")}`);
    expect(preview.text).toContain("Acme &amp; &lt;Co&gt;");
    expect(preview.text).toContain('lang="de"');
    expect(preview.text).toContain("/assets/accent.b3261e.css");
    expect((await stateOf(app.id)).branding?.companyName).toBeNull();
    await send(console, shown, "/branding");
    await run(checkedCommand(shown, "app update").replace(app.id, twin.id));
    expect((await stateOf(app.id)).branding).toMatchObject(values);
    expect(await stateOf(twin.id)).toEqual(await stateOf(app.id));
  });

  test("a refused value is kept, and the preview shows the others", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const page = await send(console, await console.get(`/applications/${app.id}/branding`), "/branding", {
      ...values,
      logo: "http://cdn.example/logo.png",
      check: "yes",
    });
    expect([page.status, filled(page, "/branding")["logo"]]).toEqual([422, "http://cdn.example/logo.png"]);
    expect(page.text).toContain("Logo: an https URL");
  });

  test("H1: only the console may frame the preview, whose forms lead nowhere and whose scripts do not run", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const logo = encodeURIComponent(values.logo);
    const preview = await console.get(`/applications/${app.id}/preview?logo=${logo}`);
    const policy = preview.headers.get("content-security-policy");
    expect(preview.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    for (const directive of [
      "frame-ancestors 'self'",
      "form-action 'none'",
      "script-src 'none'",
      "img-src 'self' https://cdn.example;",
    ])
      expect(policy).toContain(directive);
    for (const logo of ["http://cdn.example/x.png", "javascript:alert(1)", "https://a.example;script-src *"]) {
      const other = await console.get(`/applications/${app.id}/preview?logo=${encodeURIComponent(logo)}`);
      expect(other.headers.get("content-security-policy")).toContain("img-src 'self';");
    }
    const others = await console.get(`/applications/${app.id}`);
    expect(others.headers.get("x-frame-options")).toBe("DENY");
    expect(others.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(others.headers.get("content-security-policy")).not.toContain("frame-src");
  });

  test("J6: another site chooses neither the words nor the logo of the preview", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const query = new URLSearchParams({ logo: values.logo, companyName: "Call 555 0100" }).toString();
    const preview = `${console.url}/console/applications/${app.id}/preview?${query}`;
    const own = await console.visitor.get(preview, { "sec-fetch-site": "same-origin" });
    expect(own.text).toContain("Call 555 0100");
    const led = await console.visitor.get(preview, { "sec-fetch-site": "cross-site" });
    expect(led.text).not.toContain("Call 555 0100");
    expect(led.headers.get("content-security-policy")).toContain("img-src 'self';");
  });
});

const acts = consoleRoutes.filter(({ method, path }) => method === "POST" && path.startsWith("/console/applications"));
const views = consoleRoutes.filter(({ method, path }) => method === "GET" && path.startsWith("/console/applications"));

function addressOf(path: string, values: Record<string, string>): string {
  return path.replace("/console", "").replaceAll(/:(\w+)/gu, (_part, name: string) => values[name] ?? "x");
}

describe("roles and scope", () => {
  test.each(["viewer", "support"] as const)("a %s sees, and changes nothing", async (role) => {
    const app = await service.createApp();
    const id = `seen-by-${role}`;
    await run(`authsvc client create --app ${app.id} --id ${id} --name Wiki`);
    const { app: withOrganization, newOrganization } = await withOrganizations(service);
    const { id: orgId } = await newOrganization();
    const console = await openConsole(service, { role });
    const list = await console.get("/applications");
    const { token = "" } = list.form("/sign-out").fields;
    const idFor = (path: string): string => (path.includes(":orgId") ? withOrganization.id : app.id);
    for (const { path } of views) {
      const page = await console.get(
        addressOf(path, { appId: idFor(path), clientId: id, orgId, provider: "google", program: "gitea" }),
      );
      expect([path, page.status]).toEqual([path, path.includes("/try") ? 403 : 200]);
      const posting = [...page.text.matchAll(/<form method="post" action="(\/[^"]*)"/gu)].map(([, action]) => action);
      expect(posting.filter((action) => action !== "/console/sign-out")).toEqual([]);
    }
    for (const { path } of acts) {
      const address = addressOf(path, { appId: idFor(path), clientId: id, orgId, group: "names", program: "gitea" });
      const page = await console.visitor.post(`${console.url}/console${address}`, { token });
      expect([path, page.status]).toEqual([path, 403]);
    }
  });

  test("an operator of one application sees and changes only this one", async () => {
    const [app, other] = [await service.createApp({ name: "Own" }), await service.createApp({ name: "Foreign" })];
    await run(`authsvc client create --app ${other.id} --id of-another --name Wiki`);
    const console = await openConsole(service, { appId: app.id });
    const list = await console.get("/applications");
    expect(list.text).toContain("Own");
    expect(list.text).not.toContain("Foreign");
    const { token = "" } = list.form("/sign-out").fields;
    const { text: keys } = await (await openConsole(service)).get(`/applications/${other.id}/keys`);
    const keyId = /key_\w+/u.exec(keys)?.[0] ?? "";
    for (const appId of [other.id, "app_console"])
      for (const { path, method } of [...views, ...acts].filter(({ path }) => path.includes(":appId"))) {
        const address = addressOf(path, { appId, clientId: "of-another", keyId, group: "names", provider: "google" });
        const page =
          method === "GET"
            ? await console.get(address)
            : await console.visitor.post(`${console.url}/console${address}`, { token, confirmation: appId });
        expect([path, page.status]).toEqual([path, 404]);
      }
    const created = await console.visitor.post(`${console.url}/console/applications`, {
      token,
      name: "X",
      id: "app_x",
    });
    expect(created.status).toBe(403);
    const own = await console.get(`/applications/${app.id}/clients/of-another`);
    expect(own.status).toBe(404);
  });
});
