import * as operators from "../../src/operators/service.ts";
import type { OperatorRole } from "../../src/storage/column-types.ts";
import { assertion, attest, newPasskey, type SoftPasskey } from "./authenticator.ts";
import { choose } from "./invites.ts";
import { askedBy, askOptions, post } from "./passkey-ceremonies.ts";
import { newEmail, Visitor, type Page } from "./person.ts";
import type { TestService } from "./service.ts";

export type TestOperator = { id: string; email: string; passkey: SoftPasskey };

/** An operator with a passkey, invited by a link. */
export async function makeOperator(
  service: TestService,
  role: OperatorRole,
  address = newEmail(),
): Promise<TestOperator> {
  const input = { email: address, role, name: null };
  const by = { actor: { kind: "cli", name: "test" } } as const;
  const { id, email, link } = await operators.invite(service.server.app.ctx, input, { link: true }, by);
  const visitor = new Visitor();
  const ceremony = { visitor, page: await choose(link ?? "", "passkey", visitor), form: "/add/passkey" };
  const options = await askOptions(ceremony);
  const passkey = newPasskey("ES256", options.user?.id);
  const done = await post(ceremony, attest(passkey, askedBy(service, options)));
  if (done.status !== 303) throw new Error(`setting up an operator answered ${done.status}: ${done.text}`);
  return { id: id ?? "", email: email ?? "", passkey };
}

/** Follows redirects to the sign-in page, uses the passkey there, and follows on to the console. */
export async function signInTo(
  service: TestService,
  page: Page,
  { passkey }: Pick<TestOperator, "passkey">,
  visitor: Visitor,
): Promise<Page> {
  const signIn = await follow(page, visitor);
  const ceremony = { visitor, page: signIn };
  const options = await askOptions(ceremony);
  return await follow(await post(ceremony, assertion(passkey, askedBy(service, options))), visitor);
}

export async function follow(page: Page, visitor: Visitor): Promise<Page> {
  return page.status === 303 ? await follow(await visitor.get(page.location.href), visitor) : page;
}
