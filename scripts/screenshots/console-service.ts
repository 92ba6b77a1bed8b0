import { rmSync } from "node:fs";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import * as clients from "../../src/applications/clients/service.ts";
import { saveConsent } from "../../src/applications/clients/consents-store.ts";
import * as operators from "../../src/operators/service.ts";
import { day, hour, minute, second } from "../../src/lib/clock.ts";
import { newId } from "../../src/lib/random.ts";
import { insertDelivery } from "../../src/records/webhooks/delivery-store.ts";
import { recordFailure } from "../../src/records/webhooks/endpoint-store.ts";
import { insertSentMail } from "../../src/records/mail/sent-store.ts";
import * as mail from "../../src/records/mail/service.ts";
import { startServer } from "../../src/process/server.ts";
import * as newUsers from "../../src/people/new-users.ts";
import * as userAdministration from "../../src/people/administration.ts";
import * as domains from "../../src/organizations/domains/service.ts";
import { findDomain, updateDomain } from "../../src/organizations/domains/store.ts";
import * as members from "../../src/organizations/members.ts";
import type { Organization } from "../../src/organizations/organization.ts";
import { providerSecretContext } from "../../src/organizations/provider/provider.ts";
import { saveProvider } from "../../src/organizations/provider/provider-store.ts";
import * as organizations from "../../src/organizations/service.ts";
import * as groups from "../../src/users/groups/service.ts";
import { countLiveLogins, countUsers } from "../../src/users/counter-store.ts";
import * as userMetadata from "../../src/people/metadata-changes.ts";
import * as logins from "../../src/sessions/login-administration.ts";
import { freePort } from "../../test/support/free-port.ts";
import type { DomainAnswer } from "../../src/storage/column-types.ts";
import { resetMail } from "../../test/support/mail-flows.ts";
import { giveFactor, giveIdentity, givePasskey, setProvider } from "../../test/support/methods.ts";
import { makeOperator, signInTo } from "../../test/support/operators.ts";
import { goodPassword, initiate, redeem, signIn, Visitor } from "../../test/support/person.ts";
import { startTestService, updateApp, type TestApp, type TestService } from "../../test/support/service.ts";
import { createEndpoint } from "../../test/support/webhooks.ts";
import { countAYear, seeded } from "./console-year.ts";

/** A Wednesday. All pictures show this moment. */
export const shownAt = Date.UTC(2026, 9, 14, 14, 20);

const by = { actor: { kind: "cli", name: "grace" } } as const;
const browsers = [
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Android 16; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
];
const firstNames =
  "Ada Amir Beatriz Chen Chiara Dmitri Elif Emeka Fatima Finn Hana Ines Jonas Kofi Leila Mateo Nadia Oskar Priya Sofia";
const lastNames =
  "Adeyemi Costa Dubois Eriksen Fischer García Haddad Ivanova Jensen Kim Lindqvist Moreau Nakamura Okafor Patel Rossi Schmidt Tanaka Ueda Weber";

type Person = { id: string; email: string; name: string; app: TestApp; visitor: Visitor };

/** A running service with the data of three applications, and the ids that paths need. */
export async function startConsoleService() {
  const port = await freePort();
  const team = { host: "127.0.0.1", port, baseUrl: `http://127.0.0.1:${port}` };
  const settings = { console: team, trustedProxies: ["127.0.0.1"] };
  const { service } = await startTestService("sqlite", settings, {}, shownAt - 70 * day);
  const { ctx } = service.server.app;
  const shop = await service.createApp({
    id: "app_shop",
    name: "Northwind Shop",
    domain: "shop.northwind.example",
    redirectUris: ["https://shop.northwind.example/callback", "https://staging.northwind.example/callback"],
    methods: ["passkey", "password"],
    branding: { primaryColor: "#b45309", companyName: "Northwind" },
    settings: { secondFactor: "optional", trustBrowsersDays: 30, rateLimits: { authentication: 600 } },
  });
  const forum = await service.createApp({
    id: "app_forum",
    name: "Northwind Forum",
    redirectUris: ["https://forum.northwind.example/callback"],
  });
  const staff = await service.createApp({
    id: "app_staff",
    name: "Staff portal",
    redirectUris: ["https://staff.northwind.example/callback"],
    settings: { signUp: "closed" },
  });
  for (const provider of ["google", "github"]) await setProvider(service, shop, provider);
  for (const name of ["staff", "editors", "support"]) await groups.put(ctx, shop.id, name, {}, by);
  const programs: Omit<NewClient, "appId">[] = [
    { id: "wiki", name: "Wiki", redirectUris: ["https://wiki.northwind.example/oauth/callback"] },
    {
      id: "payroll",
      name: "Payroll",
      redirectUris: ["https://pay.northwind.example/callback"],
      allowedGroups: ["staff"],
      secondFactor: "required",
    },
    { id: "stock-app", name: "Stock app", kind: "native", redirectUris: ["com.northwind.stock:/callback"] },
  ];
  for (const program of programs) await clients.create(ctx, { ...program, appId: shop.id }, {}, by);

  const people = await signPeopleUp(service, [shop, forum, staff]);
  const ada = people[0]?.id ?? "";
  await furnish(service, shop, people);
  const orgId = await foundCompanies(service, shop, people);
  await countAYear(ctx, { app_shop: 0.7, app_forum: 0.25, app_staff: 0.05 }, shownAt);
  await countMorePeople(service, { app_shop: 2140, app_forum: 612, app_staff: 38 });
  const { endpointId, eventId } = await deliver(service, shop, forum, people);
  service.clock.now = shownAt - 40 * minute;
  const owner = await makeOperator(service, "owner", "grace@northwind.example");
  for (const [email, role] of [
    ["ines@northwind.example", "support"],
    ["tom@northwind.example", "viewer"],
  ] as const)
    await operators.invite(ctx, { email, role, name: null }, { link: true }, by);
  await fetch(`${service.url}/.well-known/jwks.json`);
  await service.server.close();

  service.clock.now = shownAt;
  const server = await startServer(
    {
      ...service.config,
      passwords: { ...service.config.passwords, memoryKiB: 19_456, iterations: 2, attemptsPerMinute: 20 },
      rateLimits: { ...service.config.rateLimits, authentication: 600 },
      mail: {
        server: { host: "127.0.0.1", port: 9, user: undefined, password: undefined, tls: "none" },
        from: { name: "Northwind", address: "auth@northwind.example" },
      },
    },
    { clock: () => service.clock.now },
  );
  const running: TestService = { ...service, url: server.url, server };
  await queueMails(running, shop, people);
  return {
    ctx: server.app.ctx,
    url: server.url,
    parameters: {
      appId: shop.id,
      orgId,
      userId: ada,
      clientId: "wiki",
      id: endpointId,
      event: eventId,
      provider: "google",
      program: "grafana",
    },
    operatorId: owner.id,
    teamUrl: team.baseUrl,
    async signIn(): Promise<Visitor> {
      const visitor = new Visitor();
      await signInTo(running, await visitor.get(`${team.baseUrl}/console/operators`), owner, visitor);
      return visitor;
    },
    async close(): Promise<void> {
      await server.close();
      rmSync(service.dataDir, { recursive: true, force: true });
    },
  };
}

/** Sixty people who have signed in since, on some days. */
async function signPeopleUp(service: TestService, apps: [TestApp, TestApp, TestApp]): Promise<Person[]> {
  const [shop, forum, staff] = apps;
  const random = seeded(60);
  const [first, last] = [firstNames.split(" "), lastNames.split(" ")];
  const people: Person[] = [];
  const { ctx } = service.server.app;
  for (let index = 0; index < 60; index += 1) {
    service.clock.now = shownAt - 62 * day + index * day + Math.floor(random() * 9 * hour);
    const name = `${first[index % 20]} ${last[(index * 7 + Math.floor(index / 20)) % 20]}`;
    const email = `${name
      .toLowerCase()
      .normalize("NFD")
      .replaceAll(/[^a-z ]/gu, "")
      .replace(" ", ".")}@mail.example`;
    const app = index % 10 === 9 ? staff : index % 4 === 3 ? forum : shop;
    const address = `203.0.113.${10 + index}`;
    const visitor = new Visitor({ "user-agent": browsers[index % 4] ?? "", "x-forwarded-for": address });
    const id =
      app === staff
        ? await invited(service, { email, name, app })
        : await signedUp(service, { email, name, app, visitor });
    people.push({ id, email, name, app, visitor });
  }
  for (let again = 0; again < 90; again += 1) {
    service.clock.now = shownAt - 3 * day + again * 47 * minute;
    const person = people[again % 3 === 0 ? 0 : Math.floor(random() * people.length)];
    if (!person || service.clock.now > shownAt - hour) continue;
    const { app, email, visitor } = person;
    const elsewhere =
      again % 2 === 0 ? visitor : new Visitor({ ...visitor.headers, "user-agent": browsers[again % 4] ?? "" });
    if (again % 13 === 5)
      await signIn(service, app, { email, password: "not the password" }, {}, elsewhere).catch(() => {});
    else if (again % 3 !== 0 || again > 60)
      await redeem(service, app, await signIn(service, app, { email }, {}, elsewhere));
  }
  const [, , , , , , left] = people;
  if (left) await userAdministration.disable(ctx, left.id, { dryRun: false }, by);
  return people;
}

type NewPerson = { email: string; name: string; app: TestApp };

async function signedUp(
  service: TestService,
  { email, name, app, visitor }: NewPerson & { visitor: Visitor },
): Promise<string> {
  const session = await initiate(service, app);
  const form = await visitor.get(`${session.authUrl}/create-account`);
  const done = await visitor.submit(form, "/create-account", { email, name, password: goodPassword });
  const code = done.location.searchParams.get("code") ?? "";
  const { user } = await redeem(service, app, { session, code });
  return String(user["id"]);
}

async function invited(service: TestService, { email, name, app }: NewPerson): Promise<string> {
  const { ctx } = service.server.app;
  const user = { appId: app.id, email, emailVerified: true, name, password: goodPassword };
  return (await newUsers.create(ctx, user, { dryRun: false }, by)).id;
}

/** As if so many had come before, all of whom signed in during the last month. */
async function countMorePeople(service: TestService, apps: Record<string, number>): Promise<void> {
  const random = seeded(1);
  await service.server.app.ctx.storage.write(async (tx) => {
    for (const [appId, people] of Object.entries(apps)) {
      const of = () => ({ appId, lastLoginAt: shownAt - Math.floor(random() * 45 * day) });
      const counted = Array.from({ length: people }, of);
      countUsers(tx, counted, 1);
      countLiveLogins(tx, counted.slice(0, people / 3), 1);
    }
  });
}

/** What people have beside a password. */
async function furnish(service: TestService, shop: TestApp, people: Person[]): Promise<void> {
  const { ctx } = service.server.app;
  service.clock.now = shownAt - 2 * day;
  const customers = people.filter(({ app }) => app === shop);
  for (const [index, { id }] of customers.entries()) {
    if (index % 3 === 0) await givePasskey(service, id, index === 0 ? "MacBook of Ada" : "Phone");
    if (index % 5 === 0) await giveIdentity(service, shop, id);
    if (index % 7 === 0) await giveFactor(service, id);
  }
  const ids = customers.map(({ id }) => id);
  await groups.add(ctx, shop.id, "staff", ids.slice(0, 12), by);
  await groups.add(ctx, shop.id, "editors", ids.slice(0, 3), by);
  const [userId = ""] = ids;
  await userMetadata.patch(ctx, { userId }, { public: { plan: "pro" }, private: { customer: 4711 } }, by);
  const [now, clientId] = [service.clock.now, "wiki"];
  const consent = { userId, clientId, scopes: ["openid", "email"], createdAt: now, updatedAt: now };
  await ctx.storage.write((tx) => saveConsent(tx, consent));
  const found = await logins.list(ctx, ids[4] ?? "", { all: false });
  if (found[0]) await logins.end(ctx, found[0].id, { dryRun: false }, by.actor);
}

const companies =
  "Acme Tools|Bluebird Coffee|Contoso Freight|Delta Printing|Evergreen Foods|Fabrikam Paper|Greta & Söhne|Harbour Logistics";

/** Companies among the shop's customers; the first one has all that its page shows. */
async function foundCompanies(service: TestService, shop: TestApp, people: Person[]): Promise<string> {
  const { ctx } = service.server.app;
  await updateApp(service, shop, {
    settings: { organizations: "on", organizationRoles: ["billing", "buyer"], companySignIn: "on" },
  });
  // One of them is disabled.
  const customers = people.filter(({ app }, at) => app === shop && at !== 6);
  const ids: string[] = [];
  for (const [index, name] of companies.split("|").entries()) {
    service.clock.now = shownAt - (20 - index) * day;
    const owner = customers[index]?.id ?? "";
    const { id } = await organizations.create(ctx, shop, { name, owner }, by);
    const organization = await organizations.named(ctx.storage.reader, shop.id, id);
    for (const [nth, { id: userId }] of customers.slice(index + 1, index + 7 - (index % 4)).entries()) {
      const roles = nth === 0 ? ["admin"] : nth === 1 ? ["billing", "buyer"] : ["member"];
      await members.put(ctx, organization, { userId, roles, adds: true }, by);
    }
    const domain = `${name.toLowerCase().replaceAll(/[^a-z]+/gu, "-")}.example`;
    if (index % 3 === 0) await domains.add(ctx, organization, { domain, join: "ask", isProved: true }, by);
    if (index === 4) await organizations.update(ctx, organization, { disabled: true }, by);
    if (index === 5) await members.remove(ctx, organization, owner, by);
    ids.push(id);
  }
  const [id = ""] = ids;
  const acme = await organizations.named(ctx.storage.reader, shop.id, id);
  service.clock.now = shownAt - 2 * day;
  await domains.add(ctx, acme, { domain: "acme.example" }, by);
  await ctx.storage.write(async (tx) => {
    const claim = await findDomain(tx, { organizationId: id, domain: "acme.example" });
    const answer: DomainAnswer = { result: "missing", reason: null, values: [], isDoubled: false };
    if (claim) await updateDomain(tx, { ...claim, checkedAt: shownAt - hour, nextCheckAt: shownAt + hour, answer });
  });
  await setCompanyProvider(service, acme, customers[0]?.id ?? null);
  const machine = { appId: shop.id, name: "Stock import", kind: "machine", organizationId: id } as const;
  await clients.create(ctx, machine, {}, by);
  return id;
}

/** A provider that fails, because its secret expired there. */
async function setCompanyProvider(
  service: TestService,
  { id, appId }: Organization,
  setterId: string | null,
): Promise<void> {
  const { ctx } = service.server.app;
  const at = shownAt - 9 * day;
  const failing = { failingSince: shownAt - 5 * hour, failedAt: shownAt - hour, failure: "invalid_client" };
  await ctx.storage.write(async (tx) => {
    const encryptedSecret = await ctx.keyring.encrypt(tx, "secret", providerSecretContext({ organizationId: id }));
    const which = { organizationId: id, appId, state: "active", issuer: "https://acme.okta.example" } as const;
    const times = { proofsFrom: at, triedAt: at, worksAt: null, createdAt: at, updatedAt: at, requiredSince: at };
    const rules = { fixedAddresses: false, trustsSecondFactor: null, sessionSeconds: 43_200, failureMailedAt: null };
    const set = { clientId: "0oa1b2c3", encryptedSecret, setterId, setupLinkId: null };
    await saveProvider(tx, { ...which, ...times, ...rules, ...set, ...failing });
  });
}

const accepted = { status: 204, durationMilliseconds: 84, error: null, response: "" };
const refused = {
  status: 503,
  durationMilliseconds: 1204,
  error: "status 503",
  response: "Scheduled maintenance until 18:00",
};

/** Three endpoints, of which one fails; the failing one and one of its deliveries. */
async function deliver(service: TestService, shop: TestApp, forum: TestApp, people: Person[]) {
  const { ctx } = service.server.app;
  const random = seeded(7);
  const events = ["user.created", "user.login", "user.deleted"] as const;
  service.clock.now = shownAt - 60 * day;
  const made = async (app: TestApp, url: string) => await createEndpoint(service, app, { url, events: [...events] });
  const working = await made(shop, "https://shop.northwind.example/hooks/auth");
  const failing = await made(shop, "https://crm.northwind.example/authsvc");
  await made(forum, "https://forum.northwind.example/hooks");
  const began = shownAt - 26 * hour;
  let shown = "";
  await ctx.storage.write(async (tx) => {
    await recordFailure(tx, failing, began);
    for (let index = 0; index < 70; index += 1) {
      const occurredAt = shownAt - 48 * hour + index * 40 * minute;
      const person = people[Math.floor(random() * people.length)];
      const base = {
        kind: events[index % 4 === 0 ? 0 : 1],
        occurredAt,
        userId: person?.id ?? "",
        email: person?.email ?? null,
        authMethod: "password",
        ipAddress: person?.visitor.headers["x-forwarded-for"] ?? null,
        userAgent: null,
        sessionId: null,
        leaseUntil: null,
      };
      for (const endpointId of [working, failing]) {
        const eventId = newId("evt", occurredAt, ctx.random);
        const fails = endpointId === failing && occurredAt >= began;
        const attempts = fails ? Math.min(7, 1 + Math.ceil((shownAt - occurredAt) / (4 * hour))) : 1;
        const isGivenUp = fails && occurredAt < shownAt - 20 * hour;
        const times = Array.from({ length: attempts }, (_, nth) => occurredAt + second + (2 ** nth - 1) * 5 * minute);
        await insertDelivery(tx, {
          ...base,
          endpointId,
          eventId,
          status: isGivenUp ? "failed" : fails ? "waiting" : "delivered",
          attempts,
          history: times.filter((at) => at <= shownAt).map((at) => ({ at, ...(fails ? refused : accepted) })),
          nextAttemptAt: fails && !isGivenUp ? shownAt + (5 + index) * minute : null,
        });
        if (isGivenUp) shown = eventId;
      }
    }
  });
  return { endpointId: failing, eventId: shown };
}

/** Mails that wait, because nothing listens at the mail server's address. */
async function queueMails(service: TestService, shop: TestApp, people: Person[]): Promise<void> {
  const { ctx, storage } = { ctx: service.server.app.ctx, storage: service.server.app.ctx.storage };
  for (const [index, { email, id }] of people.slice(2, 8).entries()) {
    const at = shownAt - (6 - index) * 7 * minute;
    const kind = index % 2 === 0 ? "reset" : "sign-in";
    const queued = resetMail(service, shop.id, { kind, to: email, userId: id, expiresAt: shownAt + hour });
    await storage.write((tx) => mail.enqueue(ctx, tx, queued, at));
  }
  await storage.write(async (tx) => {
    for (const [index, { id: userId }] of people.slice(0, 24).entries()) {
      const [sentAt, kind] = [
        shownAt - (3 + index * index) * hour,
        index % 3 === 0 ? "new-device" : "sign-in",
      ] as const;
      const answer = `250 2.0.0 Ok: queued as 4Z${(7919 * (index + 3)).toString(16).toUpperCase()}`;
      await insertSentMail(tx, { id: newId("mail", sentAt, ctx.random), appId: shop.id, userId, kind, sentAt, answer });
    }
  });
  while (
    (await mail.queue(ctx, { appId: undefined, after: undefined, limit: 50 })).some(({ attempts }) => attempts === 0)
  )
    await new Promise((resolve) => setTimeout(resolve, 100));
}
