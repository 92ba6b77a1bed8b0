import { expect } from "vitest";
import type { Client } from "../../src/applications/clients/client.ts";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import { post } from "./openid-tokens.ts";
import { createTestClient } from "./openid.ts";
import { goodPassword, newEmail, signUp, Visitor, type Page } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
export const allScopes = "openid profile email offline_access";

/** A client of kind `device`, and somebody who can sign in to its application. */
export type DeviceParty = { app: TestApp; client: Client; email: string };

export async function newDeviceParty(
  service: TestService,
  changes: Partial<NewClient> = {},
  owner?: TestApp,
): Promise<DeviceParty> {
  const app = owner ?? (await service.createApp());
  const email = newEmail();
  await signUp(service, app, { email, name: "Ada" });
  const client = await createTestClient(service, app, {
    kind: "device",
    redirectUris: [],
    name: "Acme TV",
    ...changes,
  });
  return { app, client, email };
}

export type DeviceCodes = Record<
  "device_code" | "user_code" | "verification_uri" | "verification_uri_complete",
  string
> & { expires_in: number; interval: number };

/** What a device is told when it begins a sign-in. */
export async function beginOnDevice(
  service: TestService,
  { client }: { client: Pick<Client, "id"> },
  form: Record<string, string> = {},
): Promise<DeviceCodes> {
  const fields = { client_id: client.id, scope: allScopes, ...form };
  const { status, body } = await post(service, "/oauth2/device_authorization", fields);
  if (status !== 200) throw new Error(`device_authorization answered ${status}: ${JSON.stringify(body)}`);
  return body as DeviceCodes;
}

export async function poll(
  service: TestService,
  { client }: { client: Pick<Client, "id"> },
  { device_code }: Pick<DeviceCodes, "device_code">,
  form: Record<string, string> = {},
) {
  return await post(service, "/oauth2/token", { grant_type: deviceGrant, client_id: client.id, device_code, ...form });
}

/** Types a code at `/device`, and returns the answer. */
export async function typeCode(service: TestService, code: string, visitor = new Visitor()): Promise<Page> {
  const page = await visitor.get(`${service.url}/device`);
  return await visitor.submit(page, "/device", { code });
}

/** Types the code, signs in by password, and stops at the page that asks. */
export async function openDecision(
  service: TestService,
  { email }: { email: string },
  { user_code }: Pick<DeviceCodes, "user_code">,
  visitor = new Visitor(),
): Promise<Page> {
  const entered = await typeCode(service, user_code, visitor);
  if (entered.status !== 303) throw new Error(`the code was refused: ${entered.status}`);
  const page = await visitor.get(entered.location.href);
  const proven = await visitor.submit(page, "/password", { email, password: goodPassword });
  return await visitor.get(proven.location.href);
}

/** The person allows the device to sign in. */
export async function allowDevice(
  service: TestService,
  party: { email: string },
  codes: Pick<DeviceCodes, "user_code">,
  visitor = new Visitor(),
): Promise<Page> {
  const page = await openDecision(service, party, codes, visitor);
  const done = await visitor.submit(page, "/step/consent", {});
  return await visitor.get(done.location.href);
}

/** The tokens of a device whose person allowed it. */
export async function deviceTokens(service: TestService, party: DeviceParty, form: Record<string, string> = {}) {
  const codes = await beginOnDevice(service, party, form);
  await allowDevice(service, party, codes);
  const { status, body } = await poll(service, party, codes);
  if (status !== 200) throw new Error(`the token endpoint answered ${status}: ${JSON.stringify(body)}`);
  return { ...(body as Record<"access_token" | "refresh_token" | "id_token", string>), codes };
}

export const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ";

/** Codes that differ from `code` in their second half, or (`far`) in both. */
export function wrongCodes(code: string, count: number, far = false): string[] {
  const [first = "", second = ""] = code.split("-");
  const shifted = (text: string, by: number) =>
    [...text]
      .map((letter) => userCodeLetters.charAt((userCodeLetters.indexOf(letter) + by) % userCodeLetters.length))
      .join("");
  const seconds = Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const moved = shifted(second.charAt(0), number % 19 || 19) + shifted(second.charAt(1), Math.floor(number / 19));
    return moved + second.slice(2);
  });
  return seconds.map((half) => `${far ? shifted(first, 1) : first}-${half}`);
}

/** Tries so many wrong codes in a minute from one network, then the right one. */
export async function guessUserCodes(service: TestService, count: number): Promise<void> {
  const codes = await beginOnDevice(service, await newDeviceParty(service));
  const visitor = new Visitor({ "x-forwarded-for": "198.51.100.7" });
  const page = await visitor.get(`${service.url}/device`);
  const type = async (code: string) => await visitor.submit(page, "/device", { code });
  service.clock.advance(60_000 - (service.clock.now % 60_000));
  const answers: number[] = [];
  for (const code of wrongCodes(codes.user_code, count, true)) answers.push((await type(code)).status);
  expect(answers.filter((status) => status === 422)).toHaveLength(10);
  expect(answers.filter((status) => status === 429)).toHaveLength(count - 10);
  const limited = await type(codes.user_code);
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(limited.text).toContain("Too many attempts");
  const other = new Visitor({ "x-forwarded-for": "198.51.100.8" });
  expect((await typeCode(service, codes.user_code, other)).status).toBe(303);
  service.clock.advance(60_000);
  expect((await type(codes.user_code)).status).toBe(303);
}
