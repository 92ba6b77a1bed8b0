import { expect, it } from "vitest";
import { withOrganizations } from "../../support/organizations.ts";
import { describeEachDatabase } from "../../support/service.ts";

describeEachDatabase("the limits of organizations", (current) => {
  it("Q1: no row joins two applications, whatever writes it (15)", async () => {
    const service = current();
    const here = await withOrganizations(service);
    const there = await withOrganizations(service);
    const { id: organizationId, owner } = await here.newOrganization();
    const foreigner = await there.newPerson();
    const { storage } = service.server.app.ctx;
    const written = async (
      table: "organizationMembers" | "organizationMemberRoles" | "organizationBlocks" | "organizationSlugs",
      row: Record<string, unknown>,
    ) =>
      await storage.write(async ({ db, tables }) => {
        await db.insert(tables[table]).values({ organizationId, createdAt: 1, joinedBy: "server", ...row } as never);
      });
    for (const appId of [here.app.id, there.app.id])
      await expect(written("organizationMembers", { userId: foreigner, appId })).rejects.toThrow();
    const foreign = { appId: there.app.id, userId: owner };
    await expect(written("organizationMemberRoles", { ...foreign, role: "admin" })).rejects.toThrow();
    await expect(written("organizationBlocks", foreign)).rejects.toThrow();
    await expect(written("organizationSlugs", { ...foreign, slug: "theirs" })).rejects.toThrow();
    await written("organizationMemberRoles", { appId: here.app.id, userId: owner, role: "admin" });
  });
});
