/** The page about one person, and its acts. */
import { isDeepStrictEqual } from "node:util";
import * as factors from "../../factors/service.ts";
import * as trustedBrowsers from "../../factors/trusted-browsers.ts";
import * as invites from "../../credentials/mailed/invites.ts";
import * as recoveryLinks from "../../credentials/mailed/recovery-links.ts";
import * as resetLinks from "../../credentials/mailed/reset-links.ts";
import * as methods from "../../credentials/methods/service.ts";
import * as personalTokens from "../../credentials/personal/service.ts";
import { tokenNotFound } from "../../credentials/personal/rules.ts";
import type { Answer } from "../../http/answer.ts";
import { hour } from "../../lib/clock.ts";
import { idIn } from "../../lib/path-segments.ts";
import * as applications from "../../applications/service.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import type { Context } from "../../runtime/context.ts";
import * as logins from "../../sessions/login-administration.ts";
import * as grants from "../../sign-in/grants.ts";
import type { OperatorRole } from "../../storage/column-types.ts";
import * as requiredPasswords from "../../people/required-passwords.ts";
import * as approval from "../../people/approval.ts";
import * as userAdministration from "../../people/administration.ts";
import * as groups from "../../users/groups/service.ts";
import type { PersonChange } from "../../people/changes.ts";
import * as userMetadata from "../../people/metadata-changes.ts";
import type { MetadataAnswer, MetadataChange } from "../../people/metadata-changes.ts";
import * as personPictures from "../../people/pictures.ts";
import * as profiles from "../../people/profile.ts";
import type { User } from "../../users/user.ts";
import { demandConfirmation } from "../parts/confirmation.ts";
import { changedByOthers, changeOnto, edited } from "../parts/edit.ts";
import { mailedNotice } from "../mail/mailed.ts";
import { consolePage } from "../parts/frame.ts";
import { done } from "../parts/notice.ts";
import { pictureChangeIn, pictureNotices, picturePaths, type PictureAct } from "../parts/picture-form.ts";
import { refusableForm, refusalOf, type FormRefusal } from "../parts/refusal.ts";
import { act, view, type Act, type AsksFor, type Post, type Visit } from "../route.ts";
import { personIn } from "../scope.ts";
import type { PersonAct } from "./person-forms.ts";
import { nameOf } from "./person-header.ts";
import { personPage } from "./person-page.ts";
import { fieldSettings, profileSettings } from "./person-profile.ts";
import { kindIn, timeLinePart } from "./person-time-line.ts";
import { examine } from "./person.ts";
import { shownLink } from "./shown-link.ts";
import { positionFrom, timeLineOf } from "./time-line.ts";

async function show(ctx: Context, visit: Visit, user: User, refusal?: FormRefusal): Promise<Answer> {
  const after = positionFrom(refusal ? undefined : visit.request.query().get("before"));
  const { entries, next } = await timeLineOf(ctx, user.id, { after, kind: refusal ? undefined : kindIn(visit) });
  const page = personPage(await examine(ctx, visit, user), {
    visit,
    now: ctx.clock(),
    form: (name, { parameters, ...form }) =>
      refusableForm(visit, acts[name], refusal, { ...form, parameters: { userId: user.id, ...parameters } }),
    groups: await groups.names(user.appId, ctx.storage.reader),
    timeLine: timeLinePart(visit, user.id, { entries, next, isFirst: after === undefined }),
  });
  return consolePage(ctx, visit, { ...page, uploads: true, ...(refusal && { status: refusal.status }) });
}

export const page = view("/people/:userId", "viewer", async (ctx, visit) => {
  return await show(ctx, visit, await personIn(ctx, visit, visit.request.parameter("userId")));
});

/**
 * An act on a person whom the operator may see. Responds with a notice, or with the result of
 * `handle`.
 */
function actOn(
  path: string,
  role: OperatorRole,
  asksFor: AsksFor,
  handle: (ctx: Context, post: Post, user: User) => Promise<string | Answer>,
): Act {
  return act(`/people/:userId/${path}`, role, asksFor, async (ctx, post) => {
    const user = await personIn(ctx, post, post.request.parameter("userId"));
    try {
      const answer = await handle(ctx, post, user);
      return typeof answer === "string" ? done(ctx, post, `/console/people/${user.id}`, answer) : answer;
    } catch (error) {
      const refusal = refusalOf(error, post);
      // Read again: somebody else may have changed them.
      return await show(ctx, post, await personIn(ctx, post, user.id), refusal);
    }
  });
}

function pictureActOn(kind: PictureAct): Act {
  const path = `picture${picturePaths[kind]}`;
  const line = actOn(path, "support", "nothing", async (ctx, post, { id }) => {
    await personPictures.change(ctx, id, pictureChangeIn(post, kind, "picture"), post.by);
    return pictureNotices[kind];
  });
  return { ...line, takesFile: kind === "save" };
}

const now = { dryRun: false };

/** Ten more codes open access. */
async function isFactorBlocked(ctx: Context, { request }: Post): Promise<boolean> {
  return (await factors.blockOf(ctx, ctx.storage.reader, request.parameter("userId"))) !== undefined;
}

function text({ form }: Post, name: string): string {
  return form.get(name) ?? "";
}

/** Throws INVALID_REQUEST. */
function jsonIn(post: Post, name: string): unknown {
  try {
    return JSON.parse(text(post, name)) as unknown;
  } catch {
    throw invalidRequest("Changes", "JSON");
  }
}

/** The posted patch of one part of the present metadata. Throws INVALID_REQUEST, CONFLICT. */
function patchOf(post: Post, part: "public" | "private"): (present: MetadataAnswer) => MetadataChange {
  const [patch, was] = [jsonIn(post, "patch"), jsonIn(post, "was.metadata")];
  return (present) => {
    if (isContested(patch, was, present[part])) throw changedByOthers([`${part} metadata`]);
    return { [part]: patch };
  };
}

/** Whether somebody else gave another value to what the patch changes. */
function isContested(patch: unknown, was: unknown, now: unknown): boolean {
  if (isObject(patch) && isObject(was) && isObject(now))
    return Object.keys(patch).some((key) => isContested(patch[key], was[key], now[key]));
  return !isDeepStrictEqual(was ?? null, now ?? null) && !isDeepStrictEqual(now ?? null, patch);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A change of the address that the form showed. Throws CONFLICT if the person has another now. */
function ofAddress({ form }: Post, change: PersonChange): (user: User) => PersonChange {
  return ({ email }) => {
    if (form.get("was.email") !== (email ?? "")) throw changedByOthers(["address"]);
    return change;
  };
}

/** Of a decision, for the mail. */
function sentenceIn(post: Post) {
  return { sentence: text(post, "message"), ...now };
}

export const acts: Record<PersonAct, Act> = {
  approve: actOn("approve", "support", "passkey", async (ctx, post, { id }) => {
    const { mailed } = await approval.approve(ctx, id, sentenceIn(post), post.by);
    return mailed ? await mailedNotice(ctx, post, "The decision") : "Approved. No mail was sent.";
  }),

  refuse: actOn("refuse", "support", "nothing", async (ctx, post, { id }) => {
    await approval.refuse(ctx, id, sentenceIn(post), post.by);
    return done(ctx, post, "/console/people", "The account was refused and deleted.");
  }),

  disable: actOn("disable", "support", "nothing", async (ctx, { by }, { id }) => {
    await userAdministration.disable(ctx, id, now, by);
    return "Disabled, and signed out everywhere.";
  }),

  enable: actOn("enable", "support", "passkey", async (ctx, { by }, { id }) => {
    await userAdministration.enable(ctx, id, now, by);
    return "Enabled.";
  }),

  unblock: actOn("unblock", "support", isFactorBlocked, async (ctx, { by, operator }, { id }) => {
    // Not by `isFactorBlocked`: it may be blocked since then.
    const { passwords, factor } = await userAdministration.unblock(ctx, id, { ...now, factor: operator.isFresh }, by);
    return passwords > 0 || factor ? "Unblocked. They can try again at once." : "Nothing was blocked any more.";
  }),

  requireNewPassword: actOn("require-new-password", "support", "nothing", async (ctx, { by }, { id }) => {
    return requiredPasswords.requiredWords(await requiredPasswords.requireOf(ctx, id, now, by));
  }),

  revokeLogins: actOn("logins/end", "support", "nothing", async (ctx, { by }, { id }) => {
    const { ended } = await userAdministration.revokeLogins(ctx, id, now, by);
    return `${ended} ${ended === 1 ? "login" : "logins"} ended.`;
  }),

  endLogin: actOn("logins/:loginId/end", "support", "nothing", async (ctx, { request, by }, { id }) => {
    const loginId = request.parameter("loginId");
    const { userId } = await logins.get(ctx, loginId);
    if (userId !== id) throw new AppError("LOGIN_NOT_FOUND", "There is no login with this id.");
    await logins.end(ctx, loginId, now, by.actor);
    return "The login ended.";
  }),

  removeMethod: actOn("methods/:methodId/remove", "support", "passkey", async (ctx, post, { id }) => {
    const evenLast = text(post, "evenLast") === "on";
    await methods.remove(ctx, id, post.request.parameter("methodId"), post.by, { evenLast });
    return "The method was removed, and every login ended.";
  }),

  resetFactors: actOn("factors/remove", "support", "passkey", async (ctx, { by }, { id }) => {
    const removed = await factors.remove(ctx, id, by, { evenRequired: true });
    return removed ? "The second factor was removed." : "There is no second factor.";
  }),

  endTrust: actOn("trusted-browsers/:browserId/end", "support", "nothing", async (ctx, { request, by }, { id }) => {
    await trustedBrowsers.end(ctx, id, request.parameter("browserId"), by);
    return "This browser will be asked again.";
  }),

  endToken: actOn("tokens/:tokenId/end", "support", "nothing", async (ctx, { request, by }, { id }) => {
    const which = { userId: id, id: request.parameter("tokenId") };
    if ((await personalTokens.end(ctx, which, { reason: "operator", by })) === 0) throw tokenNotFound();
    return "Ended.";
  }),

  endTokens: actOn("tokens/end", "support", "nothing", async (ctx, { by }, { id }) => {
    const ended = await personalTokens.end(ctx, { userId: id }, { reason: "operator", by });
    return `${ended} personal access ${ended === 1 ? "token" : "tokens"} ended.`;
  }),

  endAllTrust: actOn("trusted-browsers/end", "support", "nothing", async (ctx, { by }, { id }) => {
    await trustedBrowsers.end(ctx, id, "all", by);
    return "Every browser will be asked again.";
  }),

  resetLink: actOn("reset-link", "support", "passkey", async (ctx, post, { id }) => {
    const { link, expiresAt } = await resetLinks.linkFor(ctx, id, { ...now, send: false }, post.by.actor);
    const about = "Hand it over only to the person. Anybody who has it can choose a new password.";
    return shownLink(ctx, post, { title: "Password reset link", about, link: link ?? "", expiresAt, userId: id });
  }),

  mailResetLink: actOn("reset-link/mail", "support", "nothing", async (ctx, post, { id }) => {
    await resetLinks.linkFor(ctx, id, { ...now, send: true }, post.by.actor);
    return await mailedNotice(ctx, post, "The link");
  }),

  recoveryLink: actOn("recovery-link", "support", "passkey", async (ctx, post, { id }) => {
    const { link, expiresAt } = await recoveryLinks.linkFor(ctx, id, { ...now, lasts: hour }, post.by.actor);
    const about =
      "Hand it over only to the person. They open it, sign in with their password or provider, and set up a new second factor.";
    return shownLink(ctx, post, { title: "Recovery link", about, link: link ?? "", expiresAt, userId: id });
  }),

  inviteAgain: actOn("invitation/mail", "support", "passkey", async (ctx, post, { appId, email }) => {
    const input = { appId, email: email ?? "", name: null, locale: null };
    await invites.invite(ctx, input, { ...now, link: false }, post.by);
    return await mailedNotice(ctx, post, "The invitation");
  }),

  inviteByLink: actOn("invitation", "support", "passkey", async (ctx, post, { id, appId, email }) => {
    const input = { appId, email: email ?? "", name: null, locale: null };
    const { link, expiresAt } = await invites.invite(ctx, input, { ...now, link: true }, post.by);
    const about = "Hand it over only to the person. Anybody who has it can set up this account.";
    return shownLink(ctx, post, { title: "Invitation link", about, link: link ?? "", expiresAt, userId: id });
  }),

  withdrawInvitation: actOn("invitation/withdraw", "support", "nothing", async (ctx, { by }, { id }) => {
    await invites.withdraw(ctx, id, now, by);
    return "The invitation was withdrawn: its link does not work any more.";
  }),

  removeConsent: actOn("programs/:clientId/remove", "support", "nothing", async (ctx, { request, by }, { id }) => {
    const removed = await grants.remove(ctx, id, idIn(request.parameter("clientId")), by);
    if (!removed) throw new AppError("CLIENT_NOT_FOUND", "This program has no access to this user.");
    return "The program has no access any more.";
  }),

  changeProfile: actOn("profile", "support", "nothing", async (ctx, post, { id }) => {
    const change = changeOnto(profileSettings, edited(profileSettings, post));
    await userAdministration.update(ctx, id, change, now, post.by);
    return "The profile was changed.";
  }),

  // Claims are made of them.
  changeFields: actOn("fields", "support", "passkey", async (ctx, post, { id, appId }) => {
    const application = await applications.find(ctx, ctx.storage.reader, appId);
    const settings = application ? fieldSettings(application) : [];
    const change = changeOnto(settings, edited(settings, post));
    await userAdministration.update(ctx, id, change, now, post.by);
    return "The profile fields were changed.";
  }),

  changePicture: pictureActOn("save"),
  removePicture: pictureActOn("remove"),
  undoPicture: pictureActOn("undo"),

  // With a new address, a mailed link opens the account.
  changeAddress: actOn("address", "support", "passkey", async (ctx, post, { id }) => {
    const emailVerified = text(post, "verified") === "on" ? true : undefined;
    const change = { email: text(post, "email"), emailVerified };
    await userAdministration.update(ctx, id, ofAddress(post, change), now, post.by);
    return "The address was changed.";
  }),

  // A provider's account with the same verified address is linked to this one.
  verifyAddress: actOn("address/verify", "support", "passkey", async (ctx, post, { id }) => {
    await userAdministration.update(ctx, id, ofAddress(post, { emailVerified: true }), now, post.by);
    return "The address is marked as verified.";
  }),

  // The next proof of an unverified address takes the account over.
  unverifyAddress: actOn("address/unverify", "support", "passkey", async (ctx, { by }, { id }) => {
    await userAdministration.update(ctx, id, { emailVerified: false }, now, by);
    return "The address is marked as not verified.";
  }),

  // Tokens and programs read roles from metadata.
  changePublic: actOn("metadata/public", "support", "passkey", async (ctx, post, { id, appId }) => {
    await userMetadata.patch(ctx, { userId: id, appId }, patchOf(post, "public"), post.by);
    return "The public metadata was changed.";
  }),

  changePrivate: actOn("metadata/private", "support", "passkey", async (ctx, post, { id, appId }) => {
    await userMetadata.patch(ctx, { userId: id, appId }, patchOf(post, "private"), post.by);
    return "The private metadata was changed.";
  }),

  addToGroup: actOn("groups", "owner", "passkey", async (ctx, post, { id, appId }) => {
    const added = await groups.add(ctx, appId, text(post, "group"), [id], post.by);
    return added === 1 ? "Added to the group." : "They were in this group already.";
  }),

  removeFromGroup: actOn("groups/:group/remove", "owner", "passkey", async (ctx, post, { id, appId }) => {
    await groups.remove(ctx, appId, decodeURIComponent(post.request.parameter("group")), [id], post.by);
    return "Removed from the group.";
  }),

  remove: actOn("delete", "owner", "passkey", async (ctx, post, user) => {
    demandConfirmation(post, nameOf(user));
    const { id } = user;
    await profiles.remove(ctx, id, post.by);
    return done(ctx, post, "/console/people", "The account was deleted.");
  }),
};
