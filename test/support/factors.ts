import { createHmac } from "node:crypto";
import { initiate, newEmail, redeem, goodPassword, Visitor, type Page, type Session, type Tokens } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The code of an app at an instant, written from RFC 6238 apart from the service. */
export function codeAt(key: string, at: number): string {
  const bits = [...key.replaceAll(" ", "")]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const secret = Buffer.from((bits.match(/.{8}/gu) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeUInt32BE(Math.floor(at / 30_000), 4);
  const mac = createHmac("sha1", secret).update(counter).digest();
  const start = (mac.at(-1) ?? 0) & 15;
  return ((mac.readUInt32BE(start) % 2 ** 31) % 1_000_000).toString().padStart(6, "0");
}

/** A code that is right in no step around `at`. */
export function wrongCodeAt(key: string, at: number): string {
  const right = [-60_000, -30_000, 0, 30_000, 60_000].map((by) => codeAt(key, at + by));
  for (let number = 0; ; number += 1) {
    const code = String(number).padStart(6, "0");
    if (!right.includes(code)) return code;
  }
}

/** The key that a set-up page shows. */
export function keyIn({ text }: Page): string {
  const key = /<p class="key"[^>]*>([A-Z2-7 ]+)<\/p>/u.exec(text)?.[1];
  if (key === undefined) throw new Error(`no key in ${text.slice(0, 2000)}`);
  return key;
}

/** The recovery codes that a page shows. */
export function codesIn({ text }: Page): string[] {
  return [...text.matchAll(/<li>([A-Z2-7-]{29})<\/li>/gu)].map(([, code = ""]) => code);
}

/** A person with an authenticator app. */
export type Authenticated = { email: string; key: string; codes: string[]; visitor: Visitor };

/** Gives the address and password, and answers the page that comes next. */
export async function firstProof(
  service: TestService,
  app: TestApp,
  email: string,
  { visitor = new Visitor(), extra = {} }: { visitor?: Visitor; extra?: Record<string, unknown> } = {},
): Promise<{ session: Session; visitor: Visitor; page: Page; done: Page }> {
  const session = await initiate(service, app, extra);
  const form = await visitor.get(session.authUrl);
  const done = await visitor.submit(form, "/password", { email, password: goodPassword });
  const page =
    done.status === 303 && done.location.origin === service.url ? await visitor.get(done.location.href) : done;
  return { session, visitor, page, done };
}

/** Signs up where a second factor is required, and sets TOTP up. */
export async function signedUpWithTotp(
  service: TestService,
  app: TestApp,
): Promise<Authenticated & { tokens: Tokens }> {
  const email = newEmail();
  const visitor = new Visitor();
  const session = await initiate(service, app);
  const form = await visitor.get(`${session.authUrl}/create-account`);
  const created = await visitor.submit(form, "/create-account", { email, name: "", password: goodPassword });
  const page = await visitor.get(created.location.href);
  const key = keyIn(page);
  const shown = await visitor.submit(page, "/step/set-up", { code: codeAt(key, service.clock.now) });
  const codes = codesIn(shown);
  const done = await visitor.submit(shown, "/step/continue", {});
  const code = done.location.searchParams.get("code") ?? "";
  return { email, key, codes, visitor, tokens: await redeem(service, app, { session, code }) };
}

/** Sets TOTP up at a sign-in of somebody with a password, where a second factor is required. */
export async function setUpTotp(service: TestService, app: TestApp, email: string): Promise<Authenticated> {
  const { visitor, page } = await firstProof(service, app, email);
  const key = keyIn(page);
  const shown = await visitor.submit(page, "/step/set-up", { code: codeAt(key, service.clock.now) });
  return { email, key, codes: codesIn(shown), visitor };
}

/** Signs in with password and a code, in a step that was not used before. */
export async function signedInWithTotp(
  service: TestService,
  app: TestApp,
  { email, key }: { email: string; key: string },
  {
    visitor = new Visitor(),
    extra = {},
    trust = false,
  }: { visitor?: Visitor; extra?: Record<string, unknown>; trust?: boolean } = {},
): Promise<{ tokens: Tokens; visitor: Visitor }> {
  service.clock.advance(60_000);
  const { session, page } = await firstProof(service, app, email, { visitor, extra });
  const done = await visitor.submit(page, "/step/code", {
    code: codeAt(key, service.clock.now),
    ...(trust ? { trust: "yes" } : {}),
  });
  if (done.status !== 303) throw new Error(`the code was answered ${done.status}: ${done.text.slice(0, 3000)}`);
  const code = done.location.searchParams.get("code") ?? "";
  return { tokens: await redeem(service, app, { session, code }), visitor };
}
