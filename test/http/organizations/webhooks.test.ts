import { expect, it } from "vitest";
import * as deliveries from "../../../src/records/webhooks/deliveries.ts";
import { eventKinds } from "../../../src/storage/column-types.ts";
import { withOrganizationPages } from "../../support/organizations.ts";
import { until, useReceiver } from "../../support/receiver.ts";
import { describeSqliteFirst } from "../../support/service.ts";
import { createEndpoint, localWebhooks } from "../../support/webhooks.ts";

describeSqliteFirst("what an application is told of organizations", localWebhooks, (current) => {
  const receiver = useReceiver();

  it("names nobody's network but the person's own, whom an owner's act is about", async () => {
    const service = current();
    const { app, send, newVisitor, newOrganization, act } = await withOrganizationPages(service);
    const [{ userId: owner, visitor }, { userId: bob, visitor: asBob }] = [await newVisitor(), await newVisitor()];
    const { id, path } = await newOrganization({ owner });
    await send("PUT", `${path}/members/${bob}`, { roles: ["admin"] });
    const endpoint = await createEndpoint(service, app, { url: receiver.url, events: [...eventKinds] });
    expect((await act(visitor, id, { act: "name", name: "Renamed" })).status).toBe(303);
    expect((await act(visitor, id, { act: "roles", user: bob, "role.member": "on" })).status).toBe(303);
    expect((await act(asBob, id, { act: "leave" })).status).toBe(303);
    await until(async () => {
      const all = await deliveries.list(service.server.app.ctx, endpoint, { limit: 100 });
      return all.length === 3 && all.every(({ status }) => status === "delivered");
    });
    const told = (event: string) => receiver.of(event).map(({ body }) => body.data);
    const none = { email: null, authMethod: null, ipAddress: null, userAgent: null, sessionId: null };
    expect(told("organization.updated")).toEqual([{ ...none, userId: null, organizationId: id, roles: null }]);
    const changed = { ...none, userId: bob, email: expect.any(String), organizationId: id };
    expect(told("organization.member.updated")).toEqual([{ ...changed, roles: ["member"] }]);
    const left = { ...changed, ipAddress: "127.0.0.1", userAgent: "node", roles: null };
    expect(told("organization.member.removed")).toEqual([left]);
  });
});
