import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as applications from "../../../src/applications/service.ts";
import * as resources from "../../../src/applications/resources/service.ts";
import { authorize, authorizeUrl } from "../../support/openid.ts";
import {
  applicationParty,
  basic,
  codeFor,
  newParty,
  post,
  refreshWith,
  tokensFor,
  type Party,
} from "../../support/openid-tokens.ts";
import { call, Visitor } from "../../support/person.ts";
import { by, createResource, newMachine } from "../../support/resources.ts";
import { describeEachDatabase, describeOnSqlite, type TestService } from "../../support/service.ts";

const all = "openid email offline_access read write";

async function prepared(service: TestService, changes: Partial<NewClient> = {}) {
  const app = await service.createApp();
  const resource = await createResource(service, app, { accessTokenSeconds: 300 });
  const party = await newParty(service, { resources: [resource], ...changes }, app);
  return { service, ctx: service.server.app.ctx, app, resource, party };
}

const introspect = async (service: TestService, party: Pick<Party, "client" | "secret">, token: string) =>
  (await post(service, "/oauth2/introspect", { token }, basic(party))).body;

/** Deletes the resource, lets a day pass, and creates another API with its identifier and other meanings. */
async function replaced({ service, ctx, app, resource, party }: Awaited<ReturnType<typeof prepared>>, wait = 1000) {
  await clients.update(ctx, party.client.id, { resources: [] }, by);
  await resources.remove(ctx, resource, by);
  service.clock.advance(wait);
  await createResource(service, app, {
    identifier: resource,
    name: "Another API",
    scopes: [{ name: "read", sentence: "Read your medical files" }],
  });
  await clients.update(ctx, party.client.id, { resources: [resource] }, by);
}

describeOnSqlite("F2: a resource that was deleted and created again", (current) => {
  it("does not give a person's old access token back its life", async () => {
    const given = await prepared(current());
    const { access_token: token } = await tokensFor(given.service, given.party, {
      resource: given.resource,
      scope: all,
    });
    await replaced(given);
    expect(await introspect(given.service, given.party, token)).toEqual({ active: false });
  });

  it("does not give a machine's old access token back its life", async () => {
    const service = current();
    const machine = await newMachine(service);
    const { ctx } = service.server.app;
    const form = { grant_type: "client_credentials", resource: machine.resource };
    const { body } = await post(service, "/oauth2/token", form, basic(machine));
    await clients.update(ctx, machine.client.id, { resources: [] }, by);
    await resources.remove(ctx, machine.resource, by);
    expect(await introspect(service, machine, String(body["access_token"]))).toEqual({ active: false });
    service.clock.advance(1000);
    await createResource(service, machine.app, { identifier: machine.resource });
    expect(await introspect(service, machine, String(body["access_token"]))).toEqual({ active: false });
  });

  it("is not refreshed by the logins of the old one", async () => {
    const given = await prepared(current());
    const tokens = await tokensFor(given.service, given.party, { resource: given.resource, scope: all });
    await replaced(given);
    const { status } = await refreshWith(given.service, given.party, tokens.refresh_token);
    expect(status).toBe(400);
  });

  it("asks for consent, because nobody has seen its sentences", async () => {
    const given = await prepared(current(), { consent: "ask" });
    const { service, party, resource } = given;
    const visitor = new Visitor();
    const asked = { resource, scope: "openid read" };
    const proven = await authorize(service, party.client, party, asked, visitor);
    await visitor.submit(await visitor.get(proven.location.href), "/step/consent", {});
    await replaced(given);
    const answer = await visitor.get(authorizeUrl(service, party.client, { ...asked, prompt: "none" }));
    expect(answer.location.searchParams.get("error")).toBe("consent_required");
  });
});

describeOnSqlite("F3: what is taken away between the request and the code", (current) => {
  it("a scope that the client lost is not in the first token", async () => {
    const { service, ctx, resource, party } = await prepared(current());
    const form = await codeFor(service, party, { resource, scope: all });
    await clients.update(ctx, party.client.id, { resourceScopes: ["read"] }, by);
    const { status, body } = await post(service, "/oauth2/token", form, basic(party));
    expect([status, body["scope"]]).toEqual([200, "read"]);
  });

  it("a scope that the resource lost while the consent page was open is not in the first token", async () => {
    const { service, ctx, resource, party } = await prepared(current(), { consent: "ask" });
    const visitor = new Visitor();
    const proven = await authorize(service, party.client, party, { resource, scope: all }, visitor);
    await resources.update(ctx, resource, { scopes: [{ name: "read", sentence: "Read your orders" }] }, by);
    const page = await visitor.get(proven.location.href);
    // Not shown …
    expect(page.text).not.toContain("Change your orders");
    const code = (await visitor.submit(page, "/step/consent", {})).location.searchParams.get("code") ?? "";
    const redirect_uri = party.client.redirectUris[0] ?? "";
    const { body } = await post(
      service,
      "/oauth2/token",
      { grant_type: "authorization_code", code, redirect_uri },
      basic(party),
    );
    // … and so neither granted …
    expect(decodeJwt(String(body["access_token"])).scope).toBe("read");
    // … nor agreed to, once it is back.
    await resources.update(
      ctx,
      resource,
      {
        scopes: [
          { name: "read", sentence: "Read your orders" },
          { name: "write", sentence: "Change your orders" },
        ],
      },
      by,
    );
    const again = await visitor.get(
      authorizeUrl(service, party.client, { resource, scope: "openid write", prompt: "none" }),
    );
    expect(again.location.searchParams.get("error")).toBe("consent_required");
  });
});

describeEachDatabase("F4: a client and the deletion of its resource at once", (current) => {
  it("never leave a client that lists a resource which is not there", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const app = await service.createApp();
    const dangling: string[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const resource = await createResource(service, app);
      const input = { appId: app.id, name: "M", kind: "machine" as const, resources: [resource] };
      const [created] = await Promise.allSettled([
        clients.create(ctx, input, {}, by),
        resources.remove(ctx, resource, by),
      ]);
      const there = await resources.get(ctx, resource).then(
        () => true,
        () => false,
      );
      if (created.status === "fulfilled" && !there) dangling.push(resource);
    }
    expect(dangling).toEqual([]);
  });

  it("the same for a client that is changed", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const machine = await newMachine(service);
    const dangling: string[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const resource = await createResource(service, machine.app);
      const [changed] = await Promise.allSettled([
        clients.update(ctx, machine.client.id, { resources: [resource] }, by),
        resources.remove(ctx, resource, by),
      ]);
      const there = await resources.get(ctx, resource).then(
        () => true,
        () => false,
      );
      if (changed.status === "fulfilled" && !there) dangling.push(resource);
      await clients.update(ctx, machine.client.id, { resources: [machine.resource] }, by);
    }
    expect(dangling).toEqual([]);
  });
});

describeOnSqlite("F5: an empty resource counts as omitted", (current) => {
  it("beside another one too, at PAR and the token endpoint as at the authorization endpoint", async () => {
    const { service, resource, party } = await prepared(current());
    const asked: [string, string][] = [
      ["resource", ""],
      ["resource", resource],
    ];
    const url = `${authorizeUrl(service, party.client)}&${new URLSearchParams(asked).toString()}`;
    const answer = await fetch(url, { redirect: "manual" });
    expect(new URL(answer.headers.get("location") ?? "", service.url).searchParams.get("error")).toBeNull();
    const form = [...new URL(authorizeUrl(service, party.client)).searchParams, ...asked];
    const pushed = await post(service, "/oauth2/par", form as [string, string][], basic(party));
    expect([pushed.status, pushed.body["error"]]).toEqual([201, undefined]);
    const machine = await newMachine(service);
    const { status } = await post(
      service,
      "/oauth2/token",
      [
        ["grant_type", "client_credentials"],
        ["resource", ""],
        ["resource", machine.resource],
      ],
      basic(machine),
    );
    expect(status).toBe(200);
  });
});

describeOnSqlite("F9: introspection by a program of other people", (current) => {
  it("tells it no private metadata, for a resource as for the application", async () => {
    const { service, ctx, app, resource, party } = await prepared(current());
    const claims = [{ claim: "salary", from: "private.salary", in: ["access" as const] }];
    await applications.update(ctx, app.id, { claims }, by.actor);
    const others = await newParty(service, { consent: "ask" }, app);
    const plain = await tokensFor(service, party, { scope: "openid" });
    const ofResource = await tokensFor(service, party, { resource, scope: all });
    const { sub } = decodeJwt(plain.access_token);
    const path = `/applications/${app.id}/users/${sub}/metadata`;
    const changed = await call(service, "PATCH", path, app.headers, { private: { salary: 1 } });
    expect([changed.status, changed.body]).toEqual([200, changed.body]);
    expect((await introspect(service, party, plain.access_token))["salary"]).toBe(1);
    expect((await introspect(service, others, plain.access_token))["salary"]).toBeUndefined();
    expect((await introspect(service, others, ofResource.access_token))["salary"]).toBeUndefined();
  });
});

describeOnSqlite("F10: a refresh token of a deleted resource", (current) => {
  it("is inactive, because it gets nothing", async () => {
    const { service, ctx, resource, party } = await prepared(current());
    const { refresh_token: token } = await tokensFor(service, party, { resource, scope: all });
    await clients.update(ctx, party.client.id, { resources: [] }, by);
    await resources.remove(ctx, resource, by);
    expect(await introspect(service, party, token)).toEqual({ active: false });
  });
});

describeOnSqlite("F6: errors that the specification names", (current) => {
  it("the application as its own client gets unauthorized_client, as other clients do", async () => {
    const { service, app, resource } = await prepared(current());
    await newMachine(service, {}, app);
    service.clock.advance(2000);
    const itself = await applicationParty(service, app);
    const form = { grant_type: "client_credentials", resource };
    const { status, body } = await post(service, "/oauth2/token", form, basic(itself));
    expect([status, body["error"]]).toEqual([400, "unauthorized_client"]);
  });

  it("revocation says the same about a foreign machine's token as about an unknown one", async () => {
    const service = current();
    const machine = await newMachine(service);
    const stranger = await newParty(service);
    const form = { grant_type: "client_credentials", resource: machine.resource };
    const token = String((await post(service, "/oauth2/token", form, basic(machine))).body["access_token"]);
    const unknown = await post(service, "/oauth2/revoke", { token: "x" }, basic(stranger));
    const foreign = await post(service, "/oauth2/revoke", { token }, basic(stranger));
    expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
  });
});
