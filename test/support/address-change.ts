import { openAccount, press, proveAt } from "./account.ts";
import type { MailServer, ReceivedMail } from "./mail.ts";
import { codeIn, linkIn, mailTo, newUser } from "./mail-flows.ts";
import { goodPassword, newEmail, Visitor, type Page } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

export type Owner = { app: TestApp; id: string; email: string; visitor: Visitor };

/** A user with a password whose browser has just signed in to the account page. */
export async function ownerOf(service: TestService, app: TestApp, emailVerified = true): Promise<Owner> {
  const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified });
  return { app, id, email, visitor: await signedInAt(service, app, email) };
}

/** Another browser that signs in to the account page. */
export async function signedInAt(service: TestService, app: TestApp, email: string): Promise<Visitor> {
  const visitor = new Visitor();
  await proveAt(visitor, await openAccount(service, app, visitor), email);
  return visitor;
}

const confirmMail = /Confirm your new/u;

/** Asks for a new address, and answers the page that waits for the code, with the mail. */
export async function askFor(
  service: TestService,
  server: MailServer,
  { app, visitor }: Pick<Owner, "app" | "visitor">,
  to = newEmail(),
): Promise<{ to: string; page: Page; mail: ReceivedMail }> {
  // Counted first: the mail may be there before the page.
  const count = server.to(to).filter(({ subject }) => confirmMail.test(subject)).length + 1;
  const form = await openAccount(service, app, visitor, "/email");
  const asked = await press(app, visitor, form, "/account/email", { email: to });
  if (asked.status !== 303) throw new Error(`asking answered ${asked.status}: ${asked.text}`);
  const page = await visitor.get(asked.location.href);
  return { to, page, mail: await mailTo(server, to, count, confirmMail) };
}

/** Changes the address of an account; the new address. */
export async function changeTo(
  service: TestService,
  server: MailServer,
  owner: Pick<Owner, "app" | "visitor">,
  to = newEmail(),
): Promise<string> {
  const { page, mail } = await askFor(service, server, owner, to);
  const done = await press(owner.app, owner.visitor, page, "/email/code", { code: codeIn(mail) });
  if (done.location.searchParams.get("notice") !== "email") throw new Error(`${done.status}: ${done.text}`);
  return to;
}

/** The link that the earlier address got. */
export async function undoLink(server: MailServer, email: string, count = 1): Promise<string> {
  return linkIn(await mailTo(server, email, count, /email address .*was changed$/u));
}

/** Opens a link in a browser of its own, and presses the only button of its page. */
export async function useLink(link: string, visitor = new Visitor()): Promise<Page> {
  const page = await visitor.get(link);
  return page.status === 200 ? await visitor.submit(page, new URL(link).pathname, {}) : page;
}
