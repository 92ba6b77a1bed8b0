import { expect, it } from "vitest";
import { identitiesFor } from "../../../src/companies/identities.ts";
import * as applications from "../../../src/applications/service.ts";
import * as invitations from "../../../src/organizations/invitations.ts";
import { listOwnerless } from "../../../src/organizations/membership-store.ts";
import { findNamed } from "../../../src/organizations/store.ts";
import * as transfer from "../../../src/organizations/transfer.ts";
import { clientSecretOf } from "../../../src/companies/service.ts";
import { findProvider } from "../../../src/organizations/provider/provider-store.ts";
import { companyConfig, storeProvider, useCompanyProvider } from "../../support/company-provider.ts";
import * as users from "../../../src/users/service.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { newEmail } from "../../support/person.ts";
import { describeEachDatabase, updateApp } from "../../support/service.ts";

const day = 86_400_000;
const [mailServer, company] = [await useMailServer(), await useCompanyProvider()];
const byOperator = { actor: { kind: "cli", name: "ada" } } as const;

describeEachDatabase("export and import of organizations", { mail: mailServer.mail, ...companyConfig }, (current) => {
  const having = async () => {
    const service = current();
    const { ctx } = service.server.app;
    const own = await withOrganizations(service);
    const application = await applications.find(ctx, ctx.storage.reader, own.app.id);
    if (!application) throw new Error("no application");
    const put = async (line: object) => await transfer.importLine(ctx, application, line, byOperator);
    const found = async (slug: string) => {
      const row = await findNamed(ctx.storage.reader, application.id, slug);
      if (!row) throw new Error("no organization");
      return row;
    };
    return { ...own, service, ctx, application, put, found };
  };

  it("keeps what was imported without an owner, also after seven days", async () => {
    const { service, ctx, newPerson, put, found } = await having();
    const email = newEmail();
    await newPerson(email);
    await put({ slug: "orphan", name: "Orphan", members: [{ email, roles: ["member"] }] });
    service.clock.advance(8 * day);
    await service.server.app.sweep();
    expect(await found("orphan")).toMatchObject({ name: "Orphan", deletedAt: null });
    expect((await listOwnerless(ctx.storage.reader, { limit: 100 })).map(({ slug }) => slug)).toContain("orphan");
  });

  it("does not take one that had the slug earlier for the one of the file (85)", async () => {
    const { send, newOrganization, put } = await having();
    const { path } = await newOrganization({ slug: "acme" });
    await send("PATCH", path, { slug: "acme-old" });
    await expect(put({ slug: "acme", name: "Foreign", members: [] })).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await send("GET", path)).body).toMatchObject({ slug: "acme-old", name: "Acme" });
  });

  it("has a provider, with its secret only if asked, and imports it without one where it stays", async () => {
    const { app, ctx, newOrganization, put, found } = await having();
    await updateApp(current(), app, { settings: { companySignIn: "on" } });
    const { id, slug } = await newOrganization();
    const { issuer, clientId, secret } = company;
    await storeProvider(current(), { id }, company, { requiredSince: 1, trustsSecondFactor: "amr=mfa" });
    const lineOf = async (withSecrets: boolean) => {
      const lines = await Array.fromAsync(transfer.exported(ctx, app.id, { withSecrets }));
      return lines.map(({ line }) => line).find((line) => line.slug === slug);
    };
    const plain = await lineOf(false);
    const said = { issuer, clientId, trustsSecondFactor: "amr=mfa", sessionSeconds: 43_200, required: true };
    expect(plain?.provider).toMatchObject(said);
    expect(JSON.stringify(plain)).not.toContain(secret);
    const whole = await lineOf(true);
    expect(whole?.provider).toMatchObject({ ...said, clientSecret: secret });

    // The same again changes nothing, and a new one needs the secret.
    expect(await put(plain ?? {})).toMatchObject({ created: false, problems: [] });
    const copied = { ...whole, slug: `${slug}-copy` };
    expect((await put({ ...copied, provider: plain?.provider })).problems.join(" ")).toContain("clientSecret");
    expect(await findProvider(ctx.storage.reader, (await found(copied.slug)).id)).toBeUndefined();
    // Nobody has signed in by it there, so it is not demanded yet.
    expect((await put(copied)).problems.join(" ")).toContain("Nobody has signed in by the provider yet");
    const own = await findProvider(ctx.storage.reader, (await found(copied.slug)).id);
    expect(own).toMatchObject({ issuer, clientId, requiredSince: null });
    expect(own && clientSecretOf(ctx, own)).toBe(secret);
  });

  it("leaves out members without a verified address, and says how many", async () => {
    const { app, ctx, send, newOrganization } = await having();
    const { path, owner, newMember } = await newOrganization();
    await newMember("member");
    const { body: unproven } = await send("POST", "/users", { email: "ceo@big.example" });
    await send("PUT", `${path}/members/${String(unproven["id"])}`, { roles: ["admin"] });
    const [exported] = await Array.fromAsync(transfer.exported(ctx, app.id));
    expect(exported?.leftOut).toBe(1);
    expect(JSON.stringify(exported)).not.toContain("ceo@big.example");
    const { body } = await send("GET", `/users/${owner}`);
    expect(exported?.line.members).toContainEqual({ email: body["email"], roles: ["owner"] });
    expect(exported?.line.members).toHaveLength(2);
  });

  it("names who members are at its provider, and gives nobody the subject of another", async () => {
    const { app, ctx, newPerson, put } = await having();
    const emails = [newEmail(), newEmail()];
    for (const email of emails) await newPerson(email);
    const issuer = "https://id.acme.example";
    const members = emails.map((email, at) => ({
      email,
      roles: ["member"],
      identities: at === 0 ? [{ issuer, subject: "emma", email }] : [{ issuer, subject: "emma" }],
    }));
    await put({ slug: "acme", name: "Acme", members });
    const [exported] = await Array.fromAsync(transfer.exported(ctx, app.id));
    const [first, second] = emails;
    expect(exported?.line.members).toContainEqual({
      email: first,
      roles: ["member"],
      identities: [{ issuer, subject: "emma", email: first }],
    });
    expect(exported?.line.members).toContainEqual({ email: second, roles: ["member"] });
    const person = await users.findByEmail(ctx.storage.reader, app.id, String(first));
    expect(await identitiesFor(ctx, person?.id ?? "")).toMatchObject([
      { organization: "acme", issuer, subject: "emma", email: first },
    ]);
  });

  it("neither enables nor disables one unless the file says so", async () => {
    const { send, newOrganization, put, found } = await having();
    const { path } = await newOrganization({ slug: "acme" });
    const line = { slug: "acme", name: "Acme", members: [] };
    await send("PATCH", path, { disabled: true });
    await put(line);
    expect((await found("acme")).disabledAt).not.toBeNull();
    await put({ ...line, disabled: false });
    expect((await found("acme")).disabledAt).toBeNull();
  });

  it("invites everybody of a large company in one run, and nobody again in the next", async () => {
    const { ctx, put, found } = await having();
    const members = Array.from({ length: 60 }, () => ({ email: newEmail(), roles: ["member"] }));
    const line = { slug: "acme", name: "Acme", members };
    expect(await put(line)).toMatchObject({ created: true, invited: 60, problems: [] });
    const openOnes = async () =>
      (await invitations.list(ctx, await found("acme"), { after: "", limit: 200 })).invitations;
    const first = await openOnes();
    expect(await put(line)).toMatchObject({ created: false, invited: 0, problems: [] });
    expect(await openOnes()).toEqual(first);
    // Other roles are another invitation.
    const [changed] = members;
    expect(await put({ ...line, members: [{ ...changed, roles: ["admin"] }] })).toMatchObject({ invited: 1 });
  });
});
