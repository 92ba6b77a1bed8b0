import type { BrowserSessions } from "../../account/browser-sessions.ts";
import type { Application } from "../../applications/application.ts";
import type { Applications } from "../../applications/service.ts";
import type { AddressChange } from "../../email-tokens/address-change.ts";
import type { EmailToken } from "../../email-tokens/email-token.ts";
import type { EmailTokens } from "../../email-tokens/service.ts";
import type { Users } from "../../users/service.ts";
import type { User } from "../../users/user.ts";

/** `sessionId`: of the sign-in that requested the link. */
type ConfirmLink = { token: EmailToken } & (
  | { purpose: "sign-up"; sessionId: string }
  | { purpose: "verify" | "change" }
);

export type ConfirmLinks = ReturnType<typeof createConfirmLinks>;

/** Finds what a mailed link verifies, and who may use it. Changes nothing. */
export function createConfirmLinks(deps: {
  emailTokens: EmailTokens;
  addressChange: AddressChange;
  browserSessions: BrowserSessions;
  applications: Applications;
  users: Users;
}) {
  const { emailTokens, addressChange, browserSessions, applications, users } = deps;

  return {
    /** Undefined if the link is no longer valid. */
    async find(secret: string): Promise<ConfirmLink | undefined> {
      const token = await emailTokens.find(secret);
      if (token?.purpose === "sign-up")
        return { token, purpose: "sign-up", sessionId: emailTokens.sessionIdOf(token) ?? "" };
      return token?.purpose === "verify" || token?.purpose === "change" ? { token, purpose: token.purpose } : undefined;
    },

    /**
     * `signedIn`: set if this browser may verify the address: the user is signed in to the account
     * page, and for a change asked for it there. Undefined if the application is gone.
     */
    async findAccount(
      token: EmailToken,
      browserDigest: string,
    ): Promise<{ application: Application; signedIn: { user: User; tie: string } | undefined } | undefined> {
      const { appId, userId } = token;
      const application = await applications.find(appId);
      if (!application) return undefined;
      const session = await browserSessions.find(browserDigest, appId);
      const user = session && session.userId === userId ? await users.find(userId) : undefined;
      if (!session || !user || user.disabledAt !== null) return { application, signedIn: undefined };
      const signedIn = { user, tie: session.tie };
      const isHere = token.purpose !== "change" || addressChange.isOf(signedIn, token);
      return { application, signedIn: isHere ? signedIn : undefined };
    },
  };
}
