import { canonicalDomain, canonicalEmail } from "../lib/email.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import { isHost } from "./network.ts";

/** A mail server as configured by `mail.smtpUrl`. */
export type SmtpServer = {
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  /** `from-start`: smtps. `upgrade`: STARTTLS is required. `none`: plain text. */
  tls: "from-start" | "upgrade" | "none";
  /** How we introduce ourselves; without one, by the name of this machine. */
  ehloName?: string | undefined;
};

export type Sender = { name: string | undefined; address: string };

const ports = { "smtp:": 587, "smtps:": 465 } as const;

/**
 * Parses `smtp[s]://[user:password@]host[:port]`; undefined if invalid. smtp:// requires STARTTLS,
 * so an attacker on the network cannot strip it. Plain text is used only for this machine or with
 * `?tls=none`.
 */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  // The URL class tolerates characters that are typing errors in a setting.
  if (!/^smtps?:\/\/[\x21-\x7e]+$/iu.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/gu, "");
  const clear = url.search === "?tls=none";
  if (
    !isHost(host) ||
    (url.pathname !== "" && url.pathname !== "/") ||
    (url.search !== "" && !clear) ||
    url.port === "0" ||
    url.hash !== ""
  )
    return undefined;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === undefined || password === undefined || (user === "") !== (password === "")) return undefined;
  const isTls = url.protocol === "smtps:";
  if (isTls && clear) return undefined;
  return {
    host,
    port: url.port === "" ? ports[isTls ? "smtps:" : "smtp:"] : Number(url.port),
    user: user === "" ? undefined : user,
    password: password === "" ? undefined : password,
    tls: isTls ? "from-start" : clear || isLoopbackHost(host) ? "none" : "upgrade",
  };
}

/** Parses `auth@example.com` or `Acme <auth@example.com>`; undefined if invalid. */
export function parseSender(text: string): Sender | undefined {
  const [, name, bracketed] = /^([^<>]*)<([^<>]+)>$/u.exec(text.trim()) ?? [];
  const address = (bracketed ?? text).trim();
  if (canonicalEmail(address) === undefined) return undefined;
  const shown = name?.trim().replace(/^"(.*)"$/u, "$1");
  const at = address.lastIndexOf("@") + 1;
  return {
    name: shown === undefined || shown === "" ? undefined : shown,
    // The case before the `@` is the operator's.
    address: `${address.slice(0, at)}${canonicalDomain(address.slice(at))}`,
  };
}

function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    // Control characters would inject lines into the SMTP dialogue.
    return /\p{Cc}/u.test(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
