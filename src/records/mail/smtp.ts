import { getSystemErrorName } from "node:util";
import type { NodemailerError } from "nodemailer";
import type { Sender, SmtpServer } from "../../config/mail.ts";
import { second } from "../../lib/clock.ts";
import { connectionFailure } from "../../lib/connection-failures.ts";
import { clip, oneLine } from "../../lib/text.ts";
import type { MailMessage, Sending, Transport } from "./mail.ts";

/** Connections to the server, and thus mails sent concurrently. */
export const maxAtOnce = 4;

/**
 * The limit for a whole mail. A slow server can stay below every socket timeout. Must be shorter
 * than the lease in service.ts.
 */
const oneTryLasts = 45 * second;
const maxAnswerCharacters = 200;

/**
 * Sends by SMTP over a few persistent connections. The only file that uses nodemailer, which is
 * loaded with the first mail.
 */
export function createSmtpTransport({ server, from }: { server: SmtpServer; from: Sender }): Transport {
  let pool: ReturnType<typeof openPool> | undefined;

  return {
    async send(message) {
      try {
        pool ??= openPool(server);
        const { response } = await (await pool).sendMail(envelopeAndHeaders(message, from));
        return { result: "sent", answer: clip(oneLine(response.toWellFormed()), maxAnswerCharacters) };
      } catch (error) {
        return whatFailed(error as NodemailerError);
      }
    },
    close() {
      void pool?.then((opened) => opened.close({ force: true })).catch(() => {});
      pool = undefined;
    },
  };
}

/**
 * Why a server cannot be used, as a code without secrets; undefined if it accepts our name and
 * password.
 */
export async function smtpProblem(server: SmtpServer, milliseconds: number): Promise<string | undefined> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    ...connectionTo(server),
    dnsTimeout: milliseconds,
    connectionTimeout: milliseconds,
    greetingTimeout: milliseconds,
    socketTimeout: milliseconds,
  });
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  // A slow server can stay below every socket timeout. Later than these, which say what is missing.
  const timer = setTimeout(() => reject(Object.assign(new Error(), { code: "ETIMEDOUT" })), 1.2 * milliseconds);
  try {
    await Promise.race([transport.verify(), tooLate]);
    return undefined;
  } catch (error) {
    const failed = whatFailed(error as NodemailerError);
    return failed.result === "sent" ? undefined : failed.reason;
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

async function openPool(server: SmtpServer) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    ...connectionTo(server),
    pool: true,
    maxConnections: maxAtOnce,
    // Once, for a persistent connection that the server has closed; our own schedule does other
    // retries.
    maxRequeues: 1,
    dnsTimeout: 10 * second,
    connectionTimeout: 10 * second,
    greetingTimeout: 10 * second,
    socketTimeout: 30 * second,
  });
}

function connectionTo({ host, port, user, password, tls, ehloName }: SmtpServer) {
  return {
    host,
    port,
    ...(ehloName === undefined ? {} : { name: ehloName }),
    ...(user === undefined ? {} : { auth: { user, pass: password } }),
    secure: tls === "from-start",
    requireTLS: tls === "upgrade",
    ignoreTLS: tls === "none",
    tls: { rejectUnauthorized: true, minVersion: "TLSv1.2" as const },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * Addresses are passed as objects, never as text to be parsed: nodemailer would take
 * "a@b.io\r\nBcc: c@d.io" for two recipients. Names and the subject are one line already
 * (render.ts), and are cleaned here again.
 */
function envelopeAndHeaders(message: MailMessage, from: Sender) {
  const { id, to, subject, text, html, language } = message;
  return {
    from: { name: oneLine(from.name ?? message.senderName), address: from.address },
    to: { name: "", address: to },
    envelope: { from: from.address, to: [to] },
    subject: oneLine(subject),
    text,
    html,
    // The same for all attempts, so that recipients can detect duplicates.
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`,
    headers: {
      "Content-Language": language,
      // RFC 3834: no out-of-office answers.
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
    },
    signal: AbortSignal.timeout(oneTryLasts),
  };
}

/** The server's own words contain the address, so only ours and its codes are returned. */
function whatFailed(error: NodemailerError): Sending {
  const { code, responseCode, command } = error;
  const codes = [code ?? "error", responseCode, command].filter((part) => part !== undefined).join(" ");
  const reason = wordsFor(error) ?? refusalWords(error) ?? codes.slice(0, 100);
  // RFC 5321 §4.2.1: 5yz is permanent, but 503 means a confused session, not a bad recipient.
  const isForGood =
    command === "RCPT TO" &&
    responseCode !== undefined &&
    responseCode >= 500 &&
    responseCode <= 599 &&
    responseCode !== 503;
  return { result: isForGood ? "refused" : "failed", reason };
}

const refusedCommands: [command: RegExp, words: string][] = [
  [/^AUTH/u, "it refuses the name or password"],
  [/^RCPT TO$/u, "it refuses the recipient's address"],
  [/^MAIL FROM$/u, "it refuses the sender (mail.from)"],
  [/^DATA$/u, "it refuses the mail"],
  [/^(?:EHLO|HELO)$/u, "it refuses the name of this service (mail.ehloName)"],
];

/** What a server refused, and its number: 4yz asks to come back later (RFC 5321 §4.2.1). */
function refusalWords({ command = "", responseCode }: NodemailerError): string | undefined {
  const words = refusedCommands.find(([refused]) => refused.test(command))?.[1];
  if (words === undefined || responseCode === undefined) return undefined;
  return `${words}${responseCode < 500 ? " for now" : ""} (${responseCode})`;
}

/** The library keeps the cause of a failed connection only as a number or a message. */
function wordsFor({ code, command, errno, message }: NodemailerError): string | undefined {
  if (code === "ETLS") return "it offers no STARTTLS (smtps:// is TLS from the start)";
  if (command !== undefined && command !== "CONN" && command !== "STARTTLS") return undefined;
  if (code === "EDNS") return connectionFailure("ENOTFOUND");
  if (/wrong version number/u.test(message)) return "it does not speak TLS on this port (smtp:// is STARTTLS)";
  if (/altnames/u.test(message)) return connectionFailure("ERR_TLS_CERT_ALTNAME_INVALID");
  if (/certificate has expired/u.test(message)) return connectionFailure("CERT_HAS_EXPIRED");
  if (/certificate/u.test(message)) return connectionFailure("DEPTH_ZERO_SELF_SIGNED_CERT");
  if (message.startsWith("Greeting never")) return "it sent no greeting (where TLS is from the start, use smtps://)";
  if (code === "ETIMEDOUT") return "it did not answer in time";
  if (code === "ECONNECTION") return connectionFailure("ECONNRESET");
  return errno === undefined ? undefined : connectionFailure(getSystemErrorName(errno));
}
