import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { findProvider, findWaitingProvider } from "../../../src/organizations/provider/provider-store.ts";
import * as doctor from "../../../src/upkeep/doctor/rules.ts";
import { listFailed } from "../../../src/organizations/provider/provider-store.ts";
import { openAccount } from "../../support/account.ts";
import { companyConfig, employee, storeProvider, useCompanyProvider } from "../../support/company-provider.ts";
import { withCompanySignIn } from "../../support/company-sign-in.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizationPages } from "../../support/organizations.ts";
import { describeEachDatabase, updateApp, type TestService } from "../../support/service.ts";

const mailServer = await useMailServer();
const [first, second] = [await useCompanyProvider(), await useCompanyProvider()];
const given = { mail: mailServer.mail, ...companyConfig };
const minutes = 60_000;

/** An owner on the page of their provider; `since`: when a mail made their method, ago. */
async function having(service: TestService, since: number | null = null) {
  const all = await withOrganizationPages(service, { companySignIn: "on" });
  const { userId: owner, visitor, email } = await all.newVisitor();
  const organization = await all.newOrganization({ owner });
  await storeProvider(service, organization, first);
  const { ctx } = service.server.app;
  const mailedMethodAt = since === null ? null : service.clock.now - since;
  await ctx.storage.write(async ({ db, tables: { users } }) => {
    await db.update(users).set({ mailedMethodAt }).where(eq(users.id, owner));
  });
  async function press(fields: Record<string, string>) {
    const { text } = await openAccount(service, all.app, visitor);
    const token = /name="token" value="([^"]+)"/u.exec(text)?.[1] ?? "";
    const url = `${service.url}/organization/provider?app_id=${all.app.id}&organization=${organization.id}`;
    return await visitor.post(url, { token, ...fields });
  }
  const provider = async () => await findProvider(ctx.storage.reader, organization.id);
  const waiting = async () => await findWaitingProvider(ctx.storage.reader, organization.id);
  return { ...all, organization, owner, email, press, provider, waiting, ctx };
}

const fieldsOf = ({ issuer, clientId }: typeof first, clientSecret: string) => {
  return { act: "set", issuer, clientId, clientSecret };
};

describeEachDatabase("a change of an organization's provider", given, (current) => {
  it("and the demand of it are one: what cannot be demanded is not set", async () => {
    const all = await having(current());
    const before = await all.provider();
    const { issuer, clientId, secret: clientSecret } = second;
    const put = { issuer, clientId, clientSecret, required: true };
    expect((await all.send("PUT", `${all.organization.path}/provider`, put)).status).toBe(409);
    expect(await all.provider()).toEqual(before);
    const same = { issuer: first.issuer, clientId: first.clientId, sessionSeconds: 600, required: true };
    expect((await all.send("PUT", `${all.organization.path}/provider`, same)).status).toBe(200);
    expect(await all.provider()).toMatchObject({ sessionSeconds: 600, requiredSince: expect.any(Number) });
  });

  it("by an owner whose method a mail made within a day is another secret of its issuer, and nothing else", async () => {
    const all = await having(current(), 60 * minutes);
    await storeProvider(current(), all.organization, second, { state: "waiting" });
    const [before, waits] = [await all.provider(), await all.waiting()];
    const refused = {
      "another issuer": fieldsOf(second, "new"),
      "another client": { ...fieldsOf(first, "new"), clientId: "client-2" },
      "addresses that are fixed": { ...fieldsOf(first, "new"), fixed: "on" },
      confirm: { act: "confirm", issuer: second.issuer },
      require: { act: "require", required: "on" },
      withdraw: { act: "withdraw" },
      remove: { act: "remove" },
      try: { act: "try" },
      relink: { act: "relink", addresses: all.email },
    };
    for (const [name, fields] of Object.entries(refused))
      expect([name, (await all.press(fields)).status]).toEqual([name, 422]);
    expect([await all.provider(), await all.waiting()]).toEqual([before, waits]);
    expect((await all.press(fieldsOf(first, "another secret"))).status).toBe(303);
    const after = await all.provider();
    expect(after).toMatchObject({ issuer: first.issuer, clientId: first.clientId, proofsFrom: before?.proofsFrom });
    expect(after?.encryptedSecret).not.toBe(before?.encryptedSecret);
    expect(await all.waiting()).toEqual(waits);
  });

  it("by the same owner is open again after a day", async () => {
    const all = await having(current(), 24 * 60 * minutes + 1);
    expect((await all.press({ ...fieldsOf(first, "new"), clientId: "client-2" })).status).toBe(303);
    expect(await all.provider()).toMatchObject({ clientId: "client-2" });
  });

  it("never stands beside a required passkey, whichever comes first", async () => {
    const all = await having(current());
    const { issuer, clientId, secret: clientSecret } = first;
    const put = async () =>
      await all.send("PUT", `${all.organization.path}/provider`, { issuer, clientId, clientSecret });
    for (let round = 0; round < 6; round += 1) {
      await all.send("DELETE", `${all.organization.path}/provider`);
      await updateApp(current(), all.app, { authMethods: { passkey: { required: false } } });
      await updateApp(current(), all.app, { settings: { companySignIn: "on" } });
      const requires = { authMethods: { passkey: { required: true } }, settings: { companySignIn: "off" } } as const;
      const [set, required] = await Promise.all([
        put().then(({ status }) => status < 300),
        updateApp(current(), all.app, requires).then(
          () => true,
          () => false,
        ),
      ]);
      expect([set, required].filter(Boolean)).toHaveLength(1);
      expect((await all.provider()) !== undefined).toBe(set);
    }
  });
});

describeEachDatabase("a provider that nobody came in by", { ...companyConfig, dev: true }, (current) => {
  it("is not tried by a stranger's sign-in: the server cannot demand it yet", async () => {
    const acme = await withCompanySignIn(current(), first, { triedAt: null });
    const { reader } = current().server.app.ctx.storage;
    const tried = async () => (await findProvider(reader, acme.organization.id))?.triedAt ?? null;
    const eve = acme.at("eve");
    expect((await acme.come(eve, employee("eve", eve))).page.status).toBe(403);
    expect(await tried()).toBeNull();
    const put = { issuer: first.issuer, clientId: first.clientId, required: true };
    expect((await acme.send("PUT", `${acme.organization.path}/provider`, put)).status).toBe(409);
    await acme.newcomer("ada");
    expect(await tried()).not.toBeNull();
  });
});

describeEachDatabase("a provider that fails", { ...companyConfig, dev: true }, (current) => {
  it("is in the doctor's findings after the second failure, ten minutes later, until it works", async () => {
    const service = current();
    first.clock = () => service.clock.now;
    const acme = await withCompanySignIn(service, first);
    const { reader } = service.server.app.ctx.storage;
    const said = async () => {
      const rows = (await listFailed(reader, 100)).filter(({ appId }) => appId === acme.app.id);
      return doctor.organizationProviderFindings(rows).map(({ message }) => message);
    };
    const tries = async () => {
      first.secret = "changed-there";
      await acme.pressed(await acme.typed(acme.at("ada")), { sub: "a", email: acme.at("ada") });
    };
    await tries();
    expect(await said()).toEqual([]);
    service.clock.advance(9 * minutes);
    await tries();
    expect(await said()).toEqual([]);
    service.clock.advance(minutes);
    await tries();
    expect(await said()).toEqual([
      expect.stringContaining(`The provider of the organization ${acme.organization.slug}`),
    ]);
    expect((await said()).join(" ")).not.toContain("changed-there");
    first.secret = "s3cret-of-company";
    await acme.pressed(await acme.typed(acme.at("ada")), { sub: "a", email: acme.at("ada") });
    expect(await said()).toEqual([]);
  });
});
