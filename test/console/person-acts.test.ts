import { describe, expect, it, test } from "vitest";
import * as groups from "../../src/users/groups/service.ts";
import * as userAdministration from "../../src/people/administration.ts";
import { importLines } from "../../src/people/import.ts";
import * as personPictures from "../../src/people/pictures.ts";
import { checkedPicture } from "../../src/pictures/image.ts";
import { answer } from "../cli/in-process.ts";
import { placeOf } from "../cli/service-place.ts";
import { commandsOn, openConsole, runShown } from "../support/console.ts";
import { invite } from "../support/invites.ts";
import { blockPassword } from "../support/limits.ts";
import { newUser } from "../support/mail-flows.ts";
import { useService } from "../support/one-service.ts";
import { png } from "../support/pictures.ts";
import { givePersonalToken } from "../support/personal-tokens.ts";
import { newEmail, Page, Visitor } from "../support/person.ts";
import { useApp } from "../support/service.ts";
import { mailAway, newSomebody, type Somebody } from "./somebody.ts";

type Listed = { id: string }[];

const service = useService(mailAway);
const app = useApp(service);
const by = { actor: { kind: "cli", name: "test" } } as const;
const place = () => placeOf(service);
const mailSettings = { AUTHSVC_MAIL__SMTP_URL: "smtp://127.0.0.1:9", AUTHSVC_MAIL__FROM: "auth@acme.example" };

/** The person and, for what has none, its id. */
type Of = (person: Somebody) => Promise<string> | string;

type Row = {
  /** The end of the form's address. */
  action: Of;
  values?: Record<string, string>;
  /** What stands for the values in the command. */
  placeholders?: Record<string, string>;
  prepare?: (person: Somebody) => Promise<unknown>;
  newPerson?: () => Promise<Somebody>;
};

const firstOf = async (command: string[], fits: (item: Record<string, unknown>) => boolean = () => true) => {
  const items = (await answer(command, place())) as Record<string, unknown>[];
  return String(items.find(fits)?.["id"]);
};
const methodOf = async (id: string, type: string) => {
  const { methods } = (await answer(["user", "show", id], place())) as { methods: { id: string; type: string }[] };
  return methods.find((method) => method.type === type)?.id ?? "";
};

let wiki: string | undefined;
const usual = async () => {
  const person = await newSomebody(service, app, wiki === undefined ? {} : { clientId: wiki });
  wiki = person.clientId;
  return person;
};
const invited = async () => {
  const { id, email } = await newUser(service, app, { emailVerified: false });
  return { id, email, clientId: "", loginId: "" };
};
const unverified = async () => {
  const person = await usual();
  await userAdministration.update(service.server.app.ctx, person.id, { emailVerified: false }, { dryRun: false }, by);
  return person;
};

const waiting = async () => {
  const [id, email] = [`usr_${newEmail().replaceAll(/[^a-z0-9]/gu, "")}`, newEmail()];
  const line = { id, email, emailVerified: true, state: "pending" };
  await importLines(
    service.server.app.ctx,
    app.id,
    [{ line: 1, json: JSON.stringify(line) }],
    { dryRun: false },
    by.actor,
  );
  return { id, email, clientId: "", loginId: "" };
};

const rows: [title: string, row: Row][] = [
  ["approves", { action: () => "/approve", newPerson: waiting }],
  ["refuses", { action: () => "/refuse", newPerson: waiting }],
  ["disables", { action: () => "/disable" }],
  [
    "enables",
    {
      action: () => "/enable",
      prepare: ({ id }) => answer(["user", "disable", id], place()),
    },
  ],
  ["unblocks", { action: () => "/unblock", prepare: async ({ email }) => await blockPassword(service, app, email) }],
  ["requires a new password", { action: () => "/require-new-password" }],
  ["ends every login", { action: () => "/logins/end" }],
  ["ends one login", { action: ({ loginId }) => `/logins/${loginId}/end` }],
  ["removes a method", { action: async ({ id }) => `/methods/${await methodOf(id, "passkey")}/remove` }],
  [
    "removes the last method that works",
    {
      action: async ({ id }) => `/methods/${await methodOf(id, "password")}/remove`,
      prepare: async ({ id }) =>
        await answer(["user", "remove-method", id, await methodOf(id, "passkey"), "--yes"], place()),
    },
  ],
  ["removes the second factor", { action: () => "/factors/remove" }],
  [
    "forgets a trusted browser",
    { action: async ({ id }) => `/trusted-browsers/${await firstOf(["user", "trusted-browsers", id])}/end` },
  ],
  [
    "ends a personal access token",
    {
      action: async ({ id }) => `/tokens/${await firstOf(["user", "tokens", id])}/end`,
      prepare: ({ id }) => givePersonalToken(service, id),
    },
  ],
  [
    "ends every personal access token",
    { action: () => "/tokens/end", prepare: ({ id }) => givePersonalToken(service, id) },
  ],
  ["forgets all trusted browsers", { action: () => "/trusted-browsers/end" }],
  ["makes a reset link", { action: () => "/reset-link" }],
  ["mails a reset link", { action: () => "/reset-link/mail" }],
  ["makes a recovery link", { action: () => "/recovery-link" }],
  ["mails the invitation again", { action: () => "/invitation/mail", newPerson: invited }],
  [
    "withdraws an invitation",
    {
      action: () => "/invitation/withdraw",
      newPerson: invited,
      prepare: ({ email }) => invite(service, app, email),
    },
  ],
  ["makes an invitation link", { action: () => "/invitation", newPerson: invited }],
  ["removes a program's access", { action: ({ clientId }) => `/programs/${clientId}/remove` }],
  [
    "changes name and picture",
    {
      action: () => "/profile",
      values: { name: "Ada King", picture: "https://pictures.example/ada.png" },
      placeholders: { NAME: "'Ada King'", URL: "https://pictures.example/ada.png" },
    },
  ],
  [
    "changes the profile fields",
    {
      action: () => "/fields",
      values: { "field.team": "Blue" },
      placeholders: { "NAME=VALUE": "team=Blue" },
      async prepare() {
        const team = { name: "team", type: "text", label: { en: "Team" }, askAt: "never", required: false };
        await answer(["app", "update", app.id, "--profile-fields", JSON.stringify([team])], place());
      },
    },
  ],
  [
    "removes the picture",
    {
      action: () => "/picture/remove",
      async prepare({ id }) {
        const picture = checkedPicture(png(2, 2), "person", "File");
        await personPictures.change(service.server.app.ctx, id, { kind: "save", picture }, by);
      },
    },
  ],
  [
    "changes the address",
    { action: () => "/address", values: { email: "", verified: "on" }, placeholders: { EMAIL: "" } },
  ],
  ["marks the address as verified", { action: () => "/address/verify", newPerson: unverified }],
  ["marks the address as not verified", { action: () => "/address/unverify" }],
  [
    "changes public metadata",
    {
      action: () => "/metadata/public",
      values: { patch: '{"plan": null, "seats": 5}' },
      placeholders: { JSON: `'{"plan": null, "seats": 5}'` },
    },
  ],
  [
    "changes private metadata",
    { action: () => "/metadata/private", values: { patch: "null" }, placeholders: { JSON: "null" } },
  ],
  [
    "adds to a group",
    {
      action: () => "/groups",
      values: { group: "admins" },
      placeholders: { GROUP: "admins" },
      prepare: () => groups.put(service.server.app.ctx, app.id, "admins", {}, by),
    },
  ],
  ["removes from a group", { action: () => "/groups/staff/remove" }],
  ["deletes", { action: () => "/delete", values: { confirmation: "" } }],
];

/** The form of a page as a page of its own. */
function formOn(page: Page, action: string): Page {
  const form = [...page.text.matchAll(/<form\b[^>]*action="([^"]*)"[\s\S]*?<\/form>/gu)].find(([, address = ""]) =>
    address.endsWith(action),
  );
  if (!form) throw new Error(`no form ${action}`);
  return new Page(page.url, page.status, page.headers, form[0]);
}

type Event = { id: string; action: string; result: string; details: object };

async function eventsOf({ id }: Somebody): Promise<Event[]> {
  return (await answer(["audit", "list", "--user", id], place())) as Event[];
}

/** Everything that commands say about a person, without what differs between two people. */
async function stateOf(person: Somebody, before: Event[]): Promise<string> {
  const { id, email, loginId } = person;
  const known = async (...command: string[]) => {
    try {
      return await answer(command, place());
    } catch (error) {
      return String(error);
    }
  };
  const events = (await eventsOf(person)).filter((event) => before.every((earlier) => earlier.id !== event.id));
  const all = {
    user: await known("user", "show", id),
    logins: await known("user", "logins", id, "--all"),
    factors: await known("user", "factors", id),
    trusted: await known("user", "trusted-browsers", id),
    tokens: await known("user", "tokens", id, "--all"),
    consents: await known("user", "consents", id),
    groups: await groups.ofUser(service.server.app.ctx.storage.reader, id),
    events: events.map(({ action, result, details }) => ({ action, result, details })),
  };
  const alike = (text: string): string =>
    text
      .replaceAll(email, "EMAIL")
      .replaceAll(/person\d+\.\d+@example\.org/gu, "OTHER")
      .replaceAll(loginId === "" ? "none" : loginId, "LOGIN")
      .replaceAll(/\b(usr|mth|lgn|brw|ptk)_\w+/gu, "$1")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME");
  // Two logins began in one instant.
  const sorted = (_name: string, value: unknown): unknown =>
    Array.isArray(value) ? value.map((item) => alike(JSON.stringify(item, sorted))).toSorted() : value;
  return alike(JSON.stringify(all, sorted, 1));
}

describe("an act on a person's page, and its command on another person", () => {
  it.each(rows)("%s", async (_, { action, values = {}, placeholders = {}, prepare, newPerson = usual }) => {
    const console = await openConsole(service);
    const [one, other] = [await newPerson(), await newPerson()];
    for (const person of [one, other]) await prepare?.(person);
    const [known, otherKnown] = [await eventsOf(one), await eventsOf(other)];
    const before = await stateOf(one, known);
    const withAddress = (given: Record<string, string>, address: string) =>
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, /^email$/iu.test(name) ? address : value]),
      );

    const page = await console.get(`/people/${one.id}`);
    const entered = {
      ...withAddress(values, newEmail()),
      ...("confirmation" in values && { confirmation: one.email }),
    };
    const answered = await console.submit(page, `/${one.id}${await action(one)}`, entered);
    expect(answered.status).toBe(200);

    const otherPage = await console.get(`/people/${other.id}`);
    const [command = ""] = commandsOn(formOn(otherPage, `/${other.id}${await action(other)}`));
    const line = Object.entries(withAddress(placeholders, newEmail())).reduce(
      (text, [name, value]) => text.replace(new RegExp(`\\b${name}\\b`, "u"), () => value),
      command,
    );
    const ran = await runShown(service, line, mailSettings);
    expect(ran).toMatchObject({ code: 0 });

    const after = await stateOf(one, known);
    expect(after).not.toBe(before);
    expect(after).toBe(await stateOf(other, otherKnown));
    const link = /^https?:\S+$/mu.exec(ran.stdout)?.[0];
    const path = link === undefined ? undefined : new URL(link).pathname.replace(/[^/]*$/u, "");
    if (path !== undefined) expect(answered.text).toMatch(new RegExp(`<code>http[^<]*${path}[^<]*</code>`, "u"));
  });

  test("covers every act of the page", async () => {
    const { acts } = await import("../../src/console/people/person-pages.ts");
    // A picture is uploaded, and that undone, in pictures.test.ts.
    const others = Object.keys(acts).filter((name) => !["changePicture", "undoPicture"].includes(name));
    expect(rows).toHaveLength(others.length + 1);
  });
});

describe("what an act refuses", () => {
  it.each([
    ["metadata that is not JSON", "/metadata/public", { patch: '{"plan": pro} <b>' }, "Changes: JSON"],
    ["metadata that is no object", "/metadata/private", { patch: "[1]" }, "private: a JSON object"],
    ["a name with control characters", "/profile", { name: "Ada\u202EgnP", picture: "" }, "name: 1 to 200 characters"],
    [
      "a picture that is not https",
      "/profile",
      { name: "Ada", picture: "http://x.example/a.png" },
      "picture: an https URL",
    ],
    ["an address that is none", "/address", { email: "nobody" }, "email: "],
    ["a group that does not exist", "/groups", { group: "nobody" }, ""],
  ])("%s: the page says so and keeps what was entered", async (_, action, values, said) => {
    const console = await openConsole(service);
    const person = await usual();
    await groups.put(service.server.app.ctx, app.id, "more", {}, by);
    const before = await answer(["user", "show", person.id], place());
    const page = await console.submit(await console.get(`/people/${person.id}`), `/${person.id}${action}`, values);
    expect(page.status).toBe(said === "" ? 404 : 400);
    expect(await answer(["user", "show", person.id], place())).toEqual(before);
    if (said === "") return;
    const form = formOn(page, `/${person.id}${action}`).text;
    expect(form).toContain(said);
    const entered = Object.values(values)[0] ?? "";
    expect(form).toContain(entered.replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"));
    expect(page.form(`/${person.id}${action}`).fields["page"]).toBe(`/console/people/${person.id}`);
    // The form can be corrected and sent again.
    const again = await console.submit(page, `/${person.id}${action}`, {
      name: "Ada",
      picture: "",
      patch: "{}",
      email: newEmail(),
    });
    expect(again.status).toBe(200);
  });

  test("a taken address, and a recovery link for somebody without a second factor", async () => {
    const console = await openConsole(service);
    const [one, other] = [await usual(), await newSomebody(service, app, { hasFactor: false })];
    const page = await console.get(`/people/${one.id}`);
    const taken = await console.submit(page, `/${one.id}/address`, { email: other.email });
    expect([taken.status, formOn(taken, "/address").text]).toEqual([409, expect.stringContaining(other.email)]);
    const posted = await console.visitor.post(`${console.url}/console/people/${other.id}/recovery-link`, {
      ...page.form("/recovery-link").fields,
    });
    expect(posted.status).toBe(409);
  });

  test("another person's login and method, whatever the address says", async () => {
    const console = await openConsole(service);
    const [one, other] = [await usual(), await usual()];
    const page = await console.get(`/people/${one.id}`);
    const { fields } = page.form(`/${one.id}/disable`);
    const method = await methodOf(other.id, "passkey");
    for (const path of [`logins/${other.loginId}/end`, `methods/${method}/remove`, "groups/nobody/remove"]) {
      const posted = await console.visitor.post(`${console.url}/console/people/${one.id}/${path}`, fields);
      expect(posted.status, path).toBe(404);
    }
    expect(((await answer(["user", "logins", other.id], place())) as Listed).map(({ id }) => id)).toContain(
      other.loginId,
    );
  });
});

test("a link is shown in the answer to its form and on no other page", async () => {
  const console = await openConsole(service);
  const person = await usual();
  const page = await console.get(`/people/${person.id}`);
  const shown = await console.submit(page, `/${person.id}/reset-link`);
  const link = /<code>(http[^<]+)<\/code>/u.exec(shown.text)?.[1] ?? "none";
  expect(link).toContain("/reset");
  expect(shown.headers.get("cache-control")).toBe("no-store");
  expect((await console.get(`/people/${person.id}`)).text).not.toContain(link);
});

test("somebody who waits for approval is not called disabled", async () => {
  const { id } = await waiting();
  const page = await (await openConsole(service)).get(`/people/${id}`);
  expect(page.text).toContain("<dt>Waits since</dt>");
  expect(page.text).not.toContain("<dt>Disabled</dt>");
});

const minute = 60_000;
const linksOfConsole: [action: string, lasts: number, newPerson: () => Promise<Somebody>][] = [
  ["/reset-link", 30 * minute, usual],
  ["/recovery-link", 60 * minute, usual],
  ["/invitation", 7 * 24 * 60 * minute, invited],
];

test.each(linksOfConsole)("P6: the link of %s works for %d ms, and not longer", async (action, lasts, newPerson) => {
  const console = await openConsole(service);
  const person = await newPerson();
  const shown = await console.submit(await console.get(`/people/${person.id}`), `/${person.id}${action}`);
  const link = (/<code>(http[^<]+)<\/code>/u.exec(shown.text)?.[1] ?? "none").replaceAll("&amp;", "&");
  service.clock.advance(lasts - 1);
  expect((await new Visitor().get(link)).status).toBe(200);
  service.clock.advance(1);
  expect((await new Visitor().get(link)).status).toBe(410);
});
