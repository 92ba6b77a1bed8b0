import { z } from "zod";
import { hasProfileFields, type Application } from "../applications/application.ts";
import { answerFor } from "../factors/answer.ts";
import * as factors from "../factors/service.ts";
import * as invites from "../credentials/mailed/invites.ts";
import * as methods from "../credentials/methods/service.ts";
import { refuseUnknownParameters, wholeNumberIn } from "../http/query.ts";
import type { HttpRequest } from "../http/request.ts";
import { isOnRealDay } from "../lib/clock.ts";
import { invalidRequest } from "../lib/errors.ts";
import type { By } from "../records/audit/audit.ts";
import * as mail from "../records/mail/service.ts";
import type { Context } from "../runtime/context.ts";
import * as userAdministration from "../people/administration.ts";
import * as approval from "../people/approval.ts";
import * as changes from "../people/changes.ts";
import * as peopleSearch from "../people/search.ts";
import { maxSearchCharacters } from "../people/search-text.ts";
import { userSorts, userStates, type UserQuery } from "../users/list-query.ts";
import * as userListings from "../users/listing.ts";
import * as newUsers from "../people/new-users.ts";
import * as profiles from "../people/profile.ts";
import * as requiredPasswords from "../people/required-passwords.ts";
import { at, authMethods, done, ownFields, profileMetadata, usableMethods, user, userFields } from "./answers.ts";
import { flag, instant, metadataPart, number, profileValues, text } from "./fields.ts";
import { byManager, type Managed } from "./management-guards.ts";
import { named, noBody, operation } from "./operation.ts";
import * as facts from "./profile-facts.ts";

const maxPageSize = 200;
const defaultPageSize = 50;

export const noSuchUser = { code: "USER_NOT_FOUND", when: "The application has no such user." } as const;
const taken = {
  code: "INVALID_REQUEST",
  status: 409,
  when: "A user of this application already has this email address, or the sign-up rules refuse it.",
} as const;

const managedUser = named(
  "ManagedUser",
  "A user, as the application's server sees them.",
  () =>
    z.strictObject({
      id: userFields().id,
      appId: text("The App ID of the user's application."),
      email: z.email().nullable().describe("The user's email address."),
      emailVerified: flag("Whether the email address is verified."),
      ...facts.answerFields("server"),
      createdAt: instant("When the account was created."),
      updatedAt: instant("When the account was last changed."),
      lastLoginAt: instant("When the user last signed in.").nullable(),
      disabledAt: instant("When the user was disabled, or signed up and began to wait for approval.").nullable(),
      state: z.literal("pending").describe("The user waits for approval. Omitted otherwise.").optional(),
      authMethods: usableMethods.schema,
    }),
  {
    ...user.example,
    ...facts.answerExample("server"),
    email: "ada@example.com",
    emailVerified: true,
    appId: "app_shop",
    updatedAt: "2026-10-01T08:30:00.000Z",
    disabledAt: null,
  },
);

const managedUserDetails = named(
  "ManagedUserDetails",
  "A user, with a summary of the sign-ins, and what the application stores about them.",
  () =>
    managedUser.schema.extend({
      refusedBefore: z
        .literal(true)
        .describe(
          "Of a user who waits for approval: an earlier sign-up was refused in the last 90 days. Omitted otherwise.",
        )
        .optional(),
      metadata: profileMetadata.schema,
      publicMetadata: metadataPart("The part that the user may read; omitted if empty.").optional(),
      privateMetadata: metadataPart("The part that the user cannot read; omitted if empty.").optional(),
      passwordMustChange: z
        .literal(true)
        .optional()
        .describe("The password proves nothing until it is replaced; omitted otherwise."),
      profile: profileValues(ownFields).optional(),
      terms: z
        .array(
          z.strictObject({
            version: text("The version."),
            url: text("Where it was."),
            accepted: flag("False: declined, while it was not required."),
            at: instant("When the user answered."),
            ipAddress: text("From which IP address.").nullable(),
          }),
        )
        .describe("The versions of the application's terms that the user answered; omitted if none.")
        .optional(),
    }),
  { ...managedUser.example, metadata: profileMetadata.example },
);

const dateTime = { type: "string", format: "date-time" };

const listParameters = {
  email: { about: "The user with this email address.", schema: { type: "string", format: "email" } },
  name: { about: "The beginning of the name. The case of the letters A to Z does not matter." },
  search: {
    about:
      "Parts of the address or name, separated by blanks: users who have all of them, the newest first. The case of letters and most marks on them do not matter. Also a user ID. Only with `state`, `group`, `limit` and `cursor`.",
    schema: { type: "string", maxLength: maxSearchCharacters },
  },
  group: { about: "The name of a group. Without `search`, its members are ordered by ID." },
  state: { about: "Whether the user may sign in.", schema: { type: "string", enum: userStates } },
  createdSince: { about: "Created at this time or later.", schema: dateTime },
  createdBefore: { about: "Created before this time.", schema: dateTime },
  lastLoginSince: { about: "Last signed in at this time or later.", schema: dateTime },
  lastLoginBefore: { about: "Last signed in before this time, or never.", schema: dateTime },
  sort: {
    about:
      "The order; `-` reverses it. By default: by name if `name` is given, by last sign-in if only `lastLogin…` is given, else by creation.",
    schema: { type: "string", enum: userSorts },
  },
  limit: {
    about: "Maximum number of users on a page.",
    schema: { type: "integer", minimum: 1, maximum: maxPageSize, default: defaultPageSize },
  },
  cursor: { about: "`nextCursor` of the previous page; send the same filters and order." },
};

export const listUsers = operation({
  id: "listUsers",
  tag: "Users",
  summary: "List users",
  description:
    "Returns a page of the users that match all given filters. It may have fewer users than `limit`, even none: there are more as long as `nextCursor` is not null.",
  query: listParameters,
  answer: {
    schema: named(
      "UserPage",
      "A page of users.",
      () =>
        z.strictObject({
          users: z.array(managedUser.schema).describe("In the requested order."),
          nextCursor: text("The cursor of the next page; null on the last page.").nullable(),
          notSearchable: number(
            "With `search`: how many users it cannot find yet, after an upgrade or an import. 10001: more than 10,000 users of all applications wait for it. Omitted if none.",
          ).optional(),
        }),
      {
        users: [managedUser.example],
        nextCursor:
          "WyJhWjA5LV9hWjA5LV9hWjA5IiwxNzYzNjMyODAwMDAwLCJ1c3JfMDFtODM5amR0YTJqZTAyZzRhYWpkY3Q1MjciXQ.51fOdatjojJxi-ZFHWgwEstHsKIgfm6iWMgSqGODJYc",
      },
    ),
    about: "The page.",
  },
  handle(ctx, request, { id }: Application) {
    const query = request.query();
    refuseUnknownParameters(query, Object.keys(listParameters));
    const asked = {
      email: query.get("email"),
      name: query.get("name"),
      group: query.get("group"),
      state: query.get("state"),
      createdSince: instantIn(query, "createdSince"),
      createdBefore: instantIn(query, "createdBefore"),
      lastLoginSince: instantIn(query, "lastLoginSince"),
      lastLoginBefore: instantIn(query, "lastLoginBefore"),
      sort: query.get("sort"),
    };
    const limit = wholeNumberIn(query, "limit", { from: 1, to: maxPageSize, missing: defaultPageSize });
    const page = { cursor: query.get("cursor"), limit };
    const search = query.get("search");
    return search === undefined ? userListings.page(ctx, id, asked, page) : found(ctx, id, search, asked, page);
  },
});

async function found(
  ctx: Context,
  appId: string,
  text: string,
  asked: UserQuery,
  page: { cursor: string | undefined; limit: number },
) {
  peopleSearch.refuseBesideSearch(asked);
  const query = { text, appId, state: asked.state, group: asked.group, ...page };
  const { people: users, nextCursor, notSearchable } = await peopleSearch.searchPeople(ctx, query);
  return { users, nextCursor, ...(notSearchable > 0 && { notSearchable }) };
}

const newUserBody = z.strictObject({
  email: z.string("required, a string"),
  emailVerified: z.boolean("must be a boolean").optional(),
  ...facts.created,
  password: z.string("must be a string").optional(),
  profile: facts.changedValues,
  invite: z.boolean("must be a boolean").optional(),
});
/** Where the application has no fields of its own: as in version 1.0. */
const newUserWithoutFields = newUserBody.omit({ profile: true });

async function invited(ctx: Context, { email, name, ...rest }: z.infer<typeof newUserBody>, appId: string, by: By) {
  if (Object.keys(rest).length > 1) throw invalidRequest("invite", "only with email and name");
  if (!mail.available(ctx)) throw invalidRequest("invite", "the service has no mail server");
  const invitation = { appId, email, name: name ?? null, locale: null };
  const { userId } = await invites.invite(ctx, invitation, { link: false, dryRun: false }, by);
  const { metadata: _, ...created } = await userAdministration.get(ctx, userId ?? "");
  return created;
}

export const createUser = operation({
  id: "createUser",
  tag: "Users",
  summary: "Create a user",
  description:
    "Without a password, the user signs in with a provider or a password reset that proves the email address. Sends `user.created`.",
  body: {
    name: "NewUserRequest",
    schema: newUserBody,
    fields: {
      email: {
        about: "Unique in the application. Stored in lower case, its domain in ASCII.",
        format: "email",
        maxLength: 254,
      },
      emailVerified:
        "Whether the email address is verified. Default false: a sign-in that proves the address may take over the account.",
      ...facts.createdWords,
      password: "An initial password. The application's password rules apply.",
      profile: facts.changedValuesWords,
      invite:
        "True: mail a link, valid for 7 days, to choose how to sign in. Only with `email` and `name`. Sent again for a user who has not chosen yet, it replaces the link. Requires a mail server.",
    },
    example: { email: "ada@example.com", emailVerified: true, name: "Ada" },
  },
  answer: { status: 201, schema: managedUser, about: "Created." },
  errors: [taken],
  schemaFor: (application: Managed) => (hasProfileFields(application) ? newUserBody : newUserWithoutFields),
  async handle(ctx, request, application: Managed, body) {
    const by = byManager(request, application);
    if (body.invite === true) return await invited(ctx, body, application.id, by);
    const { emailVerified = false, name = null, password, invite: _, ...person } = body;
    const input = { ...person, appId: application.id, emailVerified, name, password };
    return await newUsers.create(ctx, input, { dryRun: false }, by);
  },
});

export const getManagedUser = operation({
  id: "getManagedUser",
  tag: "Users",
  summary: "Read a user",
  description: "Returns all fields, regardless of the scopes of the user's tokens.",
  answer: { schema: managedUserDetails, about: "The user." },
  errors: [noSuchUser],
  async handle(ctx, request, application: Managed) {
    const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    return await userAdministration.get(ctx, id);
  },
});

const userChange = z.strictObject({
  email: z.string("must be a string").optional(),
  emailVerified: z.boolean("must be a boolean").optional(),
  ...facts.changed,
  disabled: z.boolean("must be a boolean").optional(),
  profile: facts.changedValues,
});
const userChangeWithoutFields = userChange.omit({ profile: true });

export const updateManagedUser = operation({
  id: "updateManagedUser",
  tag: "Users",
  summary: "Change a user",
  description:
    "Omitted fields stay as they are. Either all changes are made or none. A new email address is unverified unless `emailVerified` is true. Links and codes mailed earlier stop working, and the previous address gets a mail. Sends `user.updated` if anything except `disabled` changed.",
  body: {
    name: "ManagedUserChange",
    schema: userChange,
    fields: {
      email: { about: "An email address that no other user of the application has.", format: "email", maxLength: 254 },
      emailVerified: "Whether the email address is verified. If omitted, a new address is unverified.",
      ...facts.changedWords,
      disabled: "True ends every login and blocks the user from signing in; false allows it again.",
      profile: facts.changedValuesWords,
    },
    example: { email: "ada@example.org", emailVerified: true },
  },
  answer: { schema: managedUserDetails, about: "The user after the change." },
  errors: [noSuchUser, taken],
  schemaFor: (application: Managed) => (hasProfileFields(application) ? userChange : userChangeWithoutFields),
  async handle(ctx, request, application: Managed, body) {
    const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    const by = byManager(request, application);
    return await userAdministration.update(ctx, id, body, { dryRun: false }, by, changes.server);
  },
});

const decisionBody = z.strictObject({ message: z.string("must be a string").optional() });
const decisionAnswer = named(
  "ApprovalDecision",
  "A decision about a user who waited for approval.",
  () =>
    z.strictObject({
      id: userFields().id,
      email: z.email().nullable().describe("The user's email address."),
      decision: z.enum(["approved", "refused"]).describe("What was decided."),
      mailed: flag("Whether the user is mailed about it: only at a verified address."),
    }),
  { id: user.example.id, email: "ada@example.com", decision: "approved" as const, mailed: true },
);
const notWaiting = {
  code: "INVALID_REQUEST",
  status: 409,
  when: "The user does not wait for approval, or, to be approved, has not proved the address.",
} as const;
const decisionFields = { message: { about: "A sentence that is mailed to the user.", maxLength: 500 } };

async function decide(
  act: typeof approval.approve,
  ctx: Context,
  request: HttpRequest,
  application: Managed,
  { message }: z.infer<typeof decisionBody>,
) {
  const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
  return await act(ctx, id, { sentence: message ?? null, dryRun: false }, byManager(request, application));
}

export const approveManagedUser = operation({
  id: "approveManagedUser",
  tag: "Users",
  summary: "Approve a user who signed up",
  description: "Lets a user in who waits for approval, and mails them. Sends `user.created`.",
  body: {
    name: "ApprovalRequest",
    schema: decisionBody,
    fields: decisionFields,
    example: { message: "Welcome to the pilot." },
  },
  answer: { schema: decisionAnswer, about: "Approved." },
  errors: [noSuchUser, notWaiting],
  async handle(ctx, request, application: Managed, body) {
    return await decide(approval.approve, ctx, request, application, body);
  },
});

export const refuseManagedUser = operation({
  id: "refuseManagedUser",
  tag: "Users",
  summary: "Refuse a user who signed up",
  description:
    "Deletes a user who waits for approval, and mails them. They may sign up again; for 90 days it is known that they were refused. Sends `user.deleted`.",
  body: {
    name: "RefusalRequest",
    schema: decisionBody,
    fields: decisionFields,
    example: { message: "The pilot is full." },
  },
  answer: { schema: decisionAnswer, about: "Refused." },
  errors: [noSuchUser, notWaiting],
  async handle(ctx, request, application: Managed, body) {
    return await decide(approval.refuse, ctx, request, application, body);
  },
});

export const deleteManagedUser = operation({
  id: "deleteManagedUser",
  tag: "Users",
  summary: "Delete a user permanently",
  description:
    "Deletes the user with their methods, logins and every copy of their email address. This cannot be undone.",
  answer: { schema: done, about: "Deleted." },
  errors: [noSuchUser],
  async handle(ctx, request, application: Managed) {
    const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    await profiles.remove(ctx, id, byManager(request, application));
    return { success: true, message: "The user was deleted." };
  },
});

export const logoutManagedUser = operation({
  id: "logoutManagedUser",
  tag: "Users",
  summary: "Sign a user out everywhere",
  description: "Ends every login; its tokens are rejected from the next call on. The user can sign in again.",
  // A field that would spare some logins must not be ignored.
  body: noBody,
  answer: {
    schema: named(
      "EndedLogins",
      "Ended logins.",
      () => z.strictObject({ ended: number("How many logins this ended.") }),
      { ended: 2 },
    ),
    about: "Signed out.",
  },
  errors: [noSuchUser],
  async handle(ctx, request, application: Managed) {
    const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    return await userAdministration.revokeLogins(ctx, id, { dryRun: false }, byManager(request, application));
  },
});

export const requireNewPassword = operation({
  id: "requireNewPassword",
  tag: "Users",
  summary: "Require a new password of a user",
  description:
    "At the next sign-in by this password, the user must replace it first, and prove more than the password. Logins stay, and other methods work.",
  body: noBody,
  answer: {
    schema: named(
      "RequiredPassword",
      "A password that must change.",
      () =>
        z.strictObject({
          required: flag("Whether this call required it; false if it was required before."),
          way: z
            .enum(["sign-in", "reset", "link"])
            .describe(
              "How the user can choose a new one: in the sign-in; by a reset, as they have no proved address, passkey or second factor; or only with a link that an operator makes.",
            ),
        }),
      { required: true, way: "sign-in" },
    ),
    about: "The password must change.",
  },
  errors: [noSuchUser, { code: "INVALID_REQUEST", status: 409, when: "The user has no password." }],
  async handle(ctx, request, application: Managed) {
    const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    const by = byManager(request, application);
    const { required, way } = await requiredPasswords.requireOf(ctx, id, { dryRun: false }, by);
    return { required, way };
  },
});

export const listManagedUserMethods = operation({
  id: "listManagedUserMethods",
  tag: "Users",
  summary: "List a user's sign-in methods",
  description: "Passkeys, accounts at providers, and the password.",
  answer: { schema: authMethods, about: "Oldest first." },
  errors: [noSuchUser],
  async handle(ctx, request, application: Managed) {
    const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    return { methods: await methods.answersFor(ctx, id, ["profile", "email"]) };
  },
});

export const removeManagedUserMethod = operation({
  id: "removeManagedUserMethod",
  tag: "Users",
  summary: "Remove a method of a user, such as a lost phone's passkey",
  description:
    "Ends every login of the user, and notifies them by mail. The last method that can sign the user in cannot be removed: disable the user instead.",
  answer: { schema: done, about: "Removed." },
  errors: [
    noSuchUser,
    { code: "METHOD_NOT_FOUND", when: "The user has no such method." },
    { code: "INVALID_REQUEST", when: "It is the last method that can sign the user in." },
  ],
  async handle(ctx, request, application: Managed) {
    const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    await methods.remove(ctx, id, request.parameter("methodId"), byManager(request, application));
    return { success: true, message: "The sign-in method was removed." };
  },
});

export const getManagedUserFactors = operation({
  id: "getManagedUserFactors",
  tag: "Users",
  summary: "Read a user's second factor",
  description: "An authenticator app with its recovery codes, without any secret. Passkeys are sign-in methods.",
  answer: {
    schema: named(
      "SecondFactor",
      "A user's second factor.",
      () =>
        z.strictObject({
          totp: z
            .strictObject({
              setUpAt: instant("When it was set up."),
              lastUsedAt: instant("When a code was last used."),
            })
            .describe("The authenticator app; null without one.")
            .nullable(),
          recoveryCodes: number("How many recovery codes are left."),
          failures: number("How many wrong codes were entered in a row."),
          blocked: flag(
            "True after too many wrong codes: codes are not checked until a passkey is used as the second step, or the app is replaced or removed.",
          ),
        }),
      { totp: { setUpAt: at, lastUsedAt: at }, recoveryCodes: 9, failures: 0, blocked: false },
    ),
    about: "The second factor.",
  },
  errors: [noSuchUser],
  async handle(ctx, request, application: Managed) {
    const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    return await answerFor(ctx.storage.reader, id);
  },
});

export const resetManagedUserFactors = operation({
  id: "resetManagedUserFactors",
  tag: "Users",
  summary: "Remove a user's second factor",
  description:
    "Removes the authenticator app, the recovery codes and the trusted browsers, and notifies the user by mail. Logins continue with one factor. First verify who asks for it: until the user sets up a new second factor, the first factor is enough to sign in.",
  answer: { schema: done, about: "Removed, or there was none." },
  errors: [noSuchUser],
  async handle(ctx, request, application: Managed) {
    const { id } = await userAdministration.userOf(ctx, application.id, request.parameter("userId"));
    const by = byManager(request, application);
    await factors.remove(ctx, id, by, { evenRequired: true });
    return { success: true, message: "The user has no second factor." };
  },
});

const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/u;

function instantIn(query: Map<string, string>, name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const instant = instantForm.test(text) && isOnRealDay(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(instant)) throw invalidRequest(name, "a time such as 2026-11-20T10:00:00Z");
  return instant;
}
