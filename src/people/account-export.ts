/** A user's own data, with the field names of the HTTP API and without secrets. */
import * as consents from "../applications/clients/consents.ts";
import { identitiesFor } from "../companies/identities.ts";
import * as factors from "../factors/answer.ts";
import * as methods from "../credentials/methods/service.ts";
import * as personalTokens from "../credentials/personal/service.ts";
import { isoTime } from "../lib/clock.ts";
import { userNotFound } from "../lib/errors.ts";
import { factsFrom, factsOn } from "../lib/profile-facts.ts";
import type { RequestSource } from "../lib/request-source.ts";
import * as audit from "../records/audit/audit.ts";
import type { Actor } from "../records/audit/audit.ts";
import * as members from "../organizations/members.ts";
import { listOfUsers } from "../pictures/store.ts";
import type { Context } from "../runtime/context.ts";
import * as logins from "../sessions/login-administration.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import * as profiles from "./profile.ts";
import { dataUrlOf } from "./user-line.ts";
import { lockUser } from "../users/store.ts";
import * as terms from "../users/terms.ts";
import type { User } from "../users/user.ts";

const allScopes = ["profile", "email"];

/**
 * Audited, because the file contains everything. `exportedAt`: epoch milliseconds. Throws
 * USER_NOT_FOUND.
 */
export async function of(
  ctx: Context,
  { id: userId, appId, updatedAt, ...user }: User,
  by: { actor: Actor; source: RequestSource },
) {
  const now = ctx.clock();
  const [file] = await listOfUsers(ctx.storage.reader, [userId]);
  // An uploaded picture itself: its address ends with the account.
  const picture = file && { picture: dataUrlOf(file) };
  const beside = factsFrom(factsOn("download"), (name) => user[name]);
  const organizations = await members.ofPerson(ctx, userId);
  const companyIdentities = await identitiesFor(ctx, userId);
  const tokens = await personalTokens.list(ctx, userId, { all: true });
  const answers = await terms.list(ctx.storage.reader, userId);
  const content = {
    profile: { ...(await profiles.get(ctx, userId, allScopes)), updatedAt: isoTime(updatedAt), ...beside, ...picture },
    methods: await methods.answersFor(ctx, userId, allScopes),
    secondFactor: await factors.ownAnswerFor(ctx, userId),
    logins: await logins.list(ctx, userId, { all: true }),
    consents: await consents.list(ctx, userId),
    ...(tokens.length > 0 && { personalTokens: tokens.map(personalTokens.answerFor) }),
    groups: (await claimSources.read(ctx.storage.reader, userId)).groups,
    ...(organizations.length > 0 && { organizations }),
    ...(companyIdentities.length > 0 && { organizationIdentities: companyIdentities }),
    ...(answers.length > 0 && { terms: answers }),
  };
  await ctx.storage.write(async (tx) => {
    // Locked: a concurrent deletion must see this event, to remove the address from it.
    if (!(await lockUser(tx, userId))) throw userNotFound();
    await audit.record(ctx, tx, { ...by, action: "user.download", result: "success", appId, userId }, now);
  });
  return { exportedAt: now, ...content };
}
