import type { Answer } from "../http/answer.ts";

/** Allows a page to show mails in frames. */
export function withMailFrames(page: Answer): Answer {
  const policy = `${page.headers["content-security-policy"]}; frame-src 'self'`;
  return { ...page, headers: { ...page.headers, "content-security-policy": policy } };
}

/**
 * The mail itself, treated as untrusted: no script, no form, no origin; links open in a new tab.
 */
export function framedMail(html: string): Answer {
  const policy = [
    "sandbox allow-popups allow-popups-to-escape-sandbox",
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src https:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": policy,
      "x-frame-options": "SAMEORIGIN",
    },
    body: html.replace("<head>", '<head><base target="_blank" />'),
  };
}
