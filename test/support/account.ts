import { goodPassword, type Page, type Visitor } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

export const minutes = 60_000;

/** An address of an app's account page. */
export function accountUrl(service: TestService, app: TestApp, page = "", more = ""): string {
  return `${service.url}/account${page}?app_id=${app.id}${more}`;
}

/** Opens a page of the account, in whatever state the browser is. */
export async function openAccount(service: TestService, app: TestApp, visitor: Visitor, page = ""): Promise<Page> {
  return await visitor.get(accountUrl(service, app, page));
}

/** Presses a button of a page of the account, such as "/logins/end-all". */
export async function press(
  app: TestApp,
  visitor: Visitor,
  page: Page,
  action: string,
  values: Record<string, string> = {},
): Promise<Page> {
  return await visitor.submit(page, `${action}?app_id=${app.id}`, values);
}

/** Follows a redirect to a sign-in, signs in by password, and answers where that leads. */
export async function proveAt(
  visitor: Visitor,
  redirected: Page,
  email: string,
  password = goodPassword,
): Promise<Page> {
  return await visitor.submit(await visitor.get(redirected.location.href), "/password", { email, password });
}
