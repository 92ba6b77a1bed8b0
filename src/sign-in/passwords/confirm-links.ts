import type { BrowserSessions } from "../../account/browser-sessions.ts";
import type { Application } from "../../applications/application.ts";
import type { Applications } from "../../applications/service.ts";
import type { EmailToken } from "../../email-tokens/email-token.ts";
import type { EmailTokens } from "../../email-tokens/service.ts";
import type { Users } from "../../users/service.ts";
import type { User } from "../../users/user.ts";

/** `sessionId`: of the sign-in that requested the link. */
type ConfirmLink = { token: EmailToken } & ({ purpose: "sign-up"; sessionId: string } | { purpose: "verify" });

export type ConfirmLinks = ReturnType<typeof createConfirmLinks>;

/** Finds what a mailed link verifies, and who may use it. Changes nothing. */
export function createConfirmLinks(deps: {
  emailTokens: EmailTokens;
  browserSessions: BrowserSessions;
  applications: Applications;
  users: Users;
}) {
  const { emailTokens, browserSessions, applications, users } = deps;

  return {
    /** Undefined if the link is no longer valid. */
    async find(secret: string): Promise<ConfirmLink | undefined> {
      const token = await emailTokens.find(secret);
      if (token?.purpose === "sign-up")
        return { token, purpose: "sign-up", sessionId: emailTokens.sessionIdOf(token) ?? "" };
      return token?.purpose === "verify" ? { token, purpose: "verify" } : undefined;
    },

    /**
     * `user`: set if they are signed in to the account page in this browser, and so may verify the
     * address. Undefined if the application is gone.
     */
    async findAccount(
      { appId, userId }: EmailToken,
      browserDigest: string,
    ): Promise<{ application: Application; user: User | undefined } | undefined> {
      const application = await applications.find(appId);
      if (!application) return undefined;
      const session = await browserSessions.find(browserDigest, appId);
      const user = session && session.userId === userId ? await users.find(userId) : undefined;
      return { application, user: user?.disabledAt === null ? user : undefined };
    },
  };
}
