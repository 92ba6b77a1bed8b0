import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from "jose";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import type { NewProfileField } from "../../../src/applications/profile-fields.ts";
import * as applications from "../../../src/applications/service.ts";
import { second } from "../../../src/lib/clock.ts";
import * as groups from "../../../src/users/groups/service.ts";
import { ask, createProxy, forProxies, personAt } from "../../support/forward-auth.ts";
import { operator } from "../../support/groups.ts";
import { HostVisitor } from "../../support/host-visitor.ts";
import { call, validate } from "../../support/person.ts";
import { describeOnSqlite, useApp, type TestService } from "../../support/service.ts";

/** Writes what a row has, without the rules of those who may. */
async function setUser({ server }: TestService, userId: string, change: Record<string, unknown>): Promise<void> {
  await server.app.ctx.storage.write(async (tx) => {
    const { users } = tx.tables;
    await tx.db.update(users).set(change).where(eq(users.id, userId));
  });
}

describeOnSqlite("the headers of a 200", forProxies, (service) => {
  const app = useApp(service);

  test("name the person by default, each byte as it is stored after one decoding", async () => {
    const { ctx } = service.server.app;
    const place = await createProxy(service, app);
    const { cookie, userId } = await personAt(service, app, place);
    const name = "Zoë 100 % a,b\u{1f600}";
    const email = "zoë+x@example.com";
    await setUser(service, userId, { name, email, emailVerified: true });
    for (const group of ["staff", "admins"]) {
      await groups.create(ctx, app.id, group, operator);
      await groups.add(ctx, app.id, group, [userId], operator);
    }
    const { status, headers } = await ask(service, "proxy", place.host, { cookie });
    expect(status).toBe(200);
    expect(headers["remote-user"]).toBe(userId);
    expect(headers["remote-name"]).toBe("Zo%C3%AB%20100%20%25%20a,b%F0%9F%98%80");
    expect([headers["remote-name"], headers["remote-email"]].map((value) => decodeURIComponent(String(value)))).toEqual(
      [name, email],
    );
    expect(headers["remote-groups"]).toBe("admins,staff");
  });

  test("take an identity from what only the server writes, and there is none without it", async () => {
    const place = await createProxy(service, app, { headers: [{ name: "X-Employee", from: "private.employee" }] });
    const { cookie, userId } = await personAt(service, app, place);
    const asked = async () => await ask(service, "nginx", place.host, { cookie });
    expect(await asked()).toMatchObject({ status: 403, body: expect.stringContaining("private.employee") as string });
    const path = `/applications/${app.id}/users/${userId}/metadata`;
    for (const [employee, answered] of [
      ["E 7", "E%207"],
      [42, "42"],
      [{ x: 1 }, undefined],
      ["", undefined],
    ] as const) {
      expect((await call(service, "PATCH", path, app.headers, { private: { employee } })).status).toBe(200);
      const answer = await asked();
      expect([answer.status, answer.headers["x-employee"]]).toEqual([answered === undefined ? 403 : 200, answered]);
    }
  });

  test("Y11: take a profile field only while nobody but the server edits it, and it stays so while used", async () => {
    const { ctx } = service.server.app;
    const own = await service.createApp();
    const field = { name: "staff", type: "text", label: { en: "Staff" }, editableBy: "server" } as const;
    const headers = [{ name: "X-Staff", from: "profile.staff" }];
    const edited = async (profileFields: NewProfileField[]) =>
      await applications.update(ctx, own.id, { settings: { profileFields } }, operator.actor);
    const refused = { code: "INVALID_REQUEST", details: expect.stringContaining("staff") as string };
    await expect(createProxy(service, own, { headers })).rejects.toMatchObject(refused);
    await edited([{ ...field, editableBy: "user" }]);
    await expect(createProxy(service, own, { headers })).rejects.toMatchObject(refused);
    await edited([field]);
    const place = await createProxy(service, own, { headers });
    const { cookie, userId } = await personAt(service, own, place);
    const seen = async () => {
      const answer = await ask(service, "proxy", place.host, { cookie });
      return [answer.status, answer.headers["x-staff"]];
    };
    expect(await seen()).toEqual([403, undefined]);
    for (const [staff, answered] of [
      ["E 7", [200, "E%207"]],
      [null, [403, undefined]],
      ["E 8", [200, "E%208"]],
    ] as const) {
      const path = `/applications/${own.id}/users/${userId}`;
      expect((await call(service, "PATCH", path, own.headers, { profile: { staff } })).status).toBe(200);
      expect(await seen()).toEqual(answered);
    }
    for (const fields of [[], [{ ...field, editableBy: "user" as const }]])
      await expect(edited(fields)).rejects.toMatchObject(refused);
    // However it came about: what people write about themselves names nobody.
    await ctx.storage.write(async (tx) => {
      const { applications: rows } = tx.tables;
      const [row] = await tx.db.select().from(rows).where(eq(rows.id, own.id));
      if (!row) throw new Error("no application");
      const settings = {
        ...row.settings,
        profileFields: [{ ...field, askAt: "never", required: false, editableBy: "user" }],
      };
      await tx.db
        .update(rows)
        .set({ settings: settings as typeof row.settings })
        .where(eq(rows.id, own.id));
    });
    service.clock.advance(2 * second);
    expect(await seen()).toEqual([403, undefined]);
  });

  test("stay below 6 KiB beside Authorization: lists are left out first, whole and counted", async () => {
    const { ctx } = service.server.app;
    const place = await createProxy(service, app);
    const { cookie, userId } = await personAt(service, app, place);
    const names = Array.from({ length: 60 }, (_, at) => `g${String(at).padStart(3, "0")}${"x".repeat(60)}`);
    for (const name of names) await groups.create(ctx, app.id, name, operator);
    for (const name of names.slice(0, 50)) await groups.add(ctx, app.id, name, [userId], operator);
    const own = "Bearer " + "y".repeat(8 * 1024 - 7);
    const bytesOf = (headers: Record<string, unknown>) =>
      Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + String(value).length + 4, 0);
    const fits = await ask(service, "proxy", place.host, { cookie, more: [["Authorization", own]] });
    expect(String(fits.headers["remote-groups"]).split(",")).toHaveLength(50);
    expect(fits.headers["authorization"]).toBe(own);
    await setUser(service, userId, { name: "\u00e4".repeat(190), email: `${"e".repeat(60)}@example.com` });
    await groups.add(ctx, app.id, names[59] ?? "", [userId], operator);
    const { client } = await createProxy(service, app, {
      hosts: ["long.example.com"],
      headers: [
        { name: "X-Id", from: "id" },
        ...Array.from({ length: 3 }, (_, at) => ({ name: `X-Groups-${at}`, from: "groups" })),
        { name: "X-Name", from: "name" },
      ],
    });
    const second = await personAt(service, app, { client, host: "long.example.com" });
    for (const name of names.slice(0, 50)) await groups.add(ctx, app.id, name, [second.userId], operator);
    const { headers } = await ask(service, "proxy", "long.example.com", {
      cookie: second.cookie,
      more: [["Authorization", own]],
    });
    expect(headers["x-id"]).toBe(second.userId);
    expect([headers["x-groups-2"], headers["x-groups-2-omitted"]]).toEqual([undefined, "50"]);
    expect([headers["x-groups-1"], headers["x-groups-1-omitted"]]).toEqual([undefined, "50"]);
    expect(headers["x-groups-0"]).toBeDefined();
    expect(bytesOf(headers)).toBeLessThanOrEqual(14 * 1024);
    const over = await ask(service, "proxy", place.host, { cookie, more: [["Authorization", `${own}y`]] });
    expect([over.status, over.headers["authorization"]]).toEqual([200, undefined]);
  });

  test("carry a signed statement, the same for thirty seconds, which is no other token", async () => {
    const { ctx } = service.server.app;
    const headers = [
      { name: "Remote-User", from: "id" },
      { name: "X-Authsvc-Assertion", from: "assertion" },
    ];
    const place = await createProxy(service, app, { headers, hosts: ["signed.example.com:8443"] });
    const { cookie, userId, loginId } = await personAt(service, app, place);
    const asked = async () =>
      String((await ask(service, "nginx", place.host, { cookie })).headers["x-authsvc-assertion"]);
    const first = await asked();
    const keys = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
    const { payload, protectedHeader } = await jwtVerify(first, createLocalJWKSet(keys), {
      issuer: ctx.baseUrl,
      audience: "https://signed.example.com:8443",
      typ: "authsvc-assertion+jwt",
      algorithms: ["ES256"],
      currentDate: new Date(service.clock.now),
    });
    expect(protectedHeader.alg).toBe("ES256");
    expect(payload).toMatchObject({
      sub: userId,
      sid: loginId,
      acr: "urn:authsvc:acr:1",
      groups: [],
      email_verified: false,
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
    service.clock.advance(29 * second);
    expect(await asked()).toBe(first);
    service.clock.advance(second);
    const next = await asked();
    expect(next).not.toBe(first);
    await groups.create(ctx, app.id, "fresh", operator);
    await groups.add(ctx, app.id, "fresh", [userId], operator);
    expect(await asked()).not.toBe(next);
    expect((await validate(service, app, next)).status).toBe(401);
    const bearer: [string, string][] = [["Authorization", `Bearer ${next}`]];
    expect((await ask(service, "nginx", place.host, { more: bearer })).status).toBe(401);
  });

  test("say the same to nobody: a public path has no identity, and a 401 is marked", async () => {
    const place = await createProxy(service, app, { publicPaths: ["/public"], basicChallenge: true });
    const { cookie } = await personAt(service, app, place);
    const open = await ask(service, "proxy", place.host, { path: "/public", cookie });
    expect(open.status).toBe(200);
    expect(Object.keys(open.headers).filter((name) => name.startsWith("remote-"))).toEqual([]);
    const out = await ask(service, "nginx", place.host, { more: [["Sec-Fetch-Mode", "cors"]] });
    expect(out.headers).toMatchObject({
      "authsvc-sign-in": expect.stringContaining(`https://${place.host}/.authsvc/`) as string,
      "cache-control": "no-store",
      "content-type": "application/json; charset=utf-8",
    });
    // nginx would send a challenge of the check beside that of the page.
    expect(out.headers["www-authenticate"]).toBeUndefined();
    const { host } = place;
    for (const proxy of ["nginx", "proxy"] as const) {
      const challenge = async (headers: Record<string, string>) =>
        (await new HostVisitor(service, proxy).open(`https://${host}/`, { headers })).headers.get("www-authenticate");
      expect(await challenge({ "sec-fetch-mode": "cors" })).toBe(`Bearer realm="${host}"`);
      expect(await challenge({ origin: "https://x.example" })).toBe(`Bearer realm="${host}"`);
      expect(await challenge({ accept: "*/*" })).toBe(`Basic realm="${host}"`);
    }
  });
});
