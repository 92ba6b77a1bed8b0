/**
 * The first proof of an address. Earlier credentials and logins may belong to an attacker who waits
 * for the owner (pre-hijacking). The owner is shown what will be removed.
 */
import { countConsents, deleteConsentsOf } from "../../applications/clients/consents-store.ts";
import { digestOf } from "../../lib/random.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { companyHostsOf, deleteCompanyIdentities } from "../../organizations/provider/identity-store.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import * as ends from "../../sessions/login-ends.ts";
import type { Handle } from "../../storage/storage.ts";
import type { User } from "../../users/user.ts";
import * as factors from "../../factors/service.ts";
import * as methods from "../methods/service.ts";
import { deletePasskeysOfUser } from "../passkeys/store.ts";
import { deletePasswordsOfUser } from "../passwords/store.ts";
import { deleteIdentitiesOfUser } from "./identity-store.ts";

/**
 * What was added to an account without proving its address. `providers`: their names without
 * duplicates. `companies`: hosts of organizations' providers. `programs`: the number with a
 * consent. `mark`: identifies what of these a form's page listed.
 */
export type Unproven = {
  password: boolean;
  passkeys: number;
  providers: string[];
  companies: string[];
  app: boolean;
  programs: number;
  logins: number;
  mark: string;
};

/** What `removeUnproven` would remove; undefined if nothing. */
export async function unprovenOf(ctx: Context, handle: Handle, userId: string): Promise<Unproven | undefined> {
  const methodsBefore = await methods.list(handle, userId);
  const { hasTotp, setUpAt } = await factors.factsOf(handle, userId);
  const companies = await companyHostsOf(handle, userId);
  const programs = await countConsents(handle, userId);
  const logins = await ends.countLive(handle, userId, ctx.clock());
  if (methodsBefore.length + companies.length + programs + logins === 0 && !hasTotp) return undefined;
  const providers = methodsBefore.flatMap((method) => (method.type === "oauth" ? [method.provider] : []));
  return {
    password: methodsBefore.some(({ type }) => type === "password"),
    passkeys: methodsBefore.filter(({ type }) => type === "passkey").length,
    providers: [...new Set(providers)],
    companies,
    app: hasTotp,
    programs,
    logins,
    // Without programs and logins: anyone who knows the password could keep adding new ones.
    mark: digestOf(
      [...methodsBefore.map(({ id }) => id).toSorted(), ...(hasTotp ? [`totp ${setUpAt}`] : []), ...companies].join(
        " ",
      ),
    ),
  };
}

/** Lock the user first. */
export async function removeUnproven(
  ctx: Context,
  tx: Handle,
  user: User,
  { by, source }: { by: "linking" | "mail"; source: RequestSource },
  now: number,
): Promise<void> {
  const { id: userId, appId } = user;
  const actor = { kind: "service", name: by } as const;
  await deletePasswordsOfUser(tx, userId);
  await deletePasskeysOfUser(tx, userId);
  await deleteIdentitiesOfUser(tx, userId);
  await deleteCompanyIdentities(tx, userId);
  await factors.removeFrom(ctx, tx, { user, by: { actor, source } }, now);
  await deleteConsentsOf(tx, userId);
  const end = { reason: "address-proven", by: { actor, source } } as const;
  const endedLogins = await ends.endAccess(ctx, tx, userId, end, now);
  const event = { actor, action: "user.address-proven", result: "success", appId, userId, source } as const;
  await audit.record(ctx, tx, { ...event, details: { endedLogins } }, now);
}
