import { decodeJwt } from "jose";
import { beforeEach, expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { openAccount } from "../../support/account.ts";
import { countsOf } from "../../support/activity.ts";
import {
  allowDevice,
  beginOnDevice,
  deviceGrant,
  newDeviceParty,
  poll,
  typeCode,
  wrongCodes,
} from "../../support/devices.ts";
import { freePort } from "../../support/free-port.ts";
import { post } from "../../support/openid-tokens.ts";
import { goodPassword, validate, Visitor } from "../../support/person.ts";
import { until, useReceiver } from "../../support/receiver.ts";
import { by } from "../../support/resources.ts";
import { describeSqliteFirst, describeOnSqlite } from "../../support/service.ts";
import { createEndpoint, localWebhooks } from "../../support/webhooks.ts";

describeOnSqlite("the login of a device", localWebhooks, (current) => {
  const receiver = useReceiver();
  beforeEach(() => {
    receiver.received.length = 0;
  });

  it("is told to webhooks, the audit log and the counters like every other, with the device's place", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const { ctx } = service.server.app;
    const { app, client } = party;
    await createEndpoint(service, app, { url: receiver.url, events: ["user.login", "user.logout"] });
    const before = await countsOf(ctx.storage.reader, app.id);
    const codes = await beginOnDevice(service, party);
    const visitor = new Visitor();
    await allowDevice(service, party, codes, visitor);
    const form = { grant_type: deviceGrant, client_id: client.id, device_code: codes.device_code };
    const { body } = await post(service, "/oauth2/token", form, { "user-agent": "AcmeTV/1" });
    const { sub, sid } = decodeJwt(String(body["access_token"]));
    await until(() => receiver.of("user.login").length === 1);
    const told = { userId: sub, authMethod: "password", userAgent: "AcmeTV/1", sessionId: sid };
    expect(receiver.of("user.login")[0]?.body.data).toMatchObject(told);
    const after = await countsOf(ctx.storage.reader, app.id);
    expect((after["sign-in password"] ?? 0) - (before["sign-in password"] ?? 0)).toBe(1);

    const entries = await audit.list(ctx, { appId: app.id, limit: 100 });
    const details = entries.map(({ action, details }) => ({ action, ...details }));
    expect(details).toContainEqual(expect.objectContaining({ action: "sign-in", device: true }));
    expect(details).toContainEqual(
      expect.objectContaining({ action: "user.login", clientId: client.id, loginId: sid }),
    );

    const account = await openAccount(service, app, visitor);
    expect(account.text).toContain("Acme TV");
    const ended = await visitor.submit(account, `/account/logins/${String(sid)}/end`, {});
    expect(ended.status).toBe(303);
    expect((await validate(service, app, String(body["access_token"]))).status).toBe(401);
    await until(() => receiver.of("user.logout").length === 1);
  });

  it("is ended at the client too, by a logout token", async () => {
    const service = current();
    const party = await newDeviceParty(service);
    const { ctx } = service.server.app;
    await clients.update(ctx, party.client.id, { backchannelLogoutUri: receiver.url }, by);
    const visitor = new Visitor();
    const codes = await beginOnDevice(service, party);
    await allowDevice(service, party, codes, visitor);
    const { body } = await poll(service, party, codes);
    const { sid } = decodeJwt(String(body["access_token"]));
    const account = await openAccount(service, party.app, visitor);
    await visitor.submit(account, `/account/programs/${party.client.id}/remove`, {});
    expect((await validate(service, party.app, String(body["access_token"]))).status).toBe(401);
    await until(() => receiver.received.length === 1);
    const token = new URLSearchParams(String(receiver.received[0]?.text)).get("logout_token") ?? "";
    expect(decodeJwt(token)).toMatchObject({ aud: party.client.id, sid });
  });
});

// A restarted service keeps its address, and with it its issuer.
const port = await freePort();
const sameAddress = { baseUrl: `http://localhost:${port}`, listen: { host: "127.0.0.1", port, tls: undefined } };

describeSqliteFirst("the sign-in of a device", sameAddress, (current, control) => {
  it("N4: a restart gives nobody more tries at user codes", async () => {
    const party = await newDeviceParty(current());
    const codes = await beginOnDevice(current(), party);
    current().clock.advance(60_000 - (current().clock.now % 60_000));
    for (const code of wrongCodes(codes.user_code, 10, true))
      expect((await typeCode(current(), code)).status).toBe(422);
    await control.restart();
    await until(async () => (await fetch(`${current().url}/readyz`).catch(() => undefined))?.ok);
    expect((await typeCode(current(), codes.user_code)).status).toBe(429);
    current().clock.advance(60_000);
    expect((await typeCode(current(), codes.user_code)).status).toBe(303);
  });

  it("continues after a restart between any two of its steps", async () => {
    const visitor = new Visitor();
    const restart = async (): Promise<void> => {
      await control.restart();
      // Until fetch has noticed that its connections to the service that was are closed.
      await until(
        async () =>
          await fetch(`${current().url}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
      );
    };
    const party = await newDeviceParty(current());
    const codes = await beginOnDevice(current(), party);
    await restart();
    expect((await poll(current(), party, codes)).body["error"]).toBe("authorization_pending");
    const form = await visitor.get(codes.verification_uri_complete);
    await restart();
    const entered = await visitor.submit(form, "/device", { code: codes.user_code });
    await restart();
    const page = await visitor.get(entered.location.href);
    const proven = await visitor.submit(page, "/password", {
      email: party.email,
      password: goodPassword,
    });
    const asked = await visitor.get(proven.location.href);
    await restart();
    await visitor.submit(asked, "/step/consent", {});
    await restart();
    current().clock.advance(10_000);
    const { status, body } = await poll(current(), party, codes);
    expect(status).toBe(200);
    await restart();
    expect((await validate(current(), party.app, String(body["access_token"]))).status).toBe(200);
  });
});
