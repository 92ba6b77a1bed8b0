import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import type { Client } from "../../../src/applications/clients/client.ts";
import * as consents from "../../../src/applications/clients/consents.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as resources from "../../../src/applications/resources/service.ts";
import { answer, authsvc } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";
import { openAccount, press } from "../../support/account.ts";
import { signUp, newEmail, Visitor, type Page } from "../../support/person.ts";
import { authorize, authorizeUrl } from "../../support/openid.ts";
import { basic, newParty, post, refreshWith, tokensFor } from "../../support/openid-tokens.ts";
import { by, createResource } from "../../support/resources.ts";
import { describeEachDatabase, type TestService } from "../../support/service.ts";

/** A program that asks, two resources, and a browser on the page that asks for the first. */
async function asked(service: TestService, scope = "openid offline_access read write") {
  const app = await service.createApp();
  const orders = await createResource(service, app, { name: "Acme <orders>" });
  // The same identifier and more: another resource.
  const more = await createResource(service, app, { identifier: `${orders}/more`, name: "Deliveries" });
  const party = await newParty(service, { consent: "ask", name: "Assistant", resources: [orders, more] }, app);
  const visitor = new Visitor();
  const page = await ask({ service, visitor }, party, { resource: orders, scope });
  return { service, app, orders, more, party, visitor, page };
}

async function ask(
  { service, visitor }: { service: TestService; visitor: Visitor },
  { client, email }: { client: Client; email: string },
  request: Record<string, string>,
): Promise<Page> {
  return await visitor.get((await authorize(service, client, { email }, request, visitor)).location.href);
}

const allow = async (visitor: Visitor, page: Page) => await visitor.submit(page, "/step/consent", {});

async function agreed(service: TestService) {
  const at = await asked(service);
  const first = await allow(at.visitor, at.page);
  const code = first.location.searchParams.get("code") ?? "";
  const { party, visitor, more } = at;
  const url = authorizeUrl(service, party.client, { resource: more, scope: "openid read" });
  await allow(visitor, await visitor.get((await visitor.get(url)).location.href));
  const form = { grant_type: "authorization_code", code, redirect_uri: party.client.redirectUris[0] ?? "" };
  const { body } = await post(service, "/oauth2/token", form, basic(party));
  const { sub } = decodeJwt(String(body["access_token"]));
  return { ...at, tokens: body, userId: String(sub) };
}

const given = async ({ service, userId }: { service: TestService; userId: string }) =>
  (await consents.list(service.server.app.ctx, userId)).map((each) => ({
    scopes: each.scopes,
    resources: each.resources.map(({ identifier, scopes }) => [identifier, ...scopes.map(({ name }) => name)]),
  }));

describeEachDatabase("what people allow at a resource", (current) => {
  it("is on the account page and in user consents by name and sentences, each resource apart", async () => {
    const at = await agreed(current());
    const { service, app, orders, visitor, userId, party } = at;
    const { text } = await openAccount(service, app, visitor);
    const shown = text
      .slice(text.indexOf("Programs with access"))
      .replaceAll(/<[^>]*>/gu, " ")
      .replaceAll(/\s+/gu, " ");
    expect(shown).toContain(
      "Who you are: an ID that stays the same Access even while you are away, until you end it It acts for you at Acme &lt;orders&gt;: Read your orders Change your orders It acts for you at Deliveries: Read your orders Allowed",
    );
    expect(shown).not.toContain("https://");
    const place = placeOf(service);
    expect(await answer(["user", "consents", userId], place)).toMatchObject([
      {
        scopes: ["openid", "offline_access"],
        resources: [
          {
            identifier: orders,
            name: "Acme <orders>",
            scopes: [
              { name: "read", sentence: "Read your orders" },
              { name: "write", sentence: "Change your orders" },
            ],
          },
          { name: "Deliveries", scopes: [{ name: "read" }] },
        ],
      },
    ]);
    expect((await authsvc(["user", "consents", userId], place)).stdout).toContain(
      "openid offline_access; Acme <orders>: Read your orders, Change your orders; Deliveries: Read your orders",
    );
    await resources.update(service.server.app.ctx, orders, { scopes: [{ name: "write", sentence: "Write" }] }, by);
    expect(await given(at)).toMatchObject([{ resources: [[orders, "write"], expect.anything()] }]);

    const page = await openAccount(service, app, visitor);
    await press(app, visitor, page, `/programs/${party.client.id}/remove`);
    expect(await given(at)).toEqual([]);
    const url = authorizeUrl(service, party.client, { resource: orders, scope: "openid write" });
    expect((await visitor.get((await visitor.get(url)).location.href)).text).toContain("asks for access");
  });

  it("says of the scope that opens a protected host that the program uses the host as the person", async () => {
    const service = current();
    const app = await service.createApp();
    const scopes = ["forward-auth", "read"].map((name) => ({ name, sentence: `Sentence of ${name}` }));
    const identifier = "https://files.example.com:8443/shared";
    const wiki = await createResource(service, app, { identifier, scopes });
    const party = await newParty(service, { consent: "ask", resources: [wiki] }, app);
    const visitor = new Visitor();
    const page = await ask({ service, visitor }, party, { resource: wiki, scope: "openid forward-auth read" });
    await allow(visitor, page);
    const account = await openAccount(service, app, visitor);
    const programs = account.text.slice(account.text.indexOf("Programs with access"));
    for (const text of [page.text, programs]) {
      expect(text).toContain("Use files.example.com:8443 as you");
      expect(text).toContain("Sentence of read");
      expect(text).not.toContain("Sentence of forward-auth");
    }
  });

  it("C7: ends with the resource: one that is created again is asked for again, and no other is", async () => {
    const at = await agreed(current());
    const { service, app, orders, more, party, visitor } = at;
    const { ctx } = service.server.app;
    await expect(resources.remove(ctx, orders, by)).rejects.toMatchObject({ code: "CONFLICT" });
    await clients.update(ctx, party.client.id, { resources: [more] }, by);
    await resources.remove(ctx, orders, { ...by, dryRun: true });
    expect(await given(at)).toMatchObject([
      {
        resources: [
          [orders, "read", "write"],
          [more, "read"],
        ],
      },
    ]);
    await resources.remove(ctx, orders, by);
    expect(await given(at)).toEqual([{ scopes: ["openid", "offline_access"], resources: [[more, "read"]] }]);
    service.clock.advance(1);
    await createResource(service, app, { identifier: orders });
    await clients.update(ctx, party.client.id, { resources: [orders, more] }, by);
    const silent = async (resource: string) => {
      const url = authorizeUrl(service, party.client, { resource, scope: "openid read", prompt: "none" });
      return (await visitor.get(url)).location.searchParams.get("error");
    };
    expect([await silent(orders), await silent(more)]).toEqual(["consent_required", null]);
  });

  it("is nothing if the program lost the resource before they answered", async () => {
    const { service, orders, party, visitor, page } = await asked(current());
    const { ctx } = service.server.app;
    await clients.update(ctx, party.client.id, { resources: [] }, by);
    const done = await allow(visitor, page);
    expect(done.location.searchParams.has("code")).toBe(false);
    expect((await visitor.get(done.location.href)).text).not.toContain("asks for access");
    await resources.remove(ctx, orders, by);
    expect((await allow(visitor, page)).location.searchParams.has("code")).toBe(false);
  });

  it("is in no token once the resource has lost the scope, also before the code is redeemed", async () => {
    const { service, orders, party, visitor, page } = await asked(current());
    const { location } = await allow(visitor, page);
    const scopes = [{ name: "read", sentence: "Read" }];
    await resources.update(service.server.app.ctx, orders, { scopes }, by);
    const code = location.searchParams.get("code") ?? "";
    const form = { grant_type: "authorization_code", code, redirect_uri: party.client.redirectUris[0] ?? "" };
    const { body } = await post(service, "/oauth2/token", form, basic(party));
    expect([body["scope"], decodeJwt(String(body["access_token"]))["scope"]]).toEqual(["read", "read"]);
    const refreshed = await refreshWith(service, party, String(body["refresh_token"]));
    expect(refreshed.body["scope"]).toBe("read");
  });

  it("does not hold for a later resource, whether they answer before or after the first is deleted", async () => {
    const service = current();
    const app = await service.createApp();
    const { ctx } = service.server.app;
    for (let time = 0; time < 5; time += 1) {
      const orders = await createResource(service, app);
      const party = await newParty(service, { consent: "ask", resources: [orders] }, app);
      const people = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const email = newEmail();
          await signUp(service, app, { email });
          const visitor = new Visitor();
          const request = { resource: orders, scope: "openid read" };
          return { visitor, email, page: await ask({ service, visitor }, { ...party, email }, request) };
        }),
      );
      const deleted = async () => {
        await clients.update(ctx, party.client.id, { resources: [] }, by);
        await resources.remove(ctx, orders, by);
      };
      const [first, second, ...rest] = people.map(
        ({ visitor, page }) =>
          async () =>
            await allow(visitor, page),
      );
      await Promise.all([first?.(), second?.(), deleted(), ...rest.map((act) => act())]);
      service.clock.advance(1);
      await createResource(service, app, { identifier: orders });
      await clients.update(ctx, party.client.id, { resources: [orders] }, by);
      const url = authorizeUrl(service, party.client, { resource: orders, scope: "openid read", prompt: "none" });
      for (const { visitor } of people) {
        const error = (await visitor.get(url)).location.searchParams.get("error");
        // A refused user is not signed in.
        expect(["consent_required", "login_required"]).toContain(error);
      }
    }
  });

  it("is refreshed until the program loses the resource, and a refused refresh uses up nothing", async () => {
    const service = current();
    const app = await service.createApp();
    const orders = await createResource(service, app);
    const party = await newParty(service, { resources: [orders] }, app);
    const { ctx } = service.server.app;
    let { refresh_token: token } = await tokensFor(service, party, {
      resource: orders,
      scope: "openid offline_access read",
    });
    for (let time = 0; time < 5; time += 1) {
      const [{ status, body }] = await Promise.all([
        refreshWith(service, party, token),
        clients.update(ctx, party.client.id, { resources: [] }, by),
      ]);
      if (status === 200) token = String(body["refresh_token"]);
      else expect([status, body["error"]]).toEqual([400, "invalid_target"]);
      expect((await refreshWith(service, party, token)).body["error"]).toBe("invalid_target");
      await clients.update(ctx, party.client.id, { resources: [orders] }, by);
      const again = await refreshWith(service, party, token);
      expect([again.status, again.body["scope"]]).toEqual([200, "read"]);
      token = String(again.body["refresh_token"]);
    }
  });
});
