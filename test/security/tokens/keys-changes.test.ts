import { beforeAll, expect, it } from "vitest";
import { answer } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";
import { bearer } from "../../support/methods.ts";
import { call, redeem, refresh, signedUp, signUp, validate, type Tokens } from "../../support/person.ts";
import { addressOf, operations } from "../../support/routes.ts";
import { withApp, describeSqliteFirst, describeOnSqlite, updateApp, type TestApp } from "../../support/service.ts";

/** Fields that somebody would like to set, and names that mean something to JavaScript. */
const wishes = [
  "id",
  "appId",
  "userId",
  "domain",
  "stats",
  "branding",
  "settings",
  "createdAt",
  "emailVerified",
  "email",
  "role",
  "isAdmin",
  "apiKey",
  "constructor",
  "prototype",
  "toString",
  "__proto__",
];

type Json = Record<string, unknown>;

describeOnSqlite("what a body may change", (current) => {
  let app: TestApp;
  let tokens: Tokens;
  let values: Record<string, string>;
  // Forms of OAuth: unknown parameters are ignored there (RFC 6749 §3.2).
  const bodies = operations.flatMap((operation) =>
    operation.body && operation.body.isForm !== true ? [{ ...operation, body: operation.body }] : [],
  );
  beforeAll(async () => {
    app = await current().createApp({ domain: "shop.example", branding: { companyName: "Acme" } });
    await updateApp(current(), app, { settings: { organizations: "on" } });
    tokens = await signedUp(current(), app);
    const owner = String(tokens.user["id"]);
    const organizations = `/applications/${app.id}/organizations`;
    const { body } = await call(current(), "POST", organizations, app.headers, { name: "Acme", owner });
    values = { appId: app.id, orgId: String(body["id"]), userId: owner, domain: "acme.example" };
    await call(current(), "POST", `${organizations}/${values["orgId"]}/domains`, app.headers, {
      domain: values["domain"],
    });
  });

  const send = async ({ method, path, access }: (typeof bodies)[number], body: unknown) => {
    const credential = access.startsWith("user") ? tokens.accessToken : app.apiKey;
    const headers = { ...bearer(credential), "x-service-app-id": app.id };
    return await call(current(), method, addressOf({ path }, values), headers, body);
  };
  const everything = async () => {
    const { db, tables } = current().server.app.ctx.storage.reader;
    return JSON.stringify([
      await db.select().from(tables.applications),
      await db.select().from(tables.users),
      await db.select().from(tables.webhookEndpoints),
    ]);
  };

  it("A4: no body takes a field that is not documented, at any depth, and none pollutes a prototype", async () => {
    const before = await everything();
    expect(bodies.length).toBeGreaterThan(8);
    // Nor does a call without fields ignore what it gets.
    const takeNone = operations.filter(({ method, body }) => method.startsWith("P") && body === undefined);
    expect(takeNone).toEqual([]);
    for (const operation of bodies) {
      const { name: schema, example, fields } = operation.body;
      for (const wish of wishes.filter(
        (name) => !Object.hasOwn(fields, name) && !JSON.stringify(example).includes(`"${name}"`),
      )) {
        // Metadata are free below their two parts.
        const isFree = schema === "MetadataRequest";
        for (const body of withWish(example, wish).slice(0, isFree ? 1 : undefined)) {
          const answered = await send(operation, body);
          expect([operation.id, body, answered.status, answered.body.error?.code]).toEqual([
            operation.id,
            body,
            400,
            "INVALID_REQUEST",
          ]);
          expect(answered.body.error?.details).toMatch(/unknown key/u);
        }
      }
    }
    expect(await everything()).toBe(before);
    for (const name of ["polluted", "isAdmin", "role", "enabled"]) expect(({} as Json)[name]).toBeUndefined();
  });

  it("A4: no field takes a list, an object or a number for a text, nor a text for anything else", async () => {
    const before = await everything();
    for (const operation of bodies) {
      const { example } = operation.body;
      for (const [field, value] of Object.entries<unknown>(example)) {
        const others: unknown[] = [[value], { value }, { toString: "x" }, 7, true, "text", [[]], {}];
        for (const other of others.filter(
          (each) => typeof each !== typeof value || Array.isArray(each) !== Array.isArray(value),
        )) {
          // An object or a list of its own kind may be empty; the rest is not what the field is.
          if (
            typeof value === "object" &&
            typeof other === "object" &&
            other !== null &&
            Array.isArray(other) === Array.isArray(value)
          )
            continue;
          const answered = await send(operation, { ...example, [field]: other });
          expect([operation.id, field, other, answered.status]).toEqual([operation.id, field, other, 400]);
          expect(answered.body.error?.details).toContain(field);
        }
      }
      for (const body of [[example], "text", 7, null, true, []]) {
        const answered = await send(operation, JSON.stringify(body));
        expect([operation.id, body, answered.status]).toEqual([operation.id, body, 400]);
      }
    }
    expect(await everything()).toBe(before);
  });
});

/**
 * A body with the field at its top and in each object below, in the words of JSON: `__proto__` is a
 * key like any other there.
 */
function withWish(example: Json, wish: string): string[] {
  const text = JSON.stringify(example);
  const wished = `"${wish}":{"polluted":true,"isAdmin":true}`;
  return [...text.matchAll(/\{/gu)].map(({ index }) => {
    const rest = text.slice(index + 1);
    return `${text.slice(0, index + 1)}${wished}${rest.startsWith("}") ? "" : ","}${rest}`;
  });
}

describeSqliteFirst("the rotation of an API key", (current) => {
  it("A5: under load no good call is refused, and from a revocation on no call by the old key is taken", async () => {
    const { service, app } = await withApp(current());
    const place = placeOf(service);
    let { apiKey } = app;
    const statuses: number[] = [];
    const stop = new AbortController();
    const begunByNewKey = new Set<number>();
    const load = Array.from({ length: 4 }, async (_, caller) => {
      while (!stop.signal.aborted) {
        if (apiKey !== app.apiKey) begunByNewKey.add(caller);
        const answered = await call(
          service,
          "POST",
          "/auth/initiate",
          { ...bearer(apiKey), "x-service-app-id": app.id },
          { redirectUri: app.redirectUri },
        );
        statuses.push(answered.status);
      }
    });
    const [old] = (await answer(["key", "list", "--app", app.id], place)) as [{ id: string }];
    const rotated = (await answer(["key", "rotate", "--app", app.id, "--overlap", "1h"], place)) as { apiKey: string };
    const both = [];
    for (const key of [app.apiKey, rotated.apiKey])
      both.push((await call(service, "GET", `/applications/${app.id}`, bearer(key))).status);
    expect(both).toEqual([200, 200]);
    // A login of before goes on over the rotation: it belongs to the application, not to the key.
    const { refreshToken, accessToken } = await redeem(service, app, await signUp(service, app));
    apiKey = rotated.apiKey;
    const before = statuses.length;
    // A call by the old key that is still on its way may rightly be refused.
    while (begunByNewKey.size < load.length || statuses.length < before + 20)
      await new Promise((resolve) => setImmediate(resolve));
    await answer(["key", "revoke", old.id], place);
    const refused = await Promise.all(
      Array.from(
        { length: 20 },
        async () => await call(service, "POST", "/auth/initiate", app.headers, { redirectUri: app.redirectUri }),
      ),
    );
    for (const { status, body } of refused) expect([status, body.error?.code]).toEqual([401, "INVALID_API_KEY"]);
    stop.abort();
    await Promise.all(load);
    expect(statuses.length).toBeGreaterThan(40);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(
      (await refresh(service, { ...app, headers: { ...bearer(apiKey), "x-service-app-id": app.id } }, refreshToken))
        .status,
    ).toBe(200);
    expect((await validate(service, app, accessToken)).status).toBe(200);
    expect((await refresh(service, app, refreshToken)).status).toBe(401);
  });
});
