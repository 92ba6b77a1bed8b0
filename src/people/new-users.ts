/** Creates users without a sign-up, for operators and for the servers of their applications. */
import type { Application } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import * as signUpRules from "../applications/sign-up/service.ts";
import * as newPasswords from "../credentials/passwords/new-passwords.ts";
import * as passwords from "../credentials/passwords/service.ts";
import { addressTaken, applicationNotFound, invalidRequest } from "../lib/errors.ts";
import { checkedFact, factsFrom, factsOn, type FactOn } from "../lib/profile-facts.ts";
import { checkedNewEmail } from "../lib/user-fields.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import { changedProfile } from "../users/profile-fields.ts";
import * as users from "../users/service.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import { userAnswer, type UserAnswer } from "../users/user-answer.ts";

export type NewUser = Partial<Record<FactOn<"server">, string | null | undefined>> & {
  appId: string;
  email: string;
  emailVerified: boolean;
  password: string | undefined;
  /** Values of the application's own fields, by name. */
  profile?: unknown;
};

async function existingApplication(ctx: Context, id: string): Promise<Application> {
  const application = await applications.find(ctx, ctx.storage.reader, id);
  if (!application) throw applicationNotFound();
  return application;
}

async function hashOf(ctx: Context, password: string, application: Application, email: string): Promise<string> {
  const problem = await newPasswords.problemWith(ctx, password, application, { email, name: null }, undefined);
  if (problem !== undefined) {
    const { passwordMinLength } = application.settings;
    const rules: Record<typeof problem.kind, string> = {
      "password-too-short": `at least ${passwordMinLength} characters`,
      "password-too-long": `at most ${"maxLength" in problem ? problem.maxLength : 0} characters`,
      "password-common": "not one of the most common passwords",
      "password-weak":
        "not easy to guess, such as a keyboard pattern, a sequence, a repetition, a date or a common password",
      "password-same": "another one than before",
      "password-breached": "not in the list of passwords from data breaches",
      "password-context": "not the address, its first part, or the name of the application",
    };
    throw invalidRequest("password", rules[problem.kind]);
  }
  return await newPasswords.hash(ctx, password, undefined);
}

/**
 * `overridesRules`: also an address that the sign-up rules refuse, which is audited. Throws
 * APP_NOT_FOUND, INVALID_REQUEST naming the field, CONFLICT for a taken or refused address, BUSY.
 */
export async function create(
  ctx: Context,
  input: NewUser,
  { dryRun, overridesRules = false }: { dryRun: boolean; overridesRules?: boolean },
  by: By,
): Promise<UserAnswer> {
  const application = await existingApplication(ctx, input.appId);
  const email = checkedNewEmail(input.email);
  const broken = signUpRules.problemWith(ctx, application, email);
  if (broken && !overridesRules) throw signUpRules.addressRefused(broken);
  const facts = factsFrom(factsOn("server"), (name) => checkedFact(name, input[name] ?? null));
  const { profileFields } = application.settings;
  const profile = input.profile === undefined ? null : changedProfile(profileFields, null, input.profile, "server");
  const hash = input.password === undefined ? undefined : await hashOf(ctx, input.password, application, email);
  if (await users.findByEmail(ctx.storage.reader, application.id, email)) throw addressTaken();
  const authMethods = { passkey: false, oauth: [], password: hash !== undefined };
  const now = ctx.clock();
  const { emailVerified } = input;
  if (dryRun) {
    const planned = { id: "", createdAt: now, updatedAt: now, lastLoginAt: null, disabledAt: null, pendingAt: null };
    return userAnswer(ctx, { ...planned, appId: application.id, email, emailVerified, ...facts }, authMethods);
  }
  const signedUp = { method: null, source: null, overridesRules };
  const created = await ctx.storage.write(async (tx) => {
    const person = { appId: application.id, email, emailVerified, ...facts, profile };
    const user = await users.create(ctx, tx, { ...person, signedUp }, now);
    if (!user) throw addressTaken();
    if (profile) await claimSources.refuseTooLarge(tx, application, user.id, "profile");
    if (hash !== undefined) await passwords.add(ctx, tx, user.id, { hash, lastUsedAt: null }, now);
    const { appId, id: userId } = user;
    const details = broken && { overridesRules: broken };
    const event = {
      ...by,
      action: "user.create",
      result: "success",
      appId,
      userId,
      ...(details && { details }),
    } as const;
    await audit.record(ctx, tx, event, now);
    return user;
  });
  return userAnswer(ctx, created, authMethods);
}
