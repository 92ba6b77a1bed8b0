/** The audit log's actions in words. */
import type { EventKind, MailKind } from "../../storage/column-types.ts";

type Words = string | { success: string; failure: string };

const actions: Record<string, Words> = {
  "sign-in": { success: "Signed in", failure: "Sign-in failed" },
  "user.login": { success: "Login started", failure: "A wrong or used code was redeemed" },
  "user.logout": "Login ended",
  "account.sign-out": "Signed out of the account page",
  "sign-up.asked": "Asked for an account",
  "sign-in.code-asked": "Asked for a sign-in code by mail",
  "email-code": "A wrong code from a mail was entered",
  "user.create": "Account created",
  "user.invite": "Invited",
  "user.invite-withdrawn": "Invitation withdrawn",
  "user.invite-accepted": "Invitation accepted",
  "user.import": "Users imported",
  "user.export": "Users exported",
  "audit.export": "Export of the audit log begun",
  "audit.exported": { success: "Audit log exported", failure: "An export of the audit log was cut" },
  "people.export": "Export of people begun",
  "people.exported": { success: "People exported", failure: "An export of people was cut" },
  "user.download": "Downloaded their own data",
  "user.update": "Profile changed",
  "user.metadata": "Metadata changed",
  "user.disable": "Disabled",
  "user.enable": "Enabled",
  "user.unblock": "Unblocked",
  "user.revoke-logins": "Every login ended",
  "user.delete": "Account deleted",
  "user.reset-link": "Password reset link made",
  "user.recovery-link": "Recovery link made",
  "user.address-asked": "Asked to change the address",
  "user.address-changed": "Address changed",
  "user.address-restored": "Earlier address restored",
  "user.address-proven": "Address verified",
  "user.address-lost": "Unverified address taken over by its owner",
  "user.verify-asked": "Asked to verify the address",
  "password.reset-asked": "Asked for a password reset",
  "password.reset": "Password reset",
  "password.changed": "Password changed",
  "method.added": "Sign-in method added",
  "method.renamed": "Passkey renamed",
  "method.removed": "Sign-in method removed",
  "passkey.counter": "A passkey may have been copied",
  "factor.added": "Second factor set up",
  "factor.replaced": "Second factor replaced",
  "factor.removed": "Second factor removed",
  "factor.codes-renewed": "New recovery codes",
  "factor.code-used": "Recovery code used",
  "factor.guessed": "Many wrong codes of the second factor",
  "factor.trust-ended": "Trusted browser forgotten",
  "consent.remove": "Program's access removed",
  "device.deny": "Refused a device that asked to sign in",
  "code.reuse": "A sign-in code was used twice, and its login ended",
  "token.reuse": "A refresh token was used twice, and its login ended",
  "token.mint": "Token made to act as this person",
  "group.add": "Added to a group",
  "group.remove": "Removed from a group",
  "mail.sent": "A mail was sent",
  "mail.dropped": "A mail could not be sent",
  "mail.limited": "A mail was not sent: too many",
  "call.refused": "A call was refused",
  "application.create": "Application created",
  "application.update": "Application changed",
  "application.delete": "Application deleted",
  "api-key.create": "API key created",
  "api-key.expire": "API key given an end",
  "api-key.revoke": "API key revoked",
  "provider.set": "Provider set",
  "provider.remove": "Provider removed",
  "client.create": "Client created",
  "client.update": "Client changed",
  "client.delete": "Client deleted",
  "client.seen": "Unregistered client used for the first time",
  "client.changed": "Document of an unregistered client changed",
  "client-credential.add": "Trust in another issuer added",
  "client-credential.remove": "Trust in another issuer removed",
  "resource.create": "Resource created",
  "resource.update": "Resource changed",
  "resource.delete": "Resource deleted",
  "client.block": "Client blocked",
  "client.unblock": "Client unblocked",
  "client-secret.create": "Client secret created",
  "client-secret.expire": "Client secret given an end",
  "client-secret.revoke": "Client secret revoked",
  "group.create": "Group created",
  "group.update": "Group changed",
  "group.delete": "Group deleted",
  "organization.domain.add": "Domain claimed",
  "organization.domain.update": "Joining by a domain changed",
  "organization.domain.remove": "Domain removed",
  "organization.domain.proved": "Domain proved",
  "organization.domain.lost": "Domain lost",
  "organization.create": "Organization created",
  "organization.update": "Organization changed",
  "organization.disable": "Organization disabled",
  "organization.enable": "Organization enabled",
  "organization.delete": "Organization deleted",
  "organization.ownerless": "Organization has no owner any more",
  "organization.invite": "Invited to an organization",
  "organization.invitation.withdraw": "Invitation to an organization withdrawn",
  "organization.invitation.accept": "Invitation to an organization accepted",
  "organization.invitation.refuse": "Invitation to an organization declined",
  "organization.member.add": "Joined an organization",
  "organization.member.update": "Roles in an organization changed",
  "organization.member.leave": "Left an organization",
  "organization.member.remove": "Removed from an organization",
  "webhook.create": "Webhook endpoint created",
  "webhook.update": "Webhook endpoint changed",
  "webhook.delete": "Webhook endpoint deleted",
  "webhook.disable": "Webhook endpoint disabled by the service",
  "webhook.test": "Test event sent",
  "webhook.redeliver": "Events sent again",
  "mail.test": "Sample mail sent",
  "signing-key.rotate": "Signing keys rotated",
  "signing-key.revoke": "Signing key revoked",
  "master-key.rotate": "Master key changed",
  "master-key.retire": "Old master key retired",
  "operator.invite": "Operator invited",
  "operator.invite-withdrawn": "Operator's invitation withdrawn",
  "operator.update": "Operator's role changed",
  "operator.remove": "Operator removed",
  "operator.networks": "Operators' networks changed",
  "token.exchange": "Token exchanged",
  "machine.token": { success: "Machine got a token", failure: "Machine was refused a token" },
  "device.code": "Device asked to sign in",
  "dpop.replay": "A proof of a key was used twice",
  "database.backup": "Database backed up",
  "database.backup-asked": "Asked for a backup of the database",
  "database.restore": "Database restored",
  "database.copy": "Database copied",
  "database.migrate": "Database migrated",
  "service.start": "Service started",
  "service.stop": "Service stopped",
  "service.version": "Service started with another version",
};

/** To choose from, by their words. */
export const knownActions = Object.entries(actions)
  .map(([action, words]) => [action, typeof words === "string" ? words : words.success] as const)
  .toSorted(([, a], [, b]) => (a < b ? -1 : 1));

/** The action's name if it has no text here. */
export function actionWords({ action, result }: { action: string; result: "success" | "failure" }): string {
  const words = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (words === undefined) return result === "failure" ? `${action} (failed)` : action;
  return typeof words === "string" ? words : words[result];
}

const mails: Record<MailKind, string> = {
  "sign-up": "code for a new account",
  "sign-in": "code to sign in",
  verify: "code to verify the address",
  reset: "password reset",
  "change-address": "code for a new address",
  "address-changed": "the address was changed",
  "address-replaced": "the address was replaced",
  "address-restored": "the address was restored",
  invite: "invitation",
  "known-address": "the address has an account",
  "method-added": "a sign-in method was added",
  "method-removed": "a sign-in method was removed",
  "password-changed": "the password was changed",
  "new-device": "a sign-in on a new device",
  "factor-added": "a second factor was set up",
  "factor-removed": "the second factor was removed",
  "recovery-code-used": "a recovery code was used",
  "recovery-codes-new": "new recovery codes",
  "factor-guessed": "many wrong codes",
  "recovery-link-made": "a recovery link was made",
  "domain-missing": "the record of a domain is missing",
  "domain-lost": "a domain was lost",
  "organization-invite": "an invitation to an organization",
  "organization-declined": "an invitation to an organization was declined",
  "organization-owner-added": "a new owner of an organization",
  "organization-owner-removed": "an owner of an organization less",
  "organization-deleted": "an organization will be deleted",
  approved: "an account was approved",
  refused: "an account was refused",
  "accounts-waiting": "accounts wait for approval",
};

export function mailWords(kind: MailKind): string {
  return mails[kind];
}

const events: Record<EventKind, string> = {
  "user.login": "login started",
  "user.logout": "login ended",
  "user.created": "account created",
  "user.pending": "account waits for approval",
  "user.updated": "account changed",
  "user.deleted": "account deleted",
  "method.added": "sign-in method added",
  "method.removed": "sign-in method removed",
  "login.failed": "sign-in failed",
  "token.reuse": "token used twice",
  "organization.created": "organization created",
  "organization.updated": "organization changed",
  "organization.deleted": "organization deleted",
  "organization.ownerless": "organization without an owner",
  "organization.member.added": "member added",
  "organization.member.updated": "member's roles changed",
  "organization.member.removed": "member removed",
  "organization.domain.proved": "domain proved",
  "organization.domain.lost": "domain lost",
};

export function eventWords(kind: EventKind): string {
  return events[kind];
}

/** The actor, as a page about the person `userId` names them. */
export function actorWords(actor: string, userId: string | null): string {
  const [, kind = "", name = ""] = /^([a-z]+):(.*)$/su.exec(actor) ?? [];
  if (kind === "user") return name === userId ? "the person" : name === "unknown" ? "not signed in" : name;
  if (kind === "app") return "the application's server";
  if (kind === "client") return `the machine ${name}`;
  if (kind === "cli") return `${name} (command)`;
  if (kind === "operator") return `operator ${name}`;
  return kind === "service" ? "the service" : actor;
}
