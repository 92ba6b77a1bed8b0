/** What can be done with an account, beside the person's name. */
import { html, type Html } from "../../lib/html.ts";
import type { ActButton } from "../parts/act-form.ts";
import type { PageActs } from "../parts/act-list.ts";
import { confirmationField, type Named } from "../parts/confirmation.ts";
import { isPending, type User } from "../../users/user.ts";
import type { FormOf } from "./person-forms.ts";
import type { Person } from "./person.ts";

export function nameOf({ id, email, name }: Pick<User, "id" | "email" | "name">): Named {
  return { id, names: [email, name] };
}

function sentenceField(value: string): Html {
  return html`<label>Sentence for the mail<input name="message" maxlength="500" value="${value}" /></label>`;
}

/**
 * First what helps them to sign in, then other links, last what ends access. `fix`: the first, if
 * they cannot sign in without it.
 */
export function accountActs(person: Person, form: FormOf): PageActs & { fix: ActButton | undefined } {
  const { user, sendsMail, isBlocked, invitedUntil } = person;
  const { id, appId, email, disabledAt } = user;
  const hasPassword = person.methods.some(({ method }) => method.type === "password");
  const isNew = person.methods.length === 0 && person.factor.totp === null;
  const enable = () =>
    form("enable", {
      label: "Enable",
      about: "The user can sign in again. Ended logins stay ended.",
      command: ["user", "enable", id],
    });
  const approve = () =>
    form("approve", {
      label: "Approve",
      about: "The person can sign in, and is mailed about it.",
      fields: (entered) => sentenceField(entered("message")),
      command: ["user", "approve", id],
    });
  const refuse = () =>
    form("refuse", {
      label: "Refuse",
      title: "Refuse this account",
      about: "Deletes the account, and mails the person. They may sign up again; you will see that they were refused.",
      fields: (entered) => sentenceField(entered("message")),
      command: ["user", "refuse", id],
      isGrave: true,
    });
  const unblock = () =>
    form("unblock", {
      label: "Unblock",
      about:
        "The user can try again at once, with passwords in every browser and with codes. After 100 wrong codes, they get ten more.",
      command: ["user", "unblock", id],
    });
  const requireNewPassword = () =>
    form("requireNewPassword", {
      label: "Require a new password",
      about:
        "At the next sign-in by the password, they must replace it, and prove more than it. Logins and other methods stay.",
      command: ["user", "require-new-password", id],
      isGrave: true,
    });
  const disable = () =>
    form("disable", {
      label: "Disable",
      about: "Signs the user out everywhere. They cannot sign in until the account is enabled.",
      command: ["user", "disable", id],
      isGrave: true,
    });
  const inviteAgain = () =>
    form("inviteAgain", {
      label: invitedUntil === undefined ? "Mail an invitation" : "Mail the invitation again",
      about: "They get a new link at their address, with which they choose how to sign in. It works once, for 7 days.",
      command: ["user", "invite", "--app", appId, "--email", email ?? ""],
    });
  const inviteByLink = () =>
    form("inviteByLink", {
      label: "Make an invitation link",
      about: "Shows a link to hand over. Anybody who has it can set up this account. It works once, for 7 days.",
      command: ["user", "invite", "--app", appId, "--email", email ?? "", "--link"],
    });
  const withdrawInvitation = () =>
    form("withdrawInvitation", {
      label: "Withdraw the invitation",
      about: "The link that they got stops working. The account stays, and can be invited again.",
      command: ["user", "invite", "--withdraw", id],
      isGrave: true,
    });
  const mailResetLink = () =>
    form("mailResetLink", {
      label: "Mail a password reset link",
      about: "Mails the user a link. It works once, for 30 minutes.",
      command: ["user", "reset-link", id, "--send"],
    });
  const resetLink = () =>
    form("resetLink", {
      label: "Create a password reset link",
      about:
        "You see a link to hand over. Anybody who has it can choose a new password. It works once, for 30 minutes.",
      command: ["user", "reset-link", id],
    });
  const remove = () =>
    form("remove", {
      label: "Delete",
      title: "Delete this account",
      about: "Permanently deletes the account and its data. The audit log keeps only the user ID.",
      fields: (entered) => html`${confirmationField(nameOf(user), entered("confirmation"))}`,
      command: ["user", "delete", id],
      isGrave: true,
    });
  if (isPending(user)) {
    const first = user.emailVerified || email === null ? [approve()] : [];
    const [primary, ...others] = [...first, refuse()];
    return { primary, more: [...others, remove()], fix: first[0] };
  }
  const [isMailed, isInvited] = [email !== null && sendsMail, isNew && email !== null];
  const fixing = [
    ...(disabledAt === null ? [] : [enable()]),
    ...(isBlocked ? [unblock()] : []),
    ...(isInvited && disabledAt === null && sendsMail ? [inviteAgain()] : []),
    ...(isInvited && disabledAt === null ? [inviteByLink()] : []),
  ];
  const [primary, ...more] = [
    ...fixing,
    ...(invitedUntil === undefined ? [] : [withdrawInvitation()]),
    ...(isMailed ? [mailResetLink()] : []),
    resetLink(),
    ...(hasPassword && !person.mustChange ? [requireNewPassword()] : []),
    ...(disabledAt === null ? [disable()] : []),
    remove(),
  ];
  return { primary, more, fix: fixing[0] };
}
