/** Visits to the provider of an organization: the way there, and the one return of each. */
import { isOver, minute } from "../lib/clock.ts";
import { digestOf, newSecret } from "../lib/random.ts";
import type { Context } from "../runtime/context.ts";
import type { OrganizationVisitPurpose } from "../storage/column-types.ts";
import type { Row } from "../storage/storage.ts";
import { authorizationAddress } from "./identify.ts";
import type { OrganizationProvider } from "../organizations/provider/provider.ts";
import { prepared } from "./visit-store.ts";

/** As long as a sign-in: who takes longer there starts again. */
const visitLasts = 10 * minute;
const stateForm = /^[A-Za-z0-9_-]{43}$/u;

/** `sessionId`: of the sign-in; `userId`: the owner who tries the provider. One of them is null. */
export type CompanyVisit = {
  purpose: OrganizationVisitPurpose;
  sessionId: string | null;
  userId: string | null;
  browserDigest: string;
};

/** The provider's address for this browser. Throws ProviderFailure; then no visit was stored. */
export async function start(
  ctx: Context,
  provider: OrganizationProvider,
  { sessionId, ...visit }: CompanyVisit,
  wishes: { loginHint: string | null; asksLogin: boolean },
): Promise<string> {
  const { organizationId, appId, issuer } = provider;
  const state = newSecret(ctx.random);
  const digest = digestOf(state);
  const silent = visit.purpose === "silent";
  const address = await authorizationAddress(ctx, provider, { state, silent, ...wishes });
  const row = { digest, organizationId, appId, issuer, ...visit, expiresAt: ctx.clock() + visitLasts };
  await ctx.storage.write(async (tx) => {
    const context = organizationVisitContext(digest);
    const encryptedSessionId = sessionId === null ? null : await ctx.keyring.encrypt(tx, sessionId, context);
    await prepared(tx).insert.execute({ ...row, encryptedSessionId } satisfies Row<"organizationVisits">);
  });
  return address;
}

/** The visit of a state, once; undefined if it was used, is over or another organization's. */
export async function consume(
  ctx: Context,
  organizationId: string,
  state: string,
): Promise<(CompanyVisit & { issuer: string }) | undefined> {
  if (!stateForm.test(state)) return undefined;
  const digest = digestOf(state);
  const [row] = await ctx.storage.write((tx) => prepared(tx).consume.execute({ digest }));
  if (row?.organizationId !== organizationId || isOver(row.expiresAt, visitLasts, ctx.clock())) return undefined;
  const { purpose, userId, browserDigest, issuer, encryptedSessionId: sealed } = row;
  const sessionId = sealed === null ? null : ctx.keyring.decrypt(sealed, organizationVisitContext(digest));
  return { purpose, sessionId, userId, browserDigest, issuer };
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write((tx) => prepared(tx).sweep(now));
}

/** The encryption context of a visit's session. */
export function organizationVisitContext(digest: string): string {
  return `organization_visits/${digest}`;
}
