import { openAccount, press } from "./account.ts";
import { ownerOf, type Owner } from "./address-change.ts";
import { codeAt, codesIn, keyIn } from "./factors.ts";
import { goodPassword, type Page, type Visitor } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

/** Sets an app up, or replaces it, where the proof is fresh. */
export async function setUpAt(
  service: TestService,
  app: TestApp,
  { visitor }: Pick<Owner, "visitor">,
): Promise<{ key: string; codes: string[]; shown: Page; form: Page }> {
  const form = await openAccount(service, app, visitor, "/factor");
  const key = keyIn(form);
  const shown = await press(app, visitor, form, "/account/factor", { code: codeAt(key, service.clock.now) });
  return { key, codes: codesIn(shown), shown, form };
}

/** Gives the password where `redirected` leads; the page that comes next. */
export async function passwordAt(visitor: Visitor, redirected: Page, email: string): Promise<Page> {
  const form = await visitor.get(redirected.location.href);
  const done = await visitor.submit(form, "/password", { email, password: goodPassword });
  return await visitor.get(done.location.href);
}

/** The same with a code of the app, in a step that was not used before, or with a recovery code. */
export async function proveBoth(
  service: TestService,
  visitor: Visitor,
  redirected: Page,
  { email, key, code }: { email: string; key: string; code?: string },
): Promise<Page> {
  service.clock.advance(60_000);
  const asked = await passwordAt(visitor, redirected, email);
  const done = await visitor.submit(asked, "/step/code", { code: code ?? codeAt(key, service.clock.now) });
  if (done.status !== 303) throw new Error(`the code was answered ${done.status}: ${done.text}`);
  if (code === undefined) return await visitor.get(done.location.href);
  const left = await visitor.get(done.location.href);
  const gone = await visitor.submit(left, "/step/continue", {});
  return await visitor.get(gone.location.href);
}

/** Somebody with an app, who has just proven both factors to the account page. */
export async function personWithFactor(
  service: TestService,
  app: TestApp,
): Promise<Owner & { key: string; codes: string[] }> {
  const owner = await ownerOf(service, app);
  const { email, visitor } = owner;
  const { key, codes } = await setUpAt(service, app, { visitor });
  await proveBoth(service, visitor, await openAccount(service, app, visitor, "/factor"), { email, key });
  return { ...owner, key, codes };
}
