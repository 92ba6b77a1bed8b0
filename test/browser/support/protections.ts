/** What every page of the service carries, whatever it says. */
const headers: Record<string, string> = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
};

/** A picture may come from the app too, and a form may lead to it. */
const policy = [
  /^default-src 'none'$/u,
  /^script-src 'self'$/u,
  /^style-src 'self'$/u,
  /^img-src 'self'(?: http:\/\/localhost:\d+)?$/u,
  /^connect-src 'self'$/u,
  /^form-action 'self'(?: http:\/\/(?:localhost|127\.0\.0\.1):\d+)*$/u,
  /^base-uri 'none'$/u,
  /^object-src 'none'$/u,
  /^frame-ancestors 'none'$/u,
  /^require-trusted-types-for 'script'$/u,
];

/** What is missing or too much in the headers of a page. */
export function missingProtections(sent: Record<string, string>): string[] {
  const directives = (sent["content-security-policy"] ?? "").split("; ");
  return [
    ...Object.keys(headers).filter((name) => sent[name] !== headers[name]),
    ...policy.filter((wanted) => !directives.some((directive) => wanted.test(directive))).map(String),
    ...directives.filter((directive) => !policy.some((wanted) => wanted.test(directive))),
    ...Object.keys(sent).filter((name) => name.startsWith("access-control-")),
  ];
}
