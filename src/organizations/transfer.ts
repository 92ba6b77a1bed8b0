/** Organizations as lines of JSON: with their members, never with invitations. */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Application } from "../applications/application.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { canonicalEmail } from "../lib/email.ts";
import type { Context } from "../runtime/context.ts";
import { secondFactorPolicies } from "../storage/column-types.ts";
import * as users from "../users/service.ts";
import { findNotEnded } from "./invitation-store.ts";
import * as invitations from "./invitations.ts";
import * as members from "./members.ts";
import { listMembers } from "./membership-store.ts";
import { organizationAnswer, type Acting, type Organization } from "./organization.ts";
import * as organizations from "./service.ts";
import { findProvider } from "./provider/provider-store.ts";
import type { OrganizationProvider } from "./provider/provider.ts";
import { insertIdentity, listIdentitiesOfMembers, type OrganizationIdentity } from "./provider/identity-store.ts";
import * as provider from "../companies/service.ts";
import { findNamed, listOrganizations } from "./store.ts";

const pageSize = 200;

const isText = "required, a string";
const lineSchema = z.strictObject({
  slug: z.string(isText),
  name: z.string(isText),
  secondFactor: z.enum(secondFactorPolicies, `must be one of ${secondFactorPolicies.join(", ")}`).optional(),
  maxMembers: z.number("must be a number or null").nullable().optional(),
  publicMetadata: z.record(z.string(), z.unknown(), "must be a JSON object").optional(),
  disabled: z.boolean("must be a boolean").optional(),
  provider: z
    .strictObject({
      issuer: z.string(isText),
      clientId: z.string(isText),
      clientSecret: z.string("must be a string").optional(),
      fixedAddresses: z.boolean("must be a boolean").optional(),
      trustsSecondFactor: z.string("must be a string or null").nullable().optional(),
      sessionSeconds: z.number("must be a number").optional(),
      required: z.boolean("must be a boolean").optional(),
    })
    .optional(),
  members: z.array(
    z.strictObject({
      email: z.string(isText),
      roles: z.array(z.string("must be a string"), "required, a list"),
      providerExempt: z.boolean("must be a boolean").optional(),
      identities: z
        .array(
          z.strictObject({ issuer: z.string(isText), subject: z.string(isText), email: z.string(isText).optional() }),
          "must be a list",
        )
        .optional(),
    }),
    "required, a list",
  ),
});

export type OrganizationLine = z.output<typeof lineSchema>;

/** What a line did; `problems`: members who were left out, and why. */
export type ImportedLine = { slug: string; created: boolean; added: number; invited: number; problems: string[] };

/**
 * Every organization of an application, read in pages. `leftOut`: how many members have no verified
 * address, which alone tells who they are elsewhere. `withSecrets`: of their providers.
 */
export async function* exported(
  ctx: Context,
  appId: string,
  { withSecrets = false }: { withSecrets?: boolean } = {},
): AsyncGenerator<{ line: OrganizationLine; leftOut: number }> {
  const { reader } = ctx.storage;
  for (let after = ""; ;) {
    const page = await listOrganizations(reader, appId, { after, limit: pageSize });
    for (const organization of page) {
      const { slug, name, secondFactor, maxMembers, publicMetadata, disabledAt } = organizationAnswer(organization);
      const line: OrganizationLine = { slug, name, secondFactor, maxMembers, publicMetadata, members: [] };
      if (disabledAt !== null) line.disabled = true;
      const own = await findProvider(reader, organization.id);
      if (own) line.provider = providerLine(ctx, own, withSecrets);
      let leftOut = 0;
      for (let last = ""; ;) {
        const some = await listMembers(reader, organization.id, { after: last, limit: pageSize });
        const ids = some.map(({ userId }) => userId);
        const identities = await listIdentitiesOfMembers(reader, organization.id, ids);
        for (const { userId, email, emailVerified, roles, providerExempt } of some)
          if (email !== null && emailVerified)
            line.members.push({
              email,
              roles,
              ...(providerExempt && { providerExempt }),
              ...identitiesLine(identities.get(userId)),
            });
          else leftOut += 1;
        if (some.length < pageSize) break;
        last = some.at(-1)?.userId ?? "";
      }
      yield { line, leftOut };
    }
    if (page.length < pageSize) return;
    after = page.at(-1)?.id ?? "";
  }
}

/** Who a member is at its providers; those of another issuer count again if that one returns. */
function identitiesLine(identities: OrganizationIdentity[] | undefined) {
  return (
    identities && {
      identities: identities.map(({ issuer, subject, email }) => ({
        issuer,
        subject,
        ...(email !== null && { email }),
      })),
    }
  );
}

function providerLine(ctx: Context, own: OrganizationProvider, withSecrets: boolean) {
  const { issuer, clientId, fixedAddresses, trustsSecondFactor, sessionSeconds, requiredSince } = own;
  return {
    issuer,
    clientId,
    fixedAddresses,
    trustsSecondFactor,
    sessionSeconds,
    required: requiredSince !== null,
    ...(withSecrets && { clientSecret: provider.clientSecretOf(ctx, own) }),
  };
}

/**
 * Creates the organization with this slug, or changes the one that has it, and gives its members
 * their roles: users whose verified address it is; others are invited, unless they are already.
 * Removes nobody, so that it can be repeated. Throws INVALID_REQUEST, CONFLICT.
 */
export async function importLine(
  ctx: Context,
  application: Application,
  given: unknown,
  acting: Acting,
): Promise<ImportedLine> {
  const parsed = lineSchema.safeParse(given, {
    error: ({ code }) => (code === "invalid_type" ? "must be a JSON object" : undefined),
  });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue && issue.path.length > 0 ? issue.path.join(".") : "organization";
    if (issue?.code === "unrecognized_keys")
      throw invalidRequest(field, `unknown key ${JSON.stringify(issue.keys[0])}`);
    throw invalidRequest(field, issue?.message ?? "not an organization");
  }
  const { members: wanted, disabled, provider: ownProvider, ...input } = parsed.data;
  const { reader } = ctx.storage;
  const found = await findNamed(reader, application.id, input.slug);
  // One that only had this slug is another company.
  const present = found?.slug === input.slug ? found : undefined;
  const organization = present ?? (await organizations.createEmpty(ctx, application.id, input, acting));
  const imported: ImportedLine = { slug: input.slug, created: !present, added: 0, invited: 0, problems: [] };
  if (acting.dryRun && !present) return imported;
  await organizations.update(ctx, organization, { ...input, disabled }, acting);
  const noteProblem = (name: string, error: unknown): void => {
    if (!(error instanceof AppError)) throw error;
    imported.problems.push(`${name}: ${error.details === "" ? error.message : error.details}`);
  };
  for (const { email, roles, providerExempt, identities = [] } of wanted) {
    const address = canonicalEmail(email) ?? "";
    const user = await users.findByEmail(reader, application.id, address);
    try {
      if (user?.emailVerified) {
        await members.put(ctx, organization, { userId: user.id, roles, adds: true, providerExempt }, acting);
        imported.added += 1;
        if (!acting.dryRun) await link(ctx, organization, user.id, identities);
        continue;
      }
      const open = await findNotEnded(reader, organization.id, address);
      if (open && open.expiresAt > ctx.clock() && isDeepStrictEqual(open.roles, roles.toSorted())) continue;
      const [result] = await invitations.invite(
        ctx,
        application,
        organization,
        [{ email, roles, providerExempt }],
        acting,
      );
      if (result?.error) throw result.error;
      imported.invited += 1;
    } catch (error) {
      noteProblem(email, error);
    }
  }
  if (ownProvider) {
    const { required, ...set } = ownProvider;
    try {
      await provider.set(ctx, organization, set, acting);
      // Demanded only after somebody has signed in by it here.
      if (required !== undefined && !acting.dryRun) await provider.setRequired(ctx, organization, { required }, acting);
    } catch (error) {
      noteProblem("provider", error);
    }
  }
  return imported;
}

/** A subject that is somebody else's stays theirs, and a person keeps the one that they have. */
async function link(
  ctx: Context,
  { id: organizationId, appId }: Organization,
  userId: string,
  identities: { issuer: string; subject: string; email?: string | undefined }[],
): Promise<void> {
  await ctx.storage.write(async (tx) => {
    const createdAt = ctx.clock();
    for (const { issuer, subject, email } of identities)
      await insertIdentity(tx, {
        organizationId,
        appId,
        issuer,
        subject,
        userId,
        email: email ?? null,
        createdAt,
        lastUsedAt: null,
      });
  });
}
