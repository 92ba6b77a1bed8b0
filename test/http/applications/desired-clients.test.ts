import { generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import { stateFileText, readStateFile } from "../../../src/upkeep/desired-state/state-file.ts";
import type { DesiredState } from "../../../src/upkeep/desired-state/state-schema.ts";
import * as desiredStates from "../../../src/upkeep/desired-state/service.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;
const secretOf = (tag: string) => `client-secret.0123456789-ABCDEFGHIJ-${tag}`;

/** An application with one client; ids by `tag`, because the tests share a database. */
function shop(tag: string, client: object = {}): DesiredState {
  return {
    version: 1,
    applications: [
      {
        id: `shop_${tag}`,
        name: "My shop",
        singleSignOn: "90m",
        refreshGrace: "1m",
        clients: [
          {
            id: `graphs_${tag}`,
            name: "Graphs",
            redirectUris: ["https://graphs.example/cb"],
            backchannelLogoutUri: "https://graphs.example/logout",
            scopes: ["email", "openid"],
            secrets: [{ value: secretOf(tag) }],
            ...client,
          },
        ],
      },
    ],
  };
}

function statesOf(service: TestService) {
  const { ctx } = service.server.app;
  const plan = async (desired: DesiredState, prune = false) => await desiredStates.plan(ctx, desired, { prune, actor });
  const apply = async (desired: DesiredState, prune = false) => {
    const planned = await plan(desired, prune);
    const changes = await desiredStates.apply(ctx, desired, { prune, actor, planned });
    expect(changes).toEqual(planned);
    return changes;
  };
  return { plan, apply, export: async () => await desiredStates.exportState(ctx) };
}

describeSqliteFirst("a desired state with OpenID Connect clients", (current) => {
  const ctx = () => current().server.app.ctx;

  it("is planned without a trace, applied exactly so, and then finds nothing to do", async () => {
    const states = statesOf(current());
    const planned = await states.plan(shop("a"));
    await expect(clients.get(ctx(), "graphs_a")).rejects.toMatchObject({ code: "CLIENT_NOT_FOUND" });
    expect(planned.map(({ action, kind, name }) => [action, kind, name ?? null])).toEqual([
      ["create", "application", null],
      ["create", "client", "graphs_a"],
      ["create", "clientSecret", "graphs_a"],
    ]);
    expect(JSON.stringify(planned)).not.toContain(secretOf("a"));
    await states.apply(shop("a"));
    expect(await clients.get(ctx(), "graphs_a")).toMatchObject({ appId: "shop_a", scopes: ["openid", "email"] });
    expect(await clientSecrets.liveId(ctx(), "graphs_a", secretOf("a"))).toBeDefined();
    expect(await clientSecrets.listSecrets(ctx(), "graphs_a")).toHaveLength(1);
    const before = await clients.get(ctx(), "graphs_a");
    expect(await states.apply(shop("a"))).toEqual([]);
    expect(await clients.get(ctx(), "graphs_a")).toEqual(before);
    expect(await current().databaseText()).not.toContain(secretOf("a"));
  });

  it("changes what it says and leaves what it does not say", async () => {
    const states = statesOf(current());
    await states.apply(shop("b"));
    const jwk = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
    const changes = await states.apply({
      version: 1,
      applications: [
        {
          id: "shop_b",
          singleSignOn: "off",
          clients: [{ id: "graphs_b", consent: "ask", enabled: false, jwks: { keys: [{ ...jwk }] } }],
        },
      ],
    });
    expect(changes).toMatchObject([
      { kind: "application", fields: [{ field: "singleSignOn", before: "90m", after: "off" }] },
      {
        kind: "client",
        name: "graphs_b",
        fields: [
          { field: "consent", before: "none", after: "ask" },
          { field: "enabled", before: true, after: false },
          { field: "jwks.keys", before: null },
        ],
      },
    ]);
    expect(await clients.get(ctx(), "graphs_b")).toMatchObject({ name: "Graphs", scopes: ["openid", "email"] });
    expect(await clientSecrets.liveId(ctx(), "graphs_b", secretOf("b"))).toBeDefined();
  });

  it("is exported so that a plan of it finds no difference, without a secret", async () => {
    const service = current();
    const states = statesOf(service);
    await states.apply(shop("c", { kind: "native", redirectUris: ["com.example.app:/cb"], secrets: [] }));
    await states.apply(shop("d"));
    const text = stateFileText(await states.export());
    expect(text).not.toContain(secretOf("d"));
    expect(text).toContain("graphs_d");
    const { state } = readStateFile(text, { name: "export", folder: "/", env: {}, protectedPaths: [] });
    expect(await states.plan(state)).toEqual([]);
  });

  it("pruned, deletes the clients that it does not name", async () => {
    const states = statesOf(current());
    await states.apply(shop("e"));
    const { applications = [] } = await states.export();
    const without = applications.map((one) => (one.id === "shop_e" ? { ...one, clients: [] } : one));
    expect(await states.apply({ version: 1, applications: without }, true)).toMatchObject([
      { action: "delete", kind: "client", application: "shop_e", name: "graphs_e" },
    ]);
    await expect(clients.get(ctx(), "graphs_e")).rejects.toMatchObject({ code: "CLIENT_NOT_FOUND" });
    await expect(states.plan(shop("e"))).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("is refused before anything is done, and what is refused is named by its place", async () => {
    const states = statesOf(current());
    await states.apply(shop("f"));
    const place = "applications[0].clients[0]";
    const refused: [client: object, code: string, text: string][] = [
      [{ redirectUris: ["http://a.example/"] }, "INVALID_REQUEST", `${place}.redirectUris[0]: https`],
      [{ scopes: ["openid", "groups"] }, "INVALID_REQUEST", `${place}.scopes[1]: one of`],
      [{ backchannelLogoutUri: "https://10.0.0.1/" }, "INVALID_REQUEST", `${place}.backchannelLogoutUri: `],
      [{ kind: "spa" }, "INVALID_REQUEST", `${place}.kind: cannot change`],
      [{ jwks: { keys: [] } }, "INVALID_REQUEST", `${place}.jwks: 1 to 10 keys`],
      [{ secrets: [{ value: "short" }] }, "INVALID_REQUEST", `${place}.secrets[0].value: 32 to 256`],
      [{ id: "graphs_g", name: undefined }, "INVALID_REQUEST", `${place}.name: needed`],
      [{ id: "shop_f" }, "CONFLICT", `${place}: An application with this id already exists.`],
      [{ id: "graphs_g" }, "CONFLICT", `${place}.secrets[0].value: a secret of another client`],
    ];
    for (const [client, code, text] of refused) {
      const error: unknown = await states.plan(shop("f", client)).catch((thrown: unknown) => thrown);
      const { message, details } = error as { message: string; details: string };
      expect(error).toMatchObject({ code });
      expect(code === "CONFLICT" ? message : details).toContain(text);
    }
    expect((await clients.list(ctx(), "shop_f")).map(({ id }) => id)).toEqual(["graphs_f"]);
  });
});
