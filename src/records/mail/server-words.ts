import type { SmtpServer } from "../../config/mail.ts";

/** What is wrong with a mail server, for `doctor` and the console. `reason`: of an attempt. */
export function mailServerProblem(
  { host, port }: Pick<SmtpServer, "host" | "port">,
  reason: string,
): { message: string; fix: string } {
  return {
    message: `The mail server ${host}:${port} cannot be used (${reason}).`,
    fix: "fix mail.smtpUrl, or start the server",
  };
}
