import { expect, it } from "vitest";
import { examine } from "../../../src/upkeep/doctor/service.ts";
import { askFeed } from "../../support/feed.ts";
import { withMemberships } from "../../support/memberships.ts";
import { call } from "../../support/person.ts";
import { describeEachDatabase } from "../../support/service.ts";

describeEachDatabase("a feed that is read without organizations", (current) => {
  it("is named by doctor for a day, for applications that have them", async () => {
    const { ctx } = current().server.app;
    const named = async (): Promise<string[]> => {
      const findings = await examine(ctx, { isQuick: true });
      const warnings = findings.filter(({ check, status }) => check === "organizations" && status !== "ok");
      return warnings.map(({ message }) => /\bapp_\w+/u.exec(message)?.[0] ?? "");
    };
    const without = await current().createApp();
    await askFeed(current(), without);
    const { app } = await withMemberships(current());
    await call(current(), "GET", "/auth/revocations?kinds=organization", app.headers);
    expect(await named()).toEqual([]);
    await askFeed(current(), app);
    await askFeed(current(), app);
    expect(await named()).toEqual([app.id]);
    current().clock.advance(86_400_000);
    expect(await named()).toEqual([]);
  });
});
