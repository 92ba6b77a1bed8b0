import { initiate, Visitor, type Page } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

const minute = 60_000;

export function toNextMinute({ clock }: TestService): void {
  clock.advance(minute - (clock.now % minute));
}

/** The sign-in page in a browser of its own, ready for a password. */
export async function openForm(service: TestService, app: TestApp): Promise<{ visitor: Visitor; page: Page }> {
  const visitor = new Visitor();
  return { visitor, page: await visitor.get((await initiate(service, app)).authUrl) };
}

/** A try at a password. `headers`: what an attacker claims beside. */
export async function tryPassword(
  service: TestService,
  app: TestApp,
  email: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<Page> {
  const { visitor, page } = await openForm(service, app);
  return await visitor.submit(page, "/password", { email, password }, headers);
}

/** A try at an account of one's own, with these in the form's fields. */
export async function tryToSignUp(service: TestService, app: TestApp, values: Record<string, string>): Promise<Page> {
  const session = await initiate(service, app);
  const visitor = new Visitor();
  return await visitor.submit(await visitor.get(`${session.authUrl}/create-account`), "/create-account", values);
}

/**
 * A page as a stranger could compare it: without what is random in every page, and the address (of
 * `newEmail`) that was typed.
 */
export function comparable(page: Page): string {
  return page.text
    .replaceAll(/sis_[\w-]{43}/gu, "SESSION")
    .replaceAll(/value="[\w-]{43}"/gu, "TOKEN")
    .replaceAll(/oklch\([^)]*\)/gu, "COLOUR")
    .replaceAll(/person\d+\.\d+@example\.org/gu, "EMAIL");
}

/** As after a hundred wrong passwords in browsers of strangers. */
export async function blockPassword(
  { server, clock }: TestService,
  { id }: { id: string },
  email: string,
): Promise<void> {
  const { keyring, storage } = server.app.ctx;
  const accountDigest = keyring.mac("account", id, email).toString("base64url");
  const blocked = { failures: 100, blockedUntil: clock.now + 3_600_000, admitted: false, updatedAt: clock.now };
  await storage.write(async ({ db, tables }) => {
    const { passwordFailures: rows } = tables;
    const row = { accountDigest, ...blocked };
    await db.insert(rows).values(row).onConflictDoUpdate({ target: rows.accountDigest, set: blocked });
  });
}
