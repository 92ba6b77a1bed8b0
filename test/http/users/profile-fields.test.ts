import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import type { NewProfileField } from "../../../src/applications/profile-fields.ts";
import * as exports from "../../../src/people/export.ts";
import { importLines } from "../../../src/people/import.ts";
import { allFindings } from "../../../src/upkeep/doctor/findings.ts";
import { openAccount, press } from "../../support/account.ts";
import { setClaims } from "../../support/groups.ts";
import { bearer } from "../../support/methods.ts";
import { call, refresh, redeem, signedUp, signIn, validate, Visitor } from "../../support/person.ts";
import { describeOnSqlite, updateApp, type TestApp, type TestService } from "../../support/service.ts";
import { answerTerms, ask, codeOf, signInToStep, someTerms } from "../../support/waiting-steps.ts";

const label = { en: "Label", de: "Schild" };
const actor = { kind: "cli", name: "test" } as const;
const fields: NewProfileField[] = [
  { name: "team", type: "text", label: { en: "Your team", de: "Ihr Team" }, required: true, maxLength: 20 },
  {
    name: "size",
    type: "choice",
    label,
    options: ["s", "l"].map((value) => ({ value, label: { en: `Size ${value}` } })),
  },
  { name: "news", type: "checkbox", label },
  { name: "age", type: "number", label },
  { name: "customer", type: "text", label: { en: "Customer" }, editableBy: "server" },
];

async function withFields(service: TestService) {
  const app = await service.createApp();
  const person = await signedUp(service, app);
  await ask(service, app, { profileFields: fields });
  const id = String(person.user["id"]);
  const server = async (method: string, body?: unknown) =>
    await call(service, method, `/applications/${app.id}/users/${id}`, app.headers, body);
  const own = async (method: string, body?: unknown) =>
    await call(service, method, "/users/profile", bearer(person.accessToken), body);
  return { app, person, id, server, own };
}

async function signedInAt(service: TestService, app: TestApp, email: string): Promise<Visitor> {
  const visitor = new Visitor();
  await redeem(service, app, await signIn(service, app, { email }, {}, visitor));
  return visitor;
}

describeOnSqlite("profile fields of an application", (current) => {
  it("are written by the server and read by the person", async () => {
    const { server, own } = await withFields(current());
    const written = { team: "Blue", size: "s", news: false, age: 12.5, customer: "C-1" };
    expect((await server("PATCH", { profile: written })).body["profile"]).toEqual(written);
    expect((await server("GET")).body["profile"]).toEqual(written);
    expect((await own("GET")).body["profile"]).toEqual(written);
    await server("PATCH", { profile: { size: null, age: null } });
    expect((await own("GET")).body["profile"]).toEqual({ team: "Blue", news: false, customer: "C-1" });
    await server("PATCH", { profile: { team: null, news: null, customer: null } });
    expect((await own("GET")).body).not.toHaveProperty("profile");
  });

  it("are the person's own where they may edit them", async () => {
    const { server, own } = await withFields(current());
    const changed = await own("PATCH", { profile: { team: " Red ", size: "l" } });
    expect(changed.body["profile"]).toEqual({ team: "Red", size: "l" });
    expect((await own("PATCH", { name: "Ada" })).body["profile"]).toEqual({ team: "Red", size: "l" });
    for (const [profile, details] of [
      [{ customer: "C-2" }, "profile.customer: only the application's server changes it"],
      [{ team: null }, "profile.team: required"],
      [{ team: "x".repeat(21) }, "profile.team: 1 to 20 characters, no control characters, or null"],
      [{ size: "xl" }, "profile.size: one of s, l, or null"],
      [{ news: "yes" }, "profile.news: true or false, or null"],
      [{ age: "12" }, "profile.age: a number, or null"],
      [{ constructor: "x" }, "profile.constructor: not a profile field of this application"],
      [[], "profile: must be an object"],
    ] as const) {
      const { status, body } = await own("PATCH", { profile });
      expect([status, body.error?.details]).toEqual([400, details]);
    }
    expect((await server("GET")).body["profile"]).toEqual({ team: "Red", size: "l" });
  });

  it("are refused as an unknown key where there are none, as before", async () => {
    const service = current();
    const app = await service.createApp();
    const { accessToken, user } = await signedUp(service, app);
    const users = `/applications/${app.id}/users`;
    for (const [method, path, headers, body] of [
      ["PATCH", "/users/profile", bearer(accessToken), {}],
      ["PATCH", `${users}/${String(user["id"])}`, app.headers, {}],
      ["POST", users, app.headers, { email: "new.person@example.org" }],
    ] as const) {
      const answer = await call(service, method, path, headers, { ...body, profile: {} });
      expect([answer.status, answer.body.error?.details]).toEqual([400, 'body: unknown key "profile"']);
    }
  });

  it("are set when the server creates somebody, all or none", async () => {
    const service = current();
    const { app } = await withFields(service);
    const create = async (profile: unknown) =>
      await call(service, "POST", `/applications/${app.id}/users`, app.headers, { email: "made@example.org", profile });
    expect((await create({ team: 4 })).status).toBe(400);
    const { status, body } = await create({ team: "Blue" });
    expect(status).toBe(201);
    const shown = await call(service, "GET", `/applications/${app.id}/users/${String(body["id"])}`, app.headers);
    expect(shown.body["profile"]).toEqual({ team: "Blue" });
  });

  it("become claims, and validate has the fields that claims name, with their current values", async () => {
    const service = current();
    const { app, person, server } = await withFields(service);
    await server("PATCH", { profile: { team: "Blue", customer: "C-1" } });
    expect((await validate(service, app, person.accessToken)).body).not.toHaveProperty("profile");
    await setClaims(service, app, [{ claim: "team", from: "profile.team", in: ["access", "id"] }]);
    const refreshed = await refresh(service, app, person.refreshToken);
    const token = String(refreshed.body["accessToken"]);
    expect(decodeJwt(token)).toMatchObject({ team: "Blue" });
    await server("PATCH", { profile: { team: "Red" } });
    const { body } = await validate(service, app, token);
    expect([body["claims"], body["profile"]]).toEqual([{ team: "Red" }, { team: "Red" }]);
    await expect(updateApp(service, app, { settings: { profileFields: fields.slice(1) } })).rejects.toMatchObject({
      details: expect.stringMatching(/a claim is made of profile\.team/u),
    });
    await expect(
      setClaims(service, app, [{ claim: "x", from: "profile.nobody", in: ["access"] }]),
    ).rejects.toMatchObject({ details: expect.stringMatching(/profile\.nobody/u) });
  });

  it("are on the account page, which saves only what was changed and ignores what the server writes", async () => {
    const service = current();
    const { app, person, server } = await withFields(service);
    await server("PATCH", { profile: { team: "Blue", customer: "C-1", size: "s" } });
    const visitor = await signedInAt(service, app, person.email);
    expect((await openAccount(service, app, visitor)).text).toMatch(/Your team[\s\S]*Blue[\s\S]*Size s/u);
    // Nobody can fill it in here.
    expect((await openAccount(service, app, visitor)).text).toContain("Customer");
    await server("PATCH", { profile: { customer: null } });
    expect((await openAccount(service, app, visitor)).text).not.toContain("Customer");
    await server("PATCH", { profile: { customer: "C-1" } });
    const form = await openAccount(service, app, visitor, "/profile");
    expect(form.text).toContain('name="profile-team"');
    expect(form.text).not.toContain('name="profile-customer"');
    const refused = await press(app, visitor, form, "/account/profile", {
      name: "Ada",
      "profile-team": "",
      "profile-size": "s",
    });
    expect([refused.status, refused.text.includes("Fill in this field.")]).toEqual([422, true]);
    // An option that is gone stays for those who have it, and no other field is checked.
    await ask(service, app, {
      profileFields: fields.map((each) =>
        each.name === "size" ? { ...each, options: [{ value: "l", label }] } : each,
      ),
    });
    const saved = await press(app, visitor, form, "/account/profile", {
      name: "Ada",
      "profile-team": "Red",
      "profile-size": "s",
      "profile-news": "true",
      "profile-customer": "C-9",
      "was.profile-customer": "C-1",
    });
    expect(saved.status).toBe(303);
    expect((await server("GET")).body["profile"]).toEqual({ team: "Red", size: "s", news: true, customer: "C-1" });
  });

  it("move with an export and an import, without what does not fit", async () => {
    const service = current();
    const { app, server, id } = await withFields(service);
    const { ctx } = service.server.app;
    await server("PATCH", { profile: { team: "Blue", news: true } });
    const lines: Record<string, unknown>[] = [];
    for await (const page of exports.pages(ctx, app.id, { withHashes: false })) lines.push(...(page as typeof lines));
    expect(lines.find((line) => line["id"] === id)).toMatchObject({ profile: { team: "Blue", news: true } });
    const other = await service.createApp();
    await ask(service, other, { profileFields: fields });
    const profile = { team: "Green", size: "xxl", nobody: 1, age: null };
    const json = JSON.stringify({ email: "moved@example.org", profile });
    const [outcome] = await importLines(ctx, other.id, [{ line: 1, json }], { dryRun: false }, actor);
    expect(outcome).toMatchObject({
      outcome: "created",
      leftOut: [{ field: "profile.size" }, { field: "profile.nobody" }],
    });
    const found = await call(service, "GET", `/applications/${other.id}/users?email=moved@example.org`, other.headers);
    const [{ id: moved }] = found.body["users"] as [{ id: string }];
    const shown = await call(service, "GET", `/applications/${other.id}/users/${moved}`, other.headers);
    expect(shown.body["profile"]).toEqual({ team: "Green" });
  });

  it("doctor counts people who lack a required value that only the server writes", async () => {
    const service = current();
    const { app, server } = await withFields(service);
    const required = fields.map((each) => ({ ...each, required: each.name === "customer" }));
    await ask(service, app, { profileFields: required });
    const lacking = async () =>
      (await allFindings(service.server.app.ctx)).filter(
        ({ check, message }) => check === "profile-fields" && message.includes(app.id),
      );
    expect(await lacking()).toMatchObject([{ status: "warning", message: expect.stringContaining("1 person lacks") }]);
    await server("PATCH", { profile: { customer: 'a "customer": null' } });
    expect(await lacking()).toEqual([]);
  });

  it("terms are in the users' API and in the data that a user downloads", async () => {
    const service = current();
    const { app, person, server } = await withFields(service);
    expect((await server("GET")).body).not.toHaveProperty("terms");
    await ask(service, app, someTerms);
    const { visitor, page } = await signInToStep(service, app, person);
    expect(codeOf(await answerTerms(visitor, page, "yes"))).not.toBe("");
    const accepted = [
      { version: "1", url: someTerms.termsUrl, accepted: true, at: expect.any(String), ipAddress: "127.0.0.1" },
    ];
    expect((await server("GET")).body["terms"]).toEqual(accepted);
    const download = await openAccount(service, app, visitor, "/data");
    const file = await press(app, visitor, download, "/account/data");
    expect(file.json()).toMatchObject({ terms: accepted });
  });
});

describeOnSqlite("the settings for terms and profile fields", (current) => {
  const refused: [title: string, settings: Parameters<typeof ask>[2], message: RegExp][] = [
    [
      "21 fields",
      { profileFields: Array.from({ length: 21 }, (_, at) => ({ name: `f${at}`, type: "text", label })) },
      /at most 20/u,
    ],
    ["a name with a dash", { profileFields: [{ name: "a-b", type: "text", label }] }, /letters, digits or '_'/u],
    [
      "a name that every object has",
      { profileFields: [{ name: "__proto__", type: "text", label }] },
      /letters, digits/u,
    ],
    [
      "a name given twice",
      {
        profileFields: [
          { name: "a", type: "text", label },
          { name: "A", type: "text", label },
        ],
      },
      /given twice/u,
    ],
    ["too long texts", { profileFields: [{ name: "a", type: "text", label, maxLength: 1001 }] }, /from 1 to 1000/u],
    [
      "a length of a number",
      { profileFields: [{ name: "a", type: "number", label, maxLength: 5 }] },
      /only of a text/u,
    ],
    ["a choice of nothing", { profileFields: [{ name: "a", type: "choice", label }] }, /1 to 100 of value and label/u],
    ["no label", { profileFields: [{ name: "a", type: "text", label: {} }] }, /by language/u],
    ["a label that hides", { profileFields: [{ name: "a", type: "text", label: { en: "a\u202eb" } }] }, /by language/u],
    ["terms without their address", { termsVersion: "1" }, /required with a version/u],
    ["an address without a version", { termsUrl: "https://acme.example/" }, /required with the URL/u],
    ["terms over http", { termsVersion: "1", termsUrl: "http://acme.example/" }, /https URL/u],
  ];
  it.each(refused)("refuse %s, and nothing changes", async (_title, settings, message) => {
    const service = current();
    const app = await service.createApp();
    await expect(ask(service, app, settings)).rejects.toMatchObject({ details: expect.stringMatching(message) });
  });
});
