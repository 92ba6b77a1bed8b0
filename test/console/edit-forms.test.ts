import { beforeAll, describe, expect, test } from "vitest";
import * as clients from "../../src/applications/clients/service.ts";
import * as providers from "../../src/applications/providers/provider-clients.ts";
import * as applications from "../../src/applications/service.ts";
import { pathOf } from "../../src/console/route.ts";
import { consoleRoutes } from "../../src/console/routes.ts";
import * as domains from "../../src/organizations/domains/service.ts";
import { findMembership } from "../../src/organizations/membership-store.ts";
import * as organizations from "../../src/organizations/service.ts";
import * as operators from "../../src/operators/service.ts";
import * as userAdministration from "../../src/people/administration.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import * as signingKeys from "../../src/tokens/signing-keys.ts";
import * as groups from "../../src/users/groups/service.ts";
import { createClient } from "../support/clients-logout.ts";
import { freePort } from "../support/free-port.ts";
import { newUser } from "../support/mail-flows.ts";
import { makeOperator, signInTo, type TestOperator } from "../support/operators.ts";
import { attribute, decoded, newEmail, Visitor, type Page } from "../support/person.ts";
import { describeSqliteFirst, updateApp, type TestApp } from "../support/service.ts";
import { createEndpoint, localWebhooks } from "../support/webhooks.ts";
import { filled } from "./support-forms.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;
const port = await freePort();
const consoleUrl = `http://127.0.0.1:${port}`;
const config = { console: { host: "127.0.0.1", port, baseUrl: consoleUrl }, ...localWebhooks };

/** A form of a page: two values for one of its fields, a value for another, and what is stored. */
type EditForm = {
  page: string;
  action: string;
  one: Record<string, string>;
  other: Record<string, string>;
  beside?: Record<string, string>;
  /** How the page shows `other`, if not as it is entered. */
  shows?: string;
  stored(): Promise<unknown>;
};

describeSqliteFirst("a form that edits", config, (service) => {
  const ctx = () => service().server.app.ctx;
  let app: TestApp;
  let owner: TestOperator;
  let [ada, grace] = [new Visitor(), new Visitor()];

  async function signedIn(): Promise<Visitor> {
    const visitor = new Visitor();
    await signInTo(service(), await visitor.get(`${consoleUrl}/console/overview`), owner, visitor);
    return visitor;
  }

  beforeAll(async () => {
    app = await service().createApp();
    owner = await makeOperator(service(), "owner");
    [ada, grace] = [await signedIn(), await signedIn()];
  });

  const open = async (visitor: Visitor, { page }: EditForm) => await visitor.get(`${consoleUrl}/console${page}`);

  async function send(visitor: Visitor, page: Page, action: string, values: Record<string, string>): Promise<Page> {
    return await visitor.post(new URL(page.form(action).action, page.url).href, { ...filled(page, action), ...values });
  }

  async function setProvider(name: string): Promise<void> {
    const input = { name, clientId: "first", secret: "shh", issuer: "https://id.example" };
    await providers.set(ctx(), app.id, input, by.actor);
  }

  async function providerIn(name: string): Promise<object | undefined> {
    const { secret: _secret, ...found } =
      (await providers.settings(ctx(), app.id)).find((each) => each.name === name) ?? {};
    return found;
  }

  async function newOrganization() {
    await updateApp(service(), app, { settings: { organizations: "on" } });
    const { id: userId } = await newUser(service(), app);
    const { id } = await organizations.create(ctx(), app, { name: "Acme", owner: userId }, by);
    const get = async () => await organizations.named(ctx().storage.reader, app.id, id);
    return { id, userId, page: `/applications/${app.id}/organizations/${id}`, get };
  }

  const forms: Record<string, () => Promise<EditForm>> = {
    "the settings of an application": async () => ({
      page: `/applications/${app.id}`,
      action: "/settings/names",
      one: { name: "One" },
      other: { name: "Other" },
      beside: { domain: "beside.example.com" },
      stored: async () => await applications.find(ctx(), ctx().storage.reader, app.id),
    }),
    "a list of an application": async () => ({
      page: `/applications/${app.id}`,
      action: "/settings/names",
      one: { redirectUris: "https://one.example/\r\nhttps://same.example/" },
      other: { redirectUris: "https://other.example/" },
      beside: { name: "Beside" },
      stored: async () => await applications.find(ctx(), ctx().storage.reader, app.id),
    }),
    branding: async () => ({
      page: `/applications/${app.id}/branding`,
      action: "/branding",
      one: { companyName: "One" },
      other: { companyName: "Other" },
      beside: { primaryColor: "#b3261e" },
      stored: async () => await applications.find(ctx(), ctx().storage.reader, app.id),
    }),
    "the settings of a client": async () => {
      const id = await createClient(service(), app, { scopes: ["email", "openid"] });
      return {
        page: `/applications/${app.id}/clients/${id}`,
        action: "/settings",
        one: { "scopes.profile": "on" },
        other: { "scopes.offline_access": "on" },
        shows: "openid, email, offline_access",
        beside: { name: "Beside" },
        stored: async () => await clients.get(ctx(), id),
      };
    },
    "a provider": async () => {
      await setProvider("acme");
      return {
        page: `/applications/${app.id}/providers/acme`,
        action: "/providers/acme",
        one: { clientId: "one" },
        other: { clientId: "other" },
        beside: { emailClaim: "upn" },
        stored: async () => await providerIn("acme"),
      };
    },
    "a group": async () => {
      await groups.put(ctx(), app.id, "staff", { secondFactor: "off" }, by);
      return {
        page: `/applications/${app.id}/groups`,
        action: "/groups/update",
        one: { secondFactor: "optional" },
        other: { secondFactor: "required" },
        shows: "Required",
        stored: async () => (await groups.get(ctx(), app.id, "staff")).secondFactor,
      };
    },
    "the settings of an organization": async () => {
      const { page, get } = await newOrganization();
      return {
        page,
        action: "/change",
        one: { name: "One" },
        other: { name: "Other" },
        beside: { slug: "beside" },
        stored: async () => await get(),
      };
    },
    "roles in an organization": async () => {
      const { page, id, userId } = await newOrganization();
      return {
        page,
        action: `/members/${userId}/roles`,
        one: { "roles.admin": "on" },
        other: { "roles.member": "on" },
        shows: "member, owner",
        stored: async () => (await findMembership(ctx().storage.reader, { organizationId: id, userId }))?.roles,
      };
    },
    "who joins by a domain": async () => {
      const { page, get } = await newOrganization();
      await domains.add(ctx(), await get(), { domain: "acme.example" }, by);
      return {
        page,
        action: "/domains/acme.example/join",
        one: { join: "ask" },
        other: { join: "on" },
        shows: "New accounts by themselves",
        stored: async () => (await domains.list(ctx(), await get(), by)).map(({ join }) => join),
      };
    },
    "a webhook endpoint": async () => {
      const id = await createEndpoint(service(), app, { url: "http://127.0.0.1:9/hook", events: ["user.created"] });
      return {
        page: `/webhooks/${id}`,
        action: "/change",
        one: { url: "http://127.0.0.1:9/one" },
        other: { url: "http://127.0.0.1:9/other" },
        beside: { "event:user.deleted": "on" },
        stored: async () => await webhooks.get(ctx(), id),
      };
    },
    "a profile": async () => {
      const { id } = await newUser(service(), app);
      return {
        page: `/people/${id}`,
        action: "/profile",
        one: { name: "One" },
        other: { name: "Other" },
        beside: { picture: "https://beside.example/a.png" },
        stored: async () => await userAdministration.get(ctx(), id),
      };
    },
    ...Object.fromEntries(
      ["public", "private"].map((part) => [
        `${part} metadata`,
        async () => {
          const { id } = await newUser(service(), app);
          return {
            page: `/people/${id}`,
            action: `/metadata/${part}`,
            one: { patch: '{"plan": {"name": "one"}}' },
            other: { patch: '{"plan": {"name": "other"}}' },
            shows: "other",
            beside: { patch: '{"beside": 1}' },
            stored: async () => await userAdministration.get(ctx(), id),
          };
        },
      ]),
    ),
    "the role of an operator": async () => {
      const { id } = await makeOperator(service(), "viewer");
      return {
        page: `/operators/${id}`,
        action: "/role",
        one: { role: "owner" },
        other: { role: "support" },
        stored: async () => (await operators.get(ctx(), id)).role,
      };
    },
    "the networks of operators": async () => {
      await operators.setNetworks(ctx(), ["127.0.0.0/8"], {}, by);
      return {
        page: "/operators",
        action: "/operators/networks",
        one: { networks: "127.0.0.1" },
        other: { networks: "127.0.0.0/16" },
        stored: async () => await operators.networks(ctx()),
      };
    },
  };
  const named = Object.entries(forms).map(
    ([name, make]) =>
      [
        name,
        async () => {
          app = await service().createApp();
          return await make();
        },
      ] as const,
  );

  test.each(named)("%s: what two operators changed is refused, with both values", async (_name, make) => {
    const form = await make();
    const [hers, theirs] = [await open(ada, form), await open(grace, form)];
    expect((await send(grace, theirs, form.action, form.other)).status).toBe(303);
    const after = await form.stored();
    const refused = await send(ada, hers, form.action, form.one);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.text).toContain("Somebody else has changed this in the meantime");
    const text = decoded(refused.text);
    expect(text).toContain(form.shows ?? Object.values(form.other)[0]);
    expect(await form.stored()).toEqual(after);
    // The form of a role has a button for each of the others.
    if (form.action === "/role") return;
    expect(filled(refused, form.action)).toMatchObject(
      Object.fromEntries(Object.entries(form.one).map(([name, value]) => [name, value.replaceAll("\r\n", "\n")])),
    );
    // Sent again, it replaces what the operator has now seen.
    expect((await send(ada, refused, form.action, {})).status).toBe(303);
    expect(await form.stored()).not.toEqual(after);
  });

  test.each(named.filter(([name]) => !/group|role|networks|who joins/u.test(name)))(
    "%s: what a form did not change is not written",
    async (_name, make) => {
      const form = await make();
      const [hers, theirs] = [await open(ada, form), await open(grace, form)];
      await send(grace, theirs, form.action, form.other);
      const after = JSON.stringify(await form.stored());
      expect((await send(ada, hers, form.action, form.beside ?? {})).status).toBe(303);
      const both = JSON.stringify(await form.stored());
      expect(both).not.toBe(after);
      for (const value of [...Object.values(form.other), ...Object.values(form.beside ?? {})])
        if (value !== "on" && !value.startsWith("{")) expect(both).toContain(value);
      if (form.action.startsWith("/metadata")) expect(both).toMatch(/"plan":\{"name":"other"\}.*"beside":1/u);
      if (form.action === "/settings") expect(both).toContain('"offline_access"');
      if (form.page.startsWith("/webhooks")) expect(both).toContain("user.deleted");
    },
  );

  test.each(named)("%s: what both changed alike is accepted", async (_name, make) => {
    const form = await make();
    const [hers, theirs] = [await open(ada, form), await open(grace, form)];
    await send(grace, theirs, form.action, form.other);
    expect((await send(ada, hers, form.action, form.other)).status).toBe(303);
  });

  test("a mark for another address than the form showed is refused", async () => {
    const { id } = await newUser(service(), app);
    await userAdministration.update(ctx(), id, { emailVerified: false }, { dryRun: false }, by);
    const page = await ada.get(`${consoleUrl}/console/people/${id}`);
    await userAdministration.update(ctx(), id, { email: newEmail() }, { dryRun: false }, by);
    const refused = await send(ada, page, "/address/verify", {});
    expect(refused.text).toContain("Somebody else has changed this in the meantime: address.");
    expect(await userAdministration.get(ctx(), id)).toMatchObject({ emailVerified: false });
  });

  test("an emptied field is cleared, one that is left out is kept", async () => {
    const { id } = await newUser(service(), app);
    const picture = "https://acme.example/a.png";
    await userAdministration.update(ctx(), id, { name: "Ada", picture }, { dryRun: false }, by);
    const page = await ada.get(`${consoleUrl}/console/people/${id}`);
    const { token = "", "was.picture": was = "" } = filled(page, "/profile");
    await ada.post(`${consoleUrl}/console/people/${id}/profile`, { token, "was.picture": was, picture: "" });
    expect(await userAdministration.get(ctx(), id)).toMatchObject({ name: "Ada", picture: null });
  });

  test("a value in another form is no change, and asks for no passkey", async () => {
    const { id } = await service().createApp();
    await applications.update(ctx(), id, { settings: { singleSignOnSeconds: 7200 } }, by.actor);
    const visitor = await signedIn();
    service().clock.advance(11 * 60_000);
    const page = await visitor.get(`${consoleUrl}/console/applications/${id}`);
    expect(filled(page, "/settings/factors")).toMatchObject({ singleSignOn: "2h" });
    const answer = await send(visitor, page, "/settings/factors", { singleSignOn: "120m" });
    expect(answer.text).toContain("You have not changed anything in this form.");
    [ada, grace] = [await signedIn(), await signedIn()];
  });

  describe("of a provider", () => {
    const secretOf = async () =>
      (await providers.settings(ctx(), app.id)).find(({ name }) => name === "acme")?.secret();

    test("J10: never has its secret, and keeps it if none is entered", async () => {
      await setProvider("acme");
      const page = await ada.get(`${consoleUrl}/console/applications/${app.id}/providers/acme`);
      expect(page.text).not.toContain("shh");
      expect((await send(ada, page, "/providers/acme", { clientId: "second" })).status).toBe(303);
      expect(await secretOf()).toBe("shh");
      expect((await send(ada, page, "/providers/acme", { secret: "new one" })).status).toBe(303);
      expect(await secretOf()).toBe("new one");
    });

    test("J10: a stored secret is not sent to an address that an operator chooses", async () => {
      await setProvider("acme");
      const page = await ada.get(`${consoleUrl}/console/applications/${app.id}/providers/acme`);
      for (const field of ["issuer", "tokenUrl"]) {
        const refused = await send(ada, page, "/providers/acme", { [field]: "https://evil.example/" });
        expect(refused.text).toContain("enter it again");
      }
      expect(await providerIn("acme")).toMatchObject({ issuer: "https://id.example" });
    });

    test("does not offer one again that is not offered", async () => {
      await setProvider("acme");
      await applications.update(ctx(), app.id, { authMethods: { oauth: { providers: [] } } }, by.actor);
      const page = await ada.get(`${consoleUrl}/console/applications/${app.id}/providers/acme`);
      await send(ada, page, "/providers/acme", { clientId: "third" });
      expect(await providers.list(ctx(), app.id)).toMatchObject([{ clientId: "third", enabled: false }]);
    });
  });

  /** Forms that have values at first, but edit nothing that is stored. */
  const notEdits = [
    /\/mail\/sample$/u,
    /\/webhooks$/u,
    /\/(?:test|send-failed-again)$/u,
    /\/rotate(?:-secret)?$/u,
    /\/operators$/u,
    /\/people\/(?:invite|create)$/u,
    /\/people\/\w+\/groups$/u,
  ];

  test("J12: every form of every page has beside each field the value that it shows, except for secrets", async () => {
    const known: string[] = [];
    for (const [, make] of named) known.push((await make()).action);
    await setProvider("acme");
    await groups.put(ctx(), app.id, "staff", {}, by);
    const { id: userId } = await newUser(service(), app);
    const organization = await newOrganization();
    await domains.add(ctx(), await organization.get(), { domain: "acme.example" }, by);
    const ids: Record<string, string> = {
      appId: app.id,
      provider: "acme",
      clientId: await createClient(service(), app),
      userId,
      orgId: organization.id,
      webhooks: await createEndpoint(service(), app, { url: "http://127.0.0.1:9/hook" }),
      operators: (await makeOperator(service(), "viewer")).id,
      keys: (await signingKeys.list(ctx()))[0]?.kid ?? "",
    };
    const edits = new Set<string>();
    let hasSecrets = false;
    for (const route of consoleRoutes.filter(({ method }) => method === "GET")) {
      const [, section = ""] = route.path.split("/").slice(1);
      const path = pathOf(route, { ...ids, id: ids[section] ?? "" });
      const { text } = await ada.get(`${consoleUrl}${path}`);
      for (const [form, tag = ""] of text.matchAll(/<form\b([^>]*method="post"[^>]*)>[^]*?<\/form>/gu)) {
        const action = attribute(tag, "action") ?? "";
        // The preview shows the sign-in page.
        if (!action.startsWith("/console/")) continue;
        if (form.includes('name="was.')) edits.add(action);
        if (notEdits.some((each) => each.test(action))) continue;
        for (const name of shownFields(form))
          expect({ action, name, has: form.includes(`name="was.${name}"`) }).toEqual({ action, name, has: true });
        const secrets = secretFields(form);
        for (const name of secrets) expect(form).not.toContain(`name="was.${name}"`);
        const act = consoleRoutes.find((each) => each.method === "POST" && isAt(each.path, action));
        const left = act?.method === "POST" ? act.secrets.map(({ name }) => name) : [];
        expect(left).toEqual(expect.arrayContaining(secrets));
        hasSecrets ||= secrets.length > 0;
      }
    }
    const creates =
      /\/delete$|\/applications(?:\/[^/]+\/(?:clients|providers|groups|organizations(?:\/\w+\/(?:members|invitations|domains))?|keys(?:\/rotate)?))?$|\/rotate$/u;
    const missing = [...edits].filter(
      (action) =>
        !creates.test(action) &&
        !known.some((end) => action.endsWith(end)) &&
        !/\/settings\/\w+$|\/address(?:\/verify)?$|\/roles$/u.test(action),
    );
    expect(missing).toEqual([]);
    expect(hasSecrets).toBe(true);
  });
});

function isAt(path: string, action: string): boolean {
  return new RegExp(`^${path.replaceAll(/:\w+/gu, "[^/]+")}$`, "u").test(action);
}

/** No browser fills them in. */
function secretFields(form: string): string[] {
  const all = [...form.matchAll(/<(?:input|textarea)\b[^>]*>/gu)].map(([tag]) => tag);
  const secrets = all.filter((tag) => /autocomplete="new-password"|type="password"/u.test(tag));
  expect(secrets.filter((tag) => attribute(tag, "autocomplete") !== "new-password")).toEqual([]);
  expect(secrets.filter((tag) => (attribute(tag, "value") ?? "") !== "")).toEqual([]);
  return secrets.map((tag) => attribute(tag, "name") ?? "");
}

/** The names of the fields of a form that show a value. */
function shownFields(form: string): string[] {
  const inputs = [...form.matchAll(/<input\b[^>]*>/gu)].flatMap(([tag]) => {
    const type = attribute(tag, "type") ?? "text";
    const name = attribute(tag, "name") ?? "";
    if (type === "checkbox")
      return /\bchecked\b/u.test(tag) ? [name.replace(/^event:.*/u, "events").split(".")[0] ?? ""] : [];
    // The script's colour picker writes into the field beside it.
    return type === "hidden" || name === "" || (attribute(tag, "value") ?? "") === "" ? [] : [name];
  });
  const areas = [...form.matchAll(/<textarea\b([^>]*)>\n?([^]*?)<\/textarea\s*>/gu)].flatMap(
    ([, tag = "", text = ""]) => (text === "" ? [] : [attribute(tag, "name") ?? ""]),
  );
  const choices = [...form.matchAll(/<select\b([^>]*)>/gu)].map(([, tag = ""]) => attribute(tag, "name") ?? "");
  return [...inputs, ...areas, ...choices];
}
