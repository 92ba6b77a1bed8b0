import { expect, it } from "vitest";
import * as provider from "../../../src/organizations/provider/service.ts";
import { asMember, type Acting } from "../../../src/organizations/organization.ts";
import * as organizations from "../../../src/organizations/service.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { describeEachDatabase, type TestService } from "../../support/service.ts";

const server: Acting = { actor: { kind: "cli", name: "test" } };

async function having(service: TestService) {
  const all = await withOrganizations(service, { companySignIn: "on" });
  const made = await all.newOrganization();
  const { ctx } = service.server.app;
  const organization = await organizations.named(ctx.storage.reader, all.app.id, made.id);
  return { ...all, ...made, ctx, organization, asOwner: asMember(made.owner) };
}

const input = { issuer: "https://login.acme.example", clientId: "client", clientSecret: "a secret" };

describeEachDatabase("the provider of an organization", {}, (current) => {
  it("works at once if the server sets it, and never shows its secret", async () => {
    const { ctx, organization } = await having(current());
    const set = await provider.set(ctx, organization, input, server);
    expect(set.provider).toMatchObject({ issuer: input.issuer, clientId: "client", sessionSeconds: 43_200 });
    expect(set.waiting).toBeNull();
    expect(JSON.stringify(set)).not.toContain("a secret");
    expect(set.callbackUrl).toBe(`${ctx.baseUrl}/oauth/${organization.id}/callback`);
  });

  it("of an owner waits until it was tried", async () => {
    const { ctx, organization, asOwner } = await having(current());
    const set = await provider.set(ctx, organization, input, asOwner);
    expect([set.provider, set.waiting?.issuer]).toEqual([null, input.issuer]);
    await expect(provider.confirm(ctx, organization, input, asOwner)).rejects.toMatchObject({ code: "CONFLICT" });
  });
});
