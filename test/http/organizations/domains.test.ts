import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { challengeName } from "../../../src/organizations/domains/lookup.ts";
import { joinByDomain, offerFor } from "../../../src/organizations/domains/joining.ts";
import * as setupLinks from "../../../src/companies/setup-links.ts";
import * as domains from "../../../src/organizations/domains/service.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { findUser, lockUser } from "../../../src/users/store.ts";
import { linkIn, mailTo } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { startNameServer, type NameServer, type Zone } from "../../support/name-server.ts";
import { withOrganizations, type TestOrganization, type WithOrganizations } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { startReceiver, until } from "../../support/receiver.ts";
import { describeSqliteFirst, updateApp, type TestService } from "../../support/service.ts";
import { createEndpoint, localWebhooks } from "../../support/webhooks.ts";

const [hour, day] = [3_600_000, 86_400_000];
const mails = await useMailServer();
/** Filled before the service starts. */
const servers: string[] = [];
let names: NameServer;
beforeAll(async () => {
  names = await startNameServer();
  servers.push(names.address);
});
beforeEach(() => {
  names.zones.clear();
  names.beforeAnswer = () => {};
});
afterAll(() => names.close());

let made = 0;
const newDomain = (): string => `acme${(made += 1)}.example`;
const by = { actor: { kind: "cli", name: "test" } } as const;

type Claim = {
  domain: string;
  state: string;
  join: string;
  record: { name: string; value: string } | null;
  worksAt: string | null;
  answer: { result: string; values: string[]; isDoubled: boolean } | null;
  misses: number;
};

/** An organization and its calls about one domain. */
function ofDomain({ send }: WithOrganizations, organization: TestOrganization, domain: string) {
  const path = `${organization.path}/domains`;
  const one = `${path}/${domain}`;
  return {
    id: organization.id,
    claim: async (join?: string) => (await send("POST", path, { domain, join })).body as unknown as Claim,
    check: async () => (await send("POST", `${one}/check`)).body as unknown as Claim,
    setJoin: async (join: string) => await send("PATCH", one, { join }),
    remove: async () => await send("DELETE", one),
    async now() {
      const { body } = await send("GET", path);
      return (body["domains"] as Claim[]).find((each) => each.domain === domain);
    },
  };
}

const show = (domain: string, ...claims: Claim[]): void => {
  names.zones.set(challengeName(domain), { txt: claims.map(({ record }) => [record?.value ?? ""]) });
};

const answers = (domain: string, zone: Zone): void => void names.zones.set(challengeName(domain), zone);

/** What the service does by itself. */
async function checkDue({ server }: TestService): Promise<void> {
  while (await domains.checkDue(server.app.ctx));
}

/** A proved domain, and the same of another organization that waits. */
async function twoClaims(current: TestService) {
  const all = await withOrganizations(current);
  const domain = newDomain();
  const [holder, rival] = [
    ofDomain(all, await all.newOrganization(), domain),
    ofDomain(all, await all.newOrganization(), domain),
  ];
  const first = await holder.claim();
  show(domain, first);
  expect((await holder.check()).state).toBe("proved");
  const second = await rival.claim();
  expect((await rival.check()).state).toBe("pending");
  show(domain, first, second);
  expect((await rival.check()).state).toBe("waiting");
  return { ...all, domain, holder, rival, first, second };
}

describeSqliteFirst("domains of organizations", { mail: mails.mail, dns: { servers }, ...localWebhooks }, (current) => {
  it("are claimed, shown with their record, and removed", async () => {
    const all = await withOrganizations(current());
    const organization = await all.newOrganization();
    const path = `${organization.path}/domains`;
    const { status, body } = await all.send("POST", path, { domain: " Bücher.Example ", join: "ask" });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        domain: "xn--bcher-kva.example",
        state: "pending",
        join: "ask",
        record: { name: "_authsvc-challenge.xn--bcher-kva.example", value: expect.stringMatching(/^[\w-]{22}$/u) },
        checkedAt: null,
        answer: null,
      }),
    ]);
    // A repetition changes nothing (88).
    expect((await all.send("POST", path, { domain: "bücher.example" })).body).toEqual(body);
    expect((await all.send("GET", path)).body).toEqual({ domains: [body] });
    const one = `${path}/xn--bcher-kva.example`;
    expect((await all.send("PATCH", one, { join: "on" })).body).toMatchObject({ join: "on" });
    expect((await all.send("PATCH", one, { join: "all" })).status).toBe(400);
    const other = await all.newOrganization();
    for (const wrong of [`${other.path}/domains/xn--bcher-kva.example`, `${path}/other.example`, `${path}/no`]) {
      expect((await all.send("PATCH", wrong, { join: "on" })).status).toBe(404);
      expect((await all.send("POST", `${wrong}/check`)).status).toBe(404);
      expect((await all.send("DELETE", wrong)).status).toBe(404);
    }
    expect((await all.send("DELETE", one)).status).toBe(200);
    expect((await all.send("GET", path)).body).toEqual({ domains: [] });
  });

  it("of a set-up link hold nothing and are proved for nobody before they are confirmed", async () => {
    const all = await withOrganizations(current(), { companySignIn: "on" });
    const receiver = await startReceiver();
    await createEndpoint(current(), all.app, { url: receiver.url, events: ["organization.domain.proved"] });
    const domain = newDomain();
    const organizations = [await all.newOrganization(), await all.newOrganization()] as const;
    const [linked, rival] = [ofDomain(all, organizations[0], domain), ofDomain(all, organizations[1], domain)];
    const email = newEmail();
    await all.send("POST", `${organizations[0].path}/setup-links`, { email });
    const secret = new URL(linkIn(await mailTo(mails, email, 1, /Set up/u))).pathname.split("/").at(-1) ?? "";
    const { ctx } = current().server.app;
    const open = await setupLinks.findByLink(ctx, secret);
    if (!open) throw new Error("no link");
    const source = { ipAddress: "203.0.113.9", userAgent: null, requestId: "r" };
    await setupLinks.addDomain(ctx, open, { domain, checks: false }, source);
    const added = await linked.now();
    if (!added) throw new Error("not added");
    show(domain, added);
    await setupLinks.addDomain(ctx, open, { domain, checks: true }, source);
    expect(await linked.now()).toMatchObject({ state: "pending", answer: { result: "found" } });
    // Another organization gets the domain, and loses it: the unconfirmed claim gets nothing.
    const claim = await rival.claim();
    show(domain, added, claim);
    expect((await rival.check()).state).toBe("proved");
    await checkDue(current());
    await rival.remove();
    expect(await linked.now()).toMatchObject({ state: "pending" });
    const told = () => receiver.received.map(({ body }) => body.data["organizationId"]);
    await until(() => told().length === 1);
    const { body } = await all.send("PATCH", `${organizations[0].path}/domains/${domain}`, { confirmed: true });
    expect(body).toMatchObject({ state: "proved", setupLinkId: null });
    await until(() => told().length === 2);
    expect(told()).toEqual([rival.id, linked.id]);
    await receiver.stop();
  });

  it("Q13: of strangers, of everybody, and more than ten are refused", async () => {
    const all = await withOrganizations(current());
    const organization = await all.newOrganization();
    const path = `${organization.path}/domains`;
    for (const domain of ["", "com", "co.uk", "github.io", "gmail.com", "a@acme.com", "acme.com.", "1.2.3.4"]) {
      const { status, body } = await all.send("POST", path, { domain });
      expect([domain, status, body.error?.details]).toEqual([domain, 400, expect.stringMatching(/^domain: /u)]);
    }
    for (let at = 0; at < 10; at += 1) expect((await all.send("POST", path, { domain: newDomain() })).status).toBe(201);
    expect((await all.send("POST", path, { domain: newDomain() })).body.error?.details).toMatch(/^domain: at most 10/u);
  });

  it("are proved by the record, asked for by a press or by the service itself", async () => {
    const all = await withOrganizations(current());
    const organization = await all.newOrganization();
    const receiver = await startReceiver();
    await createEndpoint(current(), all.app, { url: receiver.url, events: ["organization.domain.proved"] });
    const [pressed, itself] = [newDomain(), newDomain()].map((name) => ofDomain(all, organization, name));
    const claims = [await pressed?.claim(), await itself?.claim()] as Claim[];
    expect(await pressed?.check()).toMatchObject({
      state: "pending",
      answer: { result: "missing", values: [], isDoubled: false },
    });
    for (const claim of claims) show(claim.domain, claim);
    expect((await pressed?.check())?.state).toBe("proved");
    current().clock.advance(hour);
    await checkDue(current());
    expect((await itself?.now())?.state).toBe("proved");
    await until(() => receiver.of("organization.domain.proved").length === 2);
    const [{ body } = { body: undefined }] = receiver.received;
    expect(body?.data).toMatchObject({ userId: null, email: null, organizationId: organization.id, roles: null });
    await receiver.stop();
  });

  it("Q14: are not proved by the answer to a question about an earlier claim (41)", async () => {
    const all = await withOrganizations(current());
    const domain = ofDomain(all, await all.newOrganization(), newDomain());
    const first = await domain.claim();
    show(first.domain, first);
    names.beforeAnswer = async () => {
      names.beforeAnswer = () => {};
      await domain.remove();
      current().clock.advance(1);
      await domain.claim();
    };
    await domain.check();
    expect(await domain.now()).toMatchObject({ state: "pending", answer: null });
  });

  it("have the record of the earlier claim when they are claimed again, and one of their own elsewhere", async () => {
    const all = await withOrganizations(current());
    const [acme, best] = [await all.newOrganization(), await all.newOrganization()];
    const name = newDomain();
    const domain = ofDomain(all, acme, name);
    const first = await domain.claim();
    show(name, first);
    await domain.remove();
    expect((await domain.claim()).record).toEqual(first.record);
    expect((await domain.check()).state).toBe("proved");
    const others = [await ofDomain(all, best, name).claim(), await ofDomain(all, acme, newDomain()).claim()];
    expect(new Set([first, ...others].map(({ record }) => record?.value)).size).toBe(3);
  });

  it("Q14: are held by one of two that prove them at once, and by the first proof, not by the first claim (42)", async () => {
    const all = await withOrganizations(current());
    const name = newDomain();
    const each = await Promise.all([1, 2, 3].map(async () => ofDomain(all, await all.newOrganization(), name)));
    const claims = await Promise.all(each.map(async (one) => await one.claim()));
    show(name, ...claims);
    const states = await Promise.all(each.map(async (one) => (await one.check()).state));
    expect(states.toSorted()).toEqual(["proved", "waiting", "waiting"]);
    const later = await withOrganizations(current());
    const late = ofDomain(later, await later.newOrganization(), name);
    show(name, await late.claim());
    // Another application has domains of its own.
    expect((await late.check()).state).toBe("proved");
  });

  it("Q15: are lost by misses on three days, whatever is pressed in between, and the owners are mailed", async () => {
    const all = await withOrganizations(current());
    const email = newEmail();
    const organization = await all.newOrganization({ owner: await all.newPerson(email) });
    // The first one says that there is a new owner. The clock waits for each: a notice expires.
    await mailTo(mails, email, 1);
    const domain = ofDomain(all, organization, newDomain());
    const claim = await domain.claim();
    show(claim.domain, claim);
    await domain.check();
    current().clock.advance(7 * day);
    answers(claim.domain, "NXDOMAIN");
    await checkDue(current());
    expect(await domain.now()).toMatchObject({ state: "proved", misses: 1 });
    expect((await mailTo(mails, email, 2)).text).toContain(claim.domain);
    for (let press = 0; press < 3; press += 1) await domain.check();
    expect(await domain.now()).toMatchObject({ state: "proved", misses: 1 });
    // No answer is no miss, and no find.
    answers(claim.domain, "SERVFAIL");
    current().clock.advance(day);
    await checkDue(current());
    expect(await domain.now()).toMatchObject({ state: "proved", misses: 1, answer: { result: "unknown" } });
    answers(claim.domain, { txt: [["a\0nother"]] });
    current().clock.advance(hour);
    await checkDue(current());
    expect(await domain.now()).toMatchObject({ state: "proved", misses: 2, answer: { values: ["a\uFFFDnother"] } });
    current().clock.advance(day);
    await checkDue(current());
    expect(await domain.now()).toMatchObject({ state: "lapsed" });
    expect((await mailTo(mails, email, 3)).text).toContain(claim.domain);
    // Found again, it is proved again.
    show(claim.domain, claim);
    current().clock.advance(hour);
    await checkDue(current());
    expect(await domain.now()).toMatchObject({ state: "proved", misses: 0, worksAt: null });
  });

  it("Q15: survive five weeks of standing still, and a resolver that does not answer", async () => {
    const all = await withOrganizations(current());
    const organization = await all.newOrganization();
    const [proved, open] = [newDomain(), newDomain()].map((name) => ofDomain(all, organization, name));
    const claim = (await proved?.claim()) as Claim;
    const pending = (await open?.claim()) as Claim;
    show(claim.domain, claim);
    await proved?.check();
    for (const zone of ["SERVFAIL", "REFUSED", "garbage"] as const) {
      current().clock.advance(35 * day);
      for (const { domain } of [claim, pending]) answers(domain, zone);
      await checkDue(current());
      expect((await proved?.now())?.state).toBe("proved");
      expect((await open?.now())?.state).toBe("pending");
    }
    current().clock.advance(35 * day);
    for (const each of [claim, pending]) show(each.domain, each);
    await checkDue(current());
    expect(await proved?.now()).toMatchObject({ state: "proved", misses: 0 });
    expect((await open?.now())?.state).toBe("proved");
  });

  it("that nobody proves end after 14 days, and a proof within them counts", async () => {
    const all = await withOrganizations(current());
    const domain = ofDomain(all, await all.newOrganization(), newDomain());
    await domain.claim();
    current().clock.advance(14 * day - hour);
    await checkDue(current());
    expect((await domain.now())?.state).toBe("pending");
    current().clock.advance(2 * hour);
    await checkDue(current());
    expect(await domain.now()).toBeUndefined();
  });

  it("Q15: move when the holder's own checks lapse, and what the new holder sets works 72 hours later (47)", async () => {
    const { domain, holder, rival, second, newPerson } = await twoClaims(current());
    await rival.setJoin("ask");
    show(domain, second);
    // The holder was to be asked in a week; because of the rival, it is asked every day.
    for (const misses of [1, 2]) {
      current().clock.advance(day);
      await checkDue(current());
      expect(await holder.now()).toMatchObject({ state: "proved", misses });
      expect((await rival.now())?.state).toBe("waiting");
    }
    current().clock.advance(day);
    await checkDue(current());
    expect((await holder.now())?.state).toBe("lapsed");
    const moved = await rival.now();
    expect(moved?.state).toBe("proved");
    expect(Date.parse(moved?.worksAt ?? "")).toBe(current().clock.now + 72 * hour);
    const { ctx } = current().server.app;
    const user = await findUser(ctx.storage.reader, await newPerson(`ada@${domain}`));
    const offered = async () => user && (await offerFor(ctx, ctx.storage.reader, user))?.organizationId;
    expect(await offered()).toBeUndefined();
    current().clock.advance(72 * hour);
    expect(await offered()).toBe(rival.id);
  });

  it("do not move while the holder's record is found, and a rival that is not found waits no more", async () => {
    const { domain, holder, rival, first } = await twoClaims(current());
    show(domain, first);
    for (let at = 0; at < 8; at += 1) {
      current().clock.advance(day);
      await checkDue(current());
    }
    expect((await holder.now())?.state).toBe("proved");
    expect((await rival.now())?.state).toBe("pending");
  });

  it("move at once from a holder that is deleted or gives them up, and after 30 days from a disabled one", async () => {
    for (const isDeleted of [true, false]) {
      const { holder, rival, send } = await twoClaims(current());
      if (isDeleted) await send("DELETE", `/organizations/${holder.id}`);
      else await holder.remove();
      expect(await rival.now()).toMatchObject({ state: "proved", worksAt: expect.any(String) });
    }
    const { holder, rival, send } = await twoClaims(current());
    expect((await send("PATCH", `/organizations/${holder.id}`, { disabled: true })).status).toBe(200);
    current().clock.advance(29 * day);
    expect((await rival.check()).state).toBe("waiting");
    current().clock.advance(day);
    expect((await rival.check()).state).toBe("proved");
    expect((await holder.now())?.state).toBe("lapsed");
  });

  it("that an operator vouches for are not asked about, and move to nobody", async () => {
    const all = await withOrganizations(current());
    const { ctx } = current().server.app;
    const organization = await all.newOrganization();
    const row = await findOrganization(ctx.storage.reader, organization.id);
    if (!row) throw new Error("no organization");
    const name = newDomain();
    const vouched = await domains.add(ctx, row, { domain: name, isProved: true }, by);
    expect(vouched).toMatchObject({ state: "proved", record: null });
    current().clock.advance(35 * day);
    await checkDue(current());
    const own = ofDomain(all, organization, name);
    expect(await own.now()).toMatchObject({ state: "proved", checkedAt: null, misses: 0 });
    const other = ofDomain(all, await all.newOrganization(), name);
    show(name, await other.claim());
    expect((await other.check()).state).toBe("waiting");
    const refused = await domains
      .add(ctx, (await findOrganization(ctx.storage.reader, other.id)) ?? row, { domain: name, isProved: true }, by)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "CONFLICT" });
  });

  it("Q16: let people join: not those of before, nor those who left or were removed, nor a shared mailbox", async () => {
    const all = await withOrganizations(current());
    const { ctx } = current().server.app;
    const { reader } = ctx.storage;
    const organization = await all.newOrganization();
    const name = newDomain();
    const early = await all.newPerson(`early@${name}`);
    current().clock.advance(1);
    const domain = ofDomain(all, organization, name);
    show(name, await domain.claim("on"));
    await domain.check();
    current().clock.advance(1);
    const offered = async (userId: string) => {
      const user = await findUser(reader, userId);
      return user && (await offerFor(ctx, reader, user));
    };
    const joins = async (userId: string, agreed = false) =>
      await ctx.storage.write(async (tx) => {
        const user = await lockUser(tx, userId);
        if (!user) throw new Error("no user");
        return await joinByDomain(ctx, tx, user, { organizationId: organization.id, agreed }, by);
      });
    expect(await offered(early)).toMatchObject({ organizationId: organization.id, asks: true });
    expect([await joins(early), await joins(early, true)]).toEqual([false, true]);
    expect(await organization.rolesOf(early)).toEqual(["member"]);

    const later = await all.newPerson(`later@${name}`);
    expect(await offered(later)).toMatchObject({ asks: false });
    expect(await joins(later)).toBe(true);
    expect(await offered(later)).toBeUndefined();
    // Removed by somebody: never again, also with another account of the address.
    expect((await all.send("DELETE", `${organization.path}/members/${later}`)).status).toBe(200);
    expect(await joins(later, true)).toBe(false);
    await all.send("DELETE", `/users/${later}`);
    expect(await offered(await all.newPerson(`later@${name}`))).toBeUndefined();

    const strangers = [`a+b@${name}`, `support@${name}`, `a@evil${name}`, `a@x.${name}`, `a@${name}.evil.example`];
    for (const email of strangers)
      expect([email, await offered(await all.newPerson(email))]).toEqual([email, undefined]);
    const { body } = await all.send("POST", "/users", { email: `unproved@${name}` });
    expect(await offered(String(body["id"]))).toBeUndefined();

    await all.send("PATCH", organization.path, { maxMembers: 2 });
    const full = await all.newPerson(`full@${name}`);
    expect([await joins(full), await joins(full, true)]).toEqual([false, false]);
    await all.send("PATCH", organization.path, { maxMembers: null });
    await domain.setJoin("ask");
    expect(await offered(full)).toMatchObject({ asks: true });
    await domain.setJoin("off");
    expect(await offered(full)).toBeUndefined();
  });
});

describeSqliteFirst("acts on domains", { dns: { servers } }, (current) => {
  it("are an owner's or the server's, and an admin reads them", async () => {
    const { send, newOrganization } = await withOrganizations(current());
    const organization = await newOrganization();
    const [admin, member] = [await organization.newMember("admin"), await organization.newMember("member")];
    const path = `${organization.path}/domains`;
    const { body } = await send("POST", path, { domain: newDomain() });
    const one = `${path}/${String(body["domain"])}`;
    for (const [userId, reads] of [
      [organization.owner, 200],
      [admin, 200],
      [member, 403],
    ] as const) {
      expect((await send("GET", `${path}?by=${userId}`)).status).toBe(reads);
      expect((await send("POST", `${path}?by=${userId}`, { domain: newDomain() })).status).toBe(403);
      expect((await send("PATCH", `${one}?by=${userId}`, { join: "on" })).status).toBe(403);
      expect((await send("POST", `${one}/check?by=${userId}`)).status).toBe(403);
      expect((await send("DELETE", `${one}?by=${userId}`)).status).toBe(403);
    }
    expect((await send("GET", path)).body).toEqual({ domains: [body] });
  });

  it("ask DNS at most 10 times a minute for an organization", async () => {
    const { send, newOrganization } = await withOrganizations(current());
    const organization = await newOrganization();
    const path = `${organization.path}/domains`;
    const { body } = await send("POST", path, { domain: newDomain() });
    // At the beginning of a minute, so that the clock does not begin another.
    current().clock.now = Math.ceil(current().clock.now / 60_000) * 60_000;
    const check = async () => (await send("POST", `${path}/${String(body["domain"])}/check`)).status;
    const statuses: number[] = [];
    for (let at = 0; at < 11; at += 1) statuses.push(await check());
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    current().clock.advance(60_000);
    expect(await check()).toBe(200);
  });

  it("are in the audit log, with the domain and without an address", async () => {
    const { send, newOrganization, app } = await withOrganizations(current());
    const organization = await newOrganization();
    const domain = newDomain();
    await send("POST", `${organization.path}/domains`, { domain });
    await send("PATCH", `${organization.path}/domains/${domain}`, { join: "on" });
    await send("DELETE", `${organization.path}/domains/${domain}`);
    const { ctx } = current().server.app;
    const entries = await audit.list(ctx, { appId: app.id, limit: 100 });
    const own = entries
      .filter(({ action }) => action.startsWith("organization.domain."))
      .map(({ action, details, changes }) => [action, details, changes] as const);
    expect(own.toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual([
      ["organization.domain.add", { domain }, null],
      ["organization.domain.remove", { domain }, null],
      ["organization.domain.update", { domain }, { join: { from: "off", to: "on" } }],
    ]);
    await updateApp(current(), app, { settings: { organizations: "off" } });
    expect((await send("GET", `${organization.path}/domains`)).status).toBe(404);
  });
});
