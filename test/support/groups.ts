import * as applications from "../../src/applications/service.ts";
import type { ApplicationClaim } from "../../src/storage/column-types.ts";
import { call, signedUp } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

export const operator = { actor: { kind: "cli", name: "test" } } as const;

/** Somebody who has signed in to a new application, and that application's own calls. */
export async function withMember(service: TestService, app?: TestApp) {
  const own = app ?? (await service.createApp());
  const { user, accessToken, refreshToken } = await signedUp(service, own);
  const userId = String(user["id"]);
  const base = `/applications/${own.id}`;
  const send = async (method: string, path: string, body?: unknown) =>
    await call(service, method, `${base}${path}`, own.headers, body);
  return {
    app: own,
    userId,
    email: String(user["email"]),
    accessToken,
    refreshToken,
    send,
    join: async (name: string) => {
      await send("PUT", `/groups/${name}`);
      return await send("PUT", `/groups/${name}/members/${userId}`);
    },
    leave: async (name: string) => await send("DELETE", `/groups/${name}/members/${userId}`),
    patch: async (change: unknown) => await send("PATCH", `/users/${userId}/metadata`, change),
  };
}

/** Sets an application's claims. A running service notices within a second. */
export async function setClaims(service: TestService, app: TestApp, claims: ApplicationClaim[]): Promise<void> {
  await applications.update(service.server.app.ctx, app.id, { claims }, operator.actor);
  service.clock.advance(1000);
}
