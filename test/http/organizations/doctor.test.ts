import { expect, test } from "vitest";
import * as domains from "../../../src/organizations/domains/service.ts";
import { findDomain, updateDomain } from "../../../src/organizations/domains/store.ts";
import * as organizations from "../../../src/organizations/service.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import { examine } from "../../../src/upkeep/doctor/service.ts";
import type { DomainAnswer } from "../../../src/storage/column-types.ts";
import type { Row } from "../../../src/storage/storage.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { describeEachDatabase } from "../../support/service.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;

describeEachDatabase("doctor", {}, (service) => {
  const ctx = () => service().server.app.ctx;
  const found = async () => (await examine(ctx(), { isQuick: true })).filter(({ check }) => check === "organizations");

  test("names organizations without an owner, and domains that are missing, lost or without an answer", async () => {
    expect(await found()).toEqual([]);
    const { app, newOrganization } = await withOrganizations(service());
    const { id: organizationId, owner } = await newOrganization({ slug: "acme" });
    expect(await found()).toMatchObject([{ status: "ok" }]);
    const organization = await organizations.named(ctx().storage.reader, app.id, organizationId);
    const set = async (domain: string, change: Partial<Row<"organizationDomains">>) => {
      await domains.add(ctx(), organization, { domain }, by);
      await ctx().storage.write(async (tx) => {
        const row = await findDomain(tx, { organizationId, domain });
        if (row) await updateDomain(tx, { ...row, ...change });
      });
    };
    const answer: DomainAnswer = { result: "missing", reason: null, values: ["unknown"], isDoubled: false };
    // Neither is trouble: a claim that waits for its record, and an operator's proof.
    await set("claimed.example", { answer: { ...answer, values: ["unknown"] } });
    await set("vouched.example", { state: "proved", nextCheckAt: null, answer: { ...answer, result: "unknown" } });
    expect(await found()).toMatchObject([{ status: "ok" }]);
    await set("missing.example", { state: "proved", misses: 1 });
    await set("lost.example", { state: "lapsed" });
    await set("silent.example", { answer: { ...answer, result: "unknown", reason: "ESERVFAIL", values: [] } });
    await userAdministration.disable(ctx(), owner, { dryRun: false }, by);
    const messages = (await found()).map(({ message }) => message).join("\n");
    expect(messages).toContain("The organization acme of");
    expect(messages).toContain("no definite answer about the domains of organizations: silent.example (ESERVFAIL).");
    expect(messages).toMatch(/The domain lost\.example .* is lost/u);
    expect(messages).toMatch(/The record of the domain missing\.example .* is missing\./u);
    expect(messages).not.toMatch(/claimed|vouched/u);
  });
});
