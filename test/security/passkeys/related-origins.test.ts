import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import * as operators from "../../../src/operators/service.ts";
import type { ApplicationChange } from "../../../src/applications/settings.ts";
import { assertion, attest, newPasskey, type SoftPasskey } from "../../support/authenticator.ts";
import { askOptions, openCeremony, post } from "../../support/passkey-ceremonies.ts";
import { newEmail } from "../../support/person.ts";
import {
  describeEachDatabase,
  describeOnSqlite,
  updateApp,
  type TestApp,
  type TestService,
} from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;
let made = 0;

/** A domain that no other test has, as an application's change. */
function ownDomain(): { domain: string; change: ApplicationChange } {
  const domain = `shop${++made}.example`;
  return { domain, change: { domain, settings: { relyingPartyId: domain } } };
}

async function related(service: TestService, relatedOrigins: string[]): Promise<{ app: TestApp; domain: string }> {
  const { domain, change } = ownDomain();
  const app = await service.createApp({ ...change, settings: { ...change.settings, relatedOrigins } });
  return { app, domain };
}

async function signUpAt(service: TestService, app: TestApp, origin: string, rpId: string) {
  const ceremony = await openCeremony(service, app, "/create-account");
  const { user, challenge } = await askOptions(ceremony, { email: newEmail(), name: "" });
  const passkey = newPasskey("ES256", user?.id);
  const { status } = await post(ceremony, attest(passkey, { challenge, origin, rpId }));
  return { passkey, status };
}

async function signInAt(service: TestService, app: TestApp, passkey: SoftPasskey, origin: string, rpId: string) {
  const ceremony = await openCeremony(service, app, "");
  const { challenge } = await askOptions(ceremony);
  return (await post(ceremony, assertion(passkey, { challenge, origin, rpId }))).status;
}

function refusal(field: string, words = ""): object {
  return { code: "INVALID_REQUEST", details: expect.stringContaining(`${field}: ${words}`) as unknown };
}

describeOnSqlite("the origins at which passkeys answer", (current) => {
  it("K12: are the service's and those of the application's list", async () => {
    const { app, domain } = await related(current(), ["https://shop-one.test", "https://shop.co.uk"]);
    const { passkey, status } = await signUpAt(current(), app, "https://shop.co.uk", domain);
    expect(status).toBe(303);
    for (const origin of [current().url, "https://shop-one.test", "https://shop.co.uk"])
      expect(await signInAt(current(), app, passkey, origin, domain)).toBe(303);
    const others = [`https://${domain}`, "https://www.shop.co.uk", "http://shop.co.uk", "https://shop.co.uk:8443"];
    for (const origin of [
      ...others,
      "https://shop.co.uk.evil.test",
      "https://SHOP.co.uk",
      "https://evil.test",
      "null",
    ]) {
      expect(await signInAt(current(), app, passkey, origin, domain)).toBe(401);
      expect((await signUpAt(current(), app, origin, domain)).status).not.toBe(303);
    }
  });

  it("K12: are never those of another application", async () => {
    const { app, domain } = await related(current(), ["https://one.test"]);
    const other = await related(current(), ["https://two.test"]);
    const { passkey } = await signUpAt(current(), app, current().url, domain);
    expect(await signInAt(current(), app, passkey, "https://two.test", domain)).toBe(401);
    expect(await signInAt(current(), other.app, passkey, "https://two.test", other.domain)).toBe(401);
    const bare = await current().createApp();
    expect((await signUpAt(current(), bare, "https://one.test", "localhost")).status).not.toBe(303);
  });

  it("K12: are the service's alone again once the list is gone", async () => {
    const { app, domain } = await related(current(), ["https://one.test"]);
    const { passkey } = await signUpAt(current(), app, current().url, domain);
    expect(await signInAt(current(), app, passkey, "https://one.test", domain)).toBe(303);
    await updateApp(current(), app, { settings: { relatedOrigins: null } });
    expect(await signInAt(current(), app, passkey, "https://one.test", domain)).toBe(401);
    expect(await signInAt(current(), app, passkey, current().url, domain)).toBe(303);
  });
});

describeOnSqlite("a domain with related origins", (current) => {
  it("K12: must be that of the application's passkeys", async () => {
    const list = { relatedOrigins: ["https://one.test"] };
    const words = "only with a domain to which the application's passkeys belong";
    const refused = refusal("settings.relatedOrigins", words);
    const { domain, change } = ownDomain();
    await expect(current().createApp({ settings: list })).rejects.toMatchObject(refused);
    await expect(current().createApp({ domain, settings: list })).rejects.toMatchObject(refused);
    await expect(
      current().createApp({ domain, settings: { ...list, relyingPartyId: `www.${domain}` } }),
    ).rejects.toMatchObject(refused);
    const app = await current().createApp({ ...change, settings: { ...change.settings, ...list } });
    for (const taken of [{ domain: null }, { domain: "else.example" }, { settings: { relyingPartyId: null } }])
      await expect(updateApp(current(), app, taken)).rejects.toMatchObject(refused);
    await updateApp(current(), app, { domain: null, settings: { relyingPartyId: null, relatedOrigins: null } });
  });

  it("K12: is refused elsewhere by name, as domain and as passkey domain, when made and when changed", async () => {
    const { app, domain } = await related(current(), ["https://one.test"]);
    const other = await current().createApp();
    const words = `not that of ${app.id}`;
    for (const [field, change] of [
      ["domain", { domain }],
      ["domain", { domain, settings: { relyingPartyId: "else.example" } }],
      ["settings.relyingPartyId", { settings: { relyingPartyId: domain } }],
    ] as const) {
      await expect(updateApp(current(), other, change)).rejects.toMatchObject(refusal(field, words));
      await expect(current().createApp(change)).rejects.toMatchObject(refusal(field, words));
      const { ctx } = current().server.app;
      await expect(applications.checkUpdate(ctx, other.id, change)).rejects.toMatchObject(refusal(field, words));
      await expect(applications.check(ctx, { name: "Other", ...change })).rejects.toMatchObject(refusal(field, words));
    }
    await updateApp(current(), other, { domain: `www.${domain}` });
    await updateApp(current(), app, { settings: { relatedOrigins: null } });
    await updateApp(current(), other, { domain });
  });

  it("K12: must not be another application's, nor its passkeys'", async () => {
    for (const isByDomain of [true, false]) {
      const { domain, change } = ownDomain();
      const other = await current().createApp(isByDomain ? { domain } : { settings: { relyingPartyId: domain } });
      const list = { ...change, settings: { ...change.settings, relatedOrigins: ["https://one.test"] } };
      const refused = refusal("settings.relatedOrigins", "only for a domain of one application");
      await expect(current().createApp(list)).rejects.toMatchObject(refused);
      await expect(current().createApp(list)).rejects.toMatchObject({
        details: expect.stringContaining(other.id) as unknown,
      });
      await updateApp(current(), other, { domain: null, settings: { relyingPartyId: null } });
      await current().createApp(list);
    }
  });

  it.each([
    ["a path", ["https://one.test/"]],
    ["plain http", ["http://one.test"]],
    ["capitals", ["https://One.test"]],
    ["the usual port", ["https://one.test:443"]],
    ["an address", ["https://192.0.2.1"]],
    ["an IPv6 address", ["https://[2001:db8::1]"]],
    ["a wildcard", ["https://*.one.test"]],
    ["no scheme", ["one.test"]],
    ["a user", ["https://me@one.test"]],
    ["the same twice", ["https://one.test", "https://one.test"]],
    ["nothing", []],
    ["a public suffix", ["https://co.uk"]],
    ["a host of one label", ["https://intranet"]],
    ["a suffix of a hosting service", ["https://github.io"]],
    ["six names", ["a.test", "b.test", "c.test", "d.co.uk", "e.test", "www.f.test"].map((host) => `https://${host}`)],
    ["51 origins", Array.from({ length: 51 }, (_each, at) => `https://h${at}.one.test`)],
  ])("refuses lists with %s", async (_title, relatedOrigins) => {
    const { change } = ownDomain();
    const wanted = { ...change, settings: { ...change.settings, relatedOrigins } };
    await expect(current().createApp(wanted)).rejects.toMatchObject(refusal("settings.relatedOrigins"));
  });

  it("has at most five names before the public suffix, each with any number of hosts and suffixes", async () => {
    const hosts = ["a.test", "www.a.test", "a.co.uk", "a.github.io", "b.test:8443", "c.test", "d.test", "e.test"];
    await related(
      current(),
      hosts.map((host) => `https://${host}`),
    );
  });
});

const team = { host: "127.0.0.1", port: 0, baseUrl: "http://localhost:9443" };

describeOnSqlite("the file of related origins at the service's host", { console: team }, (current) => {
  const read = async () => {
    // Read at most once a second.
    current().clock.now += 1000;
    return await fetch(`${current().url}/.well-known/webauthn`);
  };

  it("K12: is there only while one application alone has the passkeys of the host", async () => {
    const unknown = await fetch(`${current().url}/.well-known/nothing`);
    const absent = await read();
    const parts = (answer: Response) => [answer.status, [...answer.headers.keys()].filter((name) => name !== "date")];
    expect(parts(absent)).toEqual(parts(unknown));
    expect(await absent.json()).toMatchObject({
      error: { code: "INVALID_REQUEST", message: "This path does not exist." },
    });

    const origins = ["https://one.test", "https://shop.co.uk"];
    const app = await current().createApp({ domain: "localhost", settings: { relatedOrigins: origins } });
    const answer = await read();
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/u);
    expect([answer.status, await answer.json()]).toEqual([200, { origins }]);

    // Its passkeys would belong to the same host.
    await expect(current().createApp()).rejects.toMatchObject(
      refusal("settings.relyingPartyId", `not that of ${app.id}`),
    );
    await expect(current().createApp({ domain: "example.com" })).rejects.toMatchObject(
      refusal("settings.relyingPartyId"),
    );
    await current().createApp({ settings: { relyingPartyId: "elsewhere.example" } });
    expect((await read()).status).toBe(200);
    const { ctx } = current().server.app;
    const operator = { email: newEmail(), role: "owner", name: null };
    const invite = async () => await operators.invite(ctx, operator, { link: true }, { actor });
    await expect(invite()).rejects.toMatchObject({
      code: "CONFLICT",
      details: expect.stringContaining(app.id) as unknown,
    });

    await updateApp(current(), app, { settings: { relatedOrigins: null } });
    expect((await read()).status).toBe(404);
    await invite();
    await expect(updateApp(current(), app, { settings: { relatedOrigins: origins } })).rejects.toMatchObject(
      refusal("settings.relatedOrigins", "only for a domain of one application; app_console"),
    );
  });
});

describeEachDatabase("related origins and the domain elsewhere at once", (current) => {
  it("K12: are set in one order or the other, never both", async () => {
    const { ctx } = current().server.app;
    for (let round = 0; round < 8; round++) {
      const { domain, change } = ownDomain();
      const app = await current().createApp(change);
      const other = await current().createApp();
      const settled = await Promise.allSettled([
        updateApp(current(), app, { settings: { relatedOrigins: ["https://one.test"] } }),
        updateApp(current(), other, { domain }),
        applications.create(ctx, { name: "Third", domain }, actor),
      ]);
      const done = settled.map(({ status }) => status === "fulfilled");
      expect(done[0] && done.slice(1).includes(true)).toBe(false);
      expect(done).toContain(true);
    }
  });
});
