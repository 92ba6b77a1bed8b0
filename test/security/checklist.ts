/** A line of the security checklist: what must hold. Its tests are titled by its id: `S3: …`. */
export type Requirement = { id: string; holds: string; source: string };

export const chapters: Record<string, string> = {
  S: "Sessions and codes",
  R: "Redirects",
  T: "Tokens and keys",
  F: "Refresh rotation",
  P: "Passwords and email",
  K: "Passkeys",
  O: "OAuth and linking",
  C: "OpenID Connect clients and single sign-on",
  H: "Hosted pages",
  A: "API keys and tenants",
  B: "Tokens in the query",
  L: "Rate limits, brute force, enumeration",
  W: "Webhooks",
  X: "Commands, secrets at rest",
  G: "Logging, privacy, audit",
  D: "Deletion",
  V: "Feed of ended logins",
  Y: "Supply chain and HTTP stack",
};

/**
 * From OWASP ASVS 5.0 (A), its cheat sheets (CS), RFC 9700, WebAuthn Level 3 (WA), RFC 8725, NIST
 * 800-63B-4, and what went wrong elsewhere.
 */
export const checklist: Requirement[] = [
  {
    id: "S1",
    holds: "sessionId, code, refresh token, challenge: CSPRNG, ≥128 bit (use 256)",
    source: 'A 7.2.3, 11.5.1 ("UUIDs do not respect this")',
  },
  {
    id: "S2",
    holds: "Code works once; second use fails **and** revokes what the first issued",
    source: "A 10.4.2; 9700 §4.2; oidcc-codereuse(-30seconds)",
  },
  { id: "S3", holds: "Exactly one winner under concurrency", source: "GHSA-7w99-5wm4-3g79; GoTrue #2612" },
  {
    id: "S4",
    holds: "Code bound to app key, App ID, sessionId, state, each checked alone",
    source: "CVE-2026-28513 (`&&` for `||`); CVE-2026-55672; FAPI2 EnsureAuthorizationCodeIsBoundToClient",
  },
  {
    id: "S5",
    holds: "Code ≤60 s, session ≤10 min, enforced at every step",
    source: "A 10.4.3 (L3 1 min); FAPI2 AttemptToUseExpiredAuthCode",
  },
  { id: "S6", holds: "Steps cannot be skipped or replayed", source: "A 2.3.1" },
  {
    id: "S7",
    holds: "Session is bound to the browser that first **POSTs** in it (not first GET: previews)",
    source: "CVE-2024-28197; cross-user OAuth session fixation (IEEE S&P 2026, mobitec.ie.cuhk.edu.hk)",
  },
  {
    id: "S8",
    holds: "`state` returned byte-exact, never interpreted or rendered unescaped",
    source: "A 1.2.1; FAPI2 …WithLongState",
  },
  { id: "S9", holds: "Browser session id changes at login; the old id stops working", source: "A 7.2.4; CS-Session" },
  {
    id: "S10",
    holds: "Logout/reset/delete is visible to /auth/validate at once, all processes",
    source: "A 7.4.1, 7.4.2",
  },
  {
    id: "S11",
    holds: "Logout of one session leaves others; allSessions ends all, incl. hosted-page cookie",
    source: "contract 4.1; A 7.4.3",
  },
  {
    id: "R1",
    holds: "Exact string match",
    source: "9700 §2.1, §4.1.3; A 10.4.1; CVE-2026-28512; Hanko `bf279f7d`; oidcc-redirect-uri-query-*",
  },
  {
    id: "R2",
    holds: "A bad redirectUri never gets a 3xx, at start or at error",
    source: "oidcc-ensure-registered-redirect-uri",
  },
  {
    id: "R3",
    holds: "Registered URIs: absolute https (http only for loopback), no fragment, wildcard, userinfo",
    source: "9700 §2.6; oidcc-redirect-uri-regfrag; CVE-2026-29192",
  },
  { id: "R4", holds: "Redirect after a credential POST is 303, never 307/308", source: "9700 §4.12" },
  {
    id: "R5",
    holds: "Links, iss, authUrl, cookies come from configured base URL",
    source: "CVE-2023-49097, CVE-2025-64101, GHSA-93m4-mfpg-c3xf, GHSA-3529-5m8x-rpv3; CS-Forgot_Password",
  },
  { id: "R6", holds: "Removing a redirectUri stops sessions already started", source: "A 8.3.2" },
  {
    id: "R7",
    holds: "Page-internal `next` accepts only own relative paths",
    source: "CS-Unvalidated_Redirects; A 3.7.2",
  },
  { id: "T1", holds: "Only the key's own alg verifies", source: "A 9.1.1–9.1.3; 8725 §3.1; CVE-2022-23540/-23541" },
  {
    id: "T2",
    holds: "Token kinds not interchangeable (typ `at+jwt`)",
    source: "A 9.2.2; 8725 §3.11–3.12; RFC 9068 §2.1",
  },
  {
    id: "T3",
    holds: "iss, aud=app_id, exp, iat checked everywhere",
    source: "A 9.2.1, 9.2.3, 9.2.4; CVE-2026-55669, GHSA-wxg7-w2v3-w38g",
  },
  { id: "T4", holds: "Subject must still exist; ids never reused", source: "8725 §3.8; CVE-2026-55670" },
  { id: "T5", holds: "JWKS: public members only, unique kid, cacheable", source: "A 9.1.3" },
  {
    id: "T6",
    holds: "Rotation without downtime",
    source: "9700 §2.6 (metadata helps rotation); Apigee/Auth0 docs: publish before use, remove after last expiry",
  },
  {
    id: "T7",
    holds: "Hostile tokens are cheap to reject",
    source: "CVE-2025-30204; GHSA-xmf8-cvqr-rfgj; 8725bis (decompression, hash iterations)",
  },
  { id: "T8", holds: "Altered/truncated tokens fail", source: "CVE-2026-27840" },
  {
    id: "F1",
    holds: "New token each refresh; its predecessor is refused after the grace period",
    source: "A 10.4.5; 9700 §4.14.2",
  },
  {
    id: "F2",
    holds: "Reuse after the grace period revokes the whole family and is audited",
    source: "A 10.4.5; 9700 §4.14.2",
  },
  { id: "F3", holds: "Parallel refresh never forks a family", source: "GHSA-392p-2q2v-4372; CVE-2026-1035" },
  { id: "F4", holds: "refresh ∥ logout: nothing issued survives the logout", source: "GHSA-392p (revoke+rotate test)" },
  {
    id: "F5",
    holds: "User/app/method state re-checked",
    source: "CVE-2026-43983; GHSA-wv3h-x6c4-r867; Rauthy v0.32.4",
  },
  { id: "F6", holds: "Bound to the app", source: "9700 §2.2.2; CVE-2026-55672; oidcc-refresh-token" },
  {
    id: "F7",
    holds: "Idle and absolute expiry; rotation does not extend the absolute one",
    source: "A 10.4.8, 7.3.2; 63B-4 §2.1.3, §2.2.3",
  },
  { id: "F8", holds: "A restart does not revive revoked tokens", source: "CVE-2026-9802" },
  {
    id: "F9",
    holds: "A lost response does not log the user out",
    source: 'GoTrue tokens/service.go ("fail-to-save … more frequently than you can imagine")',
  },
  { id: "F10", holds: "Storage error on logout → 5xx, never `success:true`", source: "CVE-2020-15223" },
  { id: "F11", holds: "Only a digest at rest", source: "A 6.5.2; Pocket ID #379" },
  {
    id: "P1",
    holds: "Min length enforced, ≥64 (allow 256) accepted, any characters, no trimming/truncation",
    source: "A 6.2.1/5/8/9; Okta 52-char advisory (30 Oct 2024)",
  },
  {
    id: "P2",
    holds: "Common (≥3 000), breached and context words refused",
    source: "A 6.2.4, 6.2.11, 6.2.12; 63B-4 §3.1.1.2",
  },
  { id: "P3", holds: "argon2id PHC strings, unique salts, upgrade at login", source: "A 11.4.2; CS-Password_Storage" },
  {
    id: "P4",
    holds: "Login response and time equal for unknown / wrong / OAuth-only / unverified / throttled user",
    source: "A 6.3.8; CVE-2026-4633, CVE-2026-23511, CVE-2024-41952",
  },
  {
    id: "P5",
    holds: "Sign-up with a known email looks identical; owner gets a mail",
    source: "A 6.3.8; Rauthy #1487; Better Auth `3ec7d41a91`",
  },
  {
    id: "P6",
    holds: "Reset token: 256 bit, hashed, single use, ≤30 min, newest only; all sessions end; no auto-login",
    source: "CS-Forgot_Password; GHSA-7hgr-xvrr-xpw3; CVE-2026-22706",
  },
  { id: "P7", holds: "GET/HEAD of a mailed link changes nothing", source: "A 3.5.3" },
  {
    id: "P8",
    holds: "Reset never locks or changes the account before a valid token; ≤3 mails/h per address",
    source: "CS-Forgot_Password",
  },
  { id: "P9", holds: "Adding/changing a password needs fresh auth or current password", source: "A 6.2.3, 7.5.1" },
  {
    id: "P10",
    holds: "One canonical address: ASCII-lowercased domain, single `@`, no list/CRLF/fullwidth",
    source: "CVE-2022-35924; GHSA-7rqj-j65f-68wh; CVE-2026-40574; A 1.3.11",
  },
  {
    id: "P11",
    holds: "Nobody can set emailVerified/id/email by API",
    source: "CVE-2026-27946, CVE-2026-54693; A 15.3.3",
  },
  { id: "K1", holds: "Every WA §7.1/§7.2 step", source: "WA §7.1, §7.2; FIDO conformance list" },
  {
    id: "K2",
    holds: "Challenge ≥16 B, server-stored, 5 min, single use, bound to session+ceremony+user",
    source: "WA §13.5.3 (13.4.3 in the published L2), §15.1; Better Auth `8907c7df9c`",
  },
  { id: "K3", holds: "UV and alg policy enforced at server", source: "CVE-2026-8830; WA §7.1" },
  { id: "K4", holds: "Credential id unique over all users, ≤1023 B", source: "WA §7.1" },
  { id: "K5", holds: "Attestation `none`; foreign x5c gives no trust", source: "GHSA-6hxq-p678-4hr2" },
  { id: "K6", holds: "signCount regress is flagged, 0/0 allowed", source: "WA §6.1.1, §7.2" },
  {
    id: "K7",
    holds: "User handle random, no PII; unknown email gets plausible stable options or none",
    source: "WA §14.6.1–14.6.3",
  },
  { id: "K8", holds: "Methods are owned: list/rename/delete only own", source: "GHSA-4vcf-q4xf-f48m" },
  { id: "K9", holds: "Removed passkey cannot log in; last method cannot be removed", source: "A 6.5.6" },
  { id: "K10", holds: "Spec test vectors verify", source: "WA §16" },
  {
    id: "K11",
    holds: "Conditional create: only right after a password in the same session; proves nothing; UV at every sign-in",
    source: "WA §5.1.3, §7.1",
  },
  { id: "O1", holds: "Key is (provider, sub)", source: "A 6.8.1, 10.5.2; nOAuth (descope.com/blog/post/noauth)" },
  {
    id: "O2",
    holds: "Auto-link only if IdP says verified **and** local email verified; else explicit add-method",
    source: "GHSA-g38m-r43w-p2q7; CVE-2026-41574; CVE-2024-38351; CVE-2026-44166",
  },
  {
    id: "O3",
    holds: "First proof of an email purges earlier unproven credentials and sessions",
    source: "Pre-hijacking paper (arXiv 2205.10174); Better Auth `f1c3232bd6`",
  },
  {
    id: "O4",
    holds:
      "Provider verified-flags mapped correctly: Discord `verified`, GitHub primary+verified, Google claim, Apple, **Microsoft email = unverified**, Facebook = unverified",
    source: "CVE-2026-41574; learn.microsoft.com migrate-off-email-claim",
  },
  {
    id: "O5",
    holds: "state ≥128 bit, one-time, bound to browser **and** provider",
    source: "A 10.1.2; 9700 §4.7; GHSA-x445-f3h2-j279",
  },
  { id: "O6", holds: "PKCE S256 always; nonce for OIDC", source: "9700 §2.1.1; A 10.2.1, 10.5.1" },
  {
    id: "O7",
    holds: "id_token fully checked against **pinned** issuer",
    source: "CVE-2026-31813; A 10.5.3–4; OIDCCClientTest*",
  },
  { id: "O8", holds: "Mix-up defence: callback path per provider + iss", source: "A 10.2.2; 9700 §4.4" },
  {
    id: "O9",
    holds: "Disabled method/provider refused at initiate, page, callback, link, refresh",
    source: "CVE-2025-64717; CVE-2026-29193; CVE-2026-1486",
  },
  {
    id: "O10",
    holds:
      "add-method authUrl: single use, user-bound, page names the account, needs proof with an existing method ≤10 min old **in that browser**",
    source: "CVE-2026-37982; GHSA-hp74-gm6m-2qm5; A 7.5.1; COSF paper",
  },
  { id: "O11", holds: "Identity already linked elsewhere is refused, never moved", source: "A 6.8.1" },
  { id: "O12", holds: "Slow/failing/huge IdP responses end in a page, not a 5xx/hang", source: "A 16.5.2, 15.3.2" },
  { id: "O13", holds: "Apple form_post works with Lax cookies", source: "many reports, e.g. ash_authentication #1187" },
  {
    id: "C1",
    holds: "authorize never redirects before client and redirect_uri are known to be right, errors included",
    source: "9700 §4.11; RFC 6749 §4.1.2.1; oidcc-ensure-registered-redirect-uri",
  },
  {
    id: "C2",
    holds: "Code bound to client, redirect_uri and code verifier, each checked alone; consumed before the check",
    source: "9700 §4.5; A 10.4.2; CVE-2026-28513; oidcc-codereuse",
  },
  {
    id: "C3",
    holds: "No PKCE downgrade: S256 only; verifier without challenge refused",
    source: "9700 §4.8.2; A 10.4.6",
  },
  { id: "C4", holds: "Every authorization response carries `iss`", source: "9700 §4.4; RFC 9207 §2; A 10.2.2" },
  {
    id: "C5",
    holds:
      "Client authentication: exactly one method; never in the URL; assertions for this issuer alone; a disabled client gets nothing",
    source: "RFC 6749 §2.3.1; A 10.4.10; A 14.2.1; CVE-2025-27370",
  },
  {
    id: "C6",
    holds: "Refresh tokens, introspection and revocation bound to client and application",
    source: "9700 §4.14; RFC 7009 §2.1; RFC 7662 §4; CVE-2026-43983",
  },
  {
    id: "C7",
    holds: "Single sign-on never across applications; prompt=none never skips consent",
    source: "A 10.7.1; Core 1.0 §3.1.2.1; 9700 §4",
  },
  { id: "C8", holds: "Sign-in, consent and logout pages cannot be framed", source: "9700 §4.16; A 3.4.6" },
  {
    id: "C9",
    holds: "Logout by a foreign page asks the person; no redirect to an unregistered address",
    source: "RP-Initiated Logout 1.0 §2, §6; A 7.4.4",
  },
  {
    id: "C10",
    holds: "ID, logout, access and refresh tokens never stand in for one another",
    source: "8725 §3.12; A 9.2.2; Core 1.0 §16.3",
  },
  {
    id: "H1",
    holds:
      "CSP: nonce scripts, `default-src 'none'`, `base-uri 'none'`, `object-src 'none'`, `frame-ancestors 'none'` on every page incl. errors",
    source: "A 3.4.3, 3.4.6; 9700 §4.16",
  },
  {
    id: "H2",
    holds:
      "`form-action` = 'self' + this session's validated redirect origin + IdP origin (Chrome/Safari apply it to the redirect chain)",
    source: "w3c/webappsec-csp#8; hexpm #1413; kanidm #3354",
  },
  {
    id: "H3",
    holds: "HSTS ≥1 y, nosniff, Referrer-Policy no-referrer, COOP same-origin, CORP, no-store, charset on all",
    source: "A 3.4.1/4/5/8, 4.1.1, 14.3.2",
  },
  {
    id: "H4",
    holds:
      "CSRF: foreign Origin or Sec-Fetch-Site: cross-site POST refused, also **login CSRF**; token for old browsers",
    source: "A 3.5.1–3; CS-CSRF; CVE-2025-24358; CVE-2025-47909",
  },
  { id: "H5", holds: "Cookies `__Host-`, Secure, HttpOnly, SameSite=Lax", source: "A 3.3.1–3.3.4" },
  {
    id: "H6",
    holds: "No XSS via branding, name, picture, email, state, error text — in pages and mails",
    source: "CVE-2019-8400; CVE-2026-5468; CVE-2026-29191/2; CVE-2024-41953",
  },
  {
    id: "H7",
    holds: "No third-party assets; no server-side fetch of picture/logo",
    source: "9700 §4.2.4; A 3.6.1, 1.3.6",
  },
  {
    id: "H8",
    holds: "No CORS on pages/authorize; never `*`+credentials",
    source: "9700 §2.6; A 3.4.2; CVE-2024-41657",
  },
  { id: "H9", holds: "Paste, password managers, `autocomplete` work; fields masked", source: "A 6.2.6, 6.2.7" },
  {
    id: "H10",
    holds:
      "A cookie counts only under its exact bytes and once: a name with byte 0xA0 before it, or given twice, is none of ours; a kept proof renews the cookie",
    source: "RFC 6265 §4.2.1, §5.4; RFC 6265bis §4.1.3.2",
  },
  {
    id: "A1",
    holds: "Shown once, digest at rest, prefix+checksum, constant-time",
    source: "A 11.5.1, 11.2.4; GitHub token format (simonwillison.net 2021-04-05)",
  },
  { id: "A2", holds: "Key works for its app only, on every route", source: "A 8.4.1, 8.2.2; CVE-2025-64431" },
  { id: "A3", holds: "Body/query ids never stand in for authentication", source: "CVE-2025-61928" },
  { id: "A4", holds: "PATCH takes only listed fields, no prototype pollution", source: "A 15.3.3, 15.3.5, 15.3.6" },
  { id: "A5", holds: "Two keys overlap; revoked key fails within 1 s", source: "A 13.3.4" },
  { id: "A6", holds: "App ID header, if sent, must match key and token", source: "contract 5" },
  {
    id: "B1",
    holds: "Query tokens never in logs, errors, Referer, caches",
    source: 'A 14.2.1, 14.2.2; 9700 §4.3.2 ("MUST NOT" for clients)',
  },
  {
    id: "B2",
    holds: "verify-token: `{valid:false}` 200 for every bad case, no reason; aud = app_id",
    source: "RFC 7662 §2.2",
  },
  { id: "B3", holds: "/api/config shows public data only", source: "CVE-2025-67717; A 15.3.1" },
  {
    id: "B4",
    holds: "authorize returns a one-time **code**, never tokens, in the URL; code redeemed with API key",
    source: "CVE-2026-34969; 9700 §2.1.2",
  },
  { id: "B5", holds: "Only access JWTs accepted as `token`", source: "A 9.2.2" },
  { id: "B6", holds: "Duplicate/array parameters refused", source: "A 15.3.7; CVE-2026-9689" },
  {
    id: "B7",
    holds: "Per-app off switch; per-IP and per-app limits; no JSONP; non-GET 405",
    source: "A 3.5.6, 4.1.4, 2.4.1",
  },
  {
    id: "L1",
    holds: "Integer headers on all limited responses; 429 RATE_LIMITED + Retry-After; resets",
    source: "contract 8",
  },
  {
    id: "L2",
    holds: "Spoofed X-Forwarded-For/Forwarded/X-Real-IP/CF-* ignored unless peer is trusted; then right-to-left",
    source: "Hanko `27d8fdd5`; CVE-2023-36456; Better Auth `5953157acf`; CVE-2025-64484; A 4.1.3",
  },
  { id: "L3", holds: "IPv6 by /64, canonical text, v4-mapped = v4", source: "CVE-2026-45364" },
  { id: "L4", holds: "Counter is atomic", source: "CVE-2023-47111" },
  {
    id: "L5",
    holds: "One counter per account over case, alias and all entry points",
    source: "CVE-2025-24806; CVE-2026-47203; CVE-2025-64102",
  },
  {
    id: "L6",
    holds: "While throttled, even the correct password is refused, identically; also in sessions already started",
    source: "CVE-2026-16103; P4",
  },
  {
    id: "L7",
    holds: "Throttle never blocks passkey, OAuth or reset; an attacker cannot make it permanent",
    source: "CS-Authentication (lockout DoS); A 6.1.1",
  },
  { id: "L8", holds: "≤100 consecutive password failures per account, kept over restart", source: "63B-4 §3.2.2" },
  { id: "L9", holds: "Codes: ≤5 attempts, then invalid", source: "A 6.6.3; Kratos max_submissions 5; CVE-2024-32868" },
  {
    id: "L10",
    holds: "Limiter memory bounded, tenant-isolated, fails safe",
    source: "GHSA-8fpg-xm3f-6cx3 (fail-open)",
  },
  { id: "W1", holds: "Official standardwebhooks library verifies our deliveries", source: "SW headers & scheme" },
  { id: "W2", holds: "At-least-once; id constant over retries, timestamp per attempt", source: "SW" },
  {
    id: "W3",
    holds: "2xx only is success; 3xx not followed; 410 disables; 429/503 Retry-After honoured; timeout 15 s",
    source: "SW",
  },
  {
    id: "W4",
    holds: "No internal targets at registration **and at connect**",
    source: "CVE-2026-55671, CVE-2026-27945, CVE-2024-49753, CVE-2026-5469; CS-SSRF; SW",
  },
  { id: "W5", holds: "Refusals do not reveal resolution/port state", source: "Kratos `b98842170`, `ebfc72a29`" },
  { id: "W6", holds: "Secret ≥24 B, encrypted at rest, never returned", source: "SW (24–64 bytes)" },
  { id: "W7", holds: "Slow or dead sink delays nobody else", source: "A 13.2.6" },
  { id: "W8", holds: "Events only for committed changes; app-isolated; no token in payload", source: "rule 9" },
  {
    id: "X1",
    holds: "No default accounts/secrets; refuses sample or short keys",
    source: 'A 6.3.2, 13.2.3; Hanko `config_default.go` ships `SecretKeys: "abcedf…"` with a TODO',
  },
  {
    id: "X2",
    holds: "Unknown config key / bad value = startup error",
    source: 'Rauthy UNRELEASED "panic on unknown keys"',
  },
  {
    id: "X3",
    holds: "Signing keys, IdP secrets, webhook secrets AEAD-encrypted with key id; master key outside DB",
    source: "A 11.3.2–3, 13.3.1; Hydra system-secret list (first signs, all verify)",
  },
  { id: "X4", holds: "DB, key, backup files 0600; CLI takes secrets by stdin/file", source: "A 13.3.2 [GK]" },
  {
    id: "X5",
    holds: "Admin can start a reset but not choose a password; can end sessions; every action audited",
    source: "A 6.4.6, 7.4.5",
  },
  { id: "X6", holds: "Insecure dev switches refused with an https production base URL", source: "A 13.4.2" },
  { id: "G1", holds: "No secret in logs, DB text, crash output", source: "A 16.2.5; Ory `fbc844add`" },
  {
    id: "G2",
    holds: "Every auth success/failure, refusal, admin action: time UTC, requestId, app, user, method, IP, result",
    source: "A 16.2.1, 16.3.1–3",
  },
  { id: "G3", holds: "No log injection", source: "A 16.4.1" },
  {
    id: "G4",
    holds: "Error body shape exact; requestId found in log; no stack/SQL/version",
    source: "A 16.5.1, 13.4.6",
  },
  { id: "G5", holds: "User mailed on new method, reset, email change", source: "A 6.3.7" },
  { id: "G6", holds: "Retention sweeps run (audit, sessions, IP/UA)", source: "A 14.2.7" },
  {
    id: "D1",
    holds: "After DELETE 200: all tokens, sessions, methods dead; DB/WAL grep finds no email after vacuum window",
    source: "A 7.4.2; GHSA-2vg6-77g8-24mp",
  },
  { id: "D2", holds: "delete ∥ refresh/login/add-method leaves no orphan", source: "A 15.4.2" },
  { id: "D3", holds: "Queued webhooks/mails of the user carry no more than promised", source: "A 14.2.7" },
  {
    id: "V1",
    holds: "Every way to end a login, withdraw a key or delete an app is in the feed, in the same transaction",
    source: "A 7.4.1; 9700 §5.2",
  },
  { id: "V2", holds: "No app sees entries of another", source: "A 8.2.2, 8.4.1" },
  { id: "V3", holds: "Forged, old and foreign cursors are refused, and never hide an entry", source: "A 2.2.1" },
  { id: "V4", holds: "A transaction that commits late is told late, never skipped", source: "A 2.3.4, 15.4.2" },
  {
    id: "Y1",
    holds: "Frozen lockfile, `ignore-scripts`, 7-day minimum release age, few deps, SBOM",
    source:
      "Shai-Hulud reports (snyk.io); A 15.1.2, 15.2.4. Provenance alone is not enough (Mini Shai-Hulud had valid SLSA L3)",
  },
  { id: "Y2", holds: "Advisory scan with fix deadlines", source: "A 15.1.1, 15.2.1" },
  {
    id: "Y3",
    holds:
      "h3 fixed for: TE case smuggling (≥1.15.5), Host middleware bypass (≥2.0.1-rc.15), mount prefix (rc.17 fix); auth inside handlers, not path middleware",
    source: "CVE-2026-23527, -33131, -33490, -33128; CVE-2026-0976; A 4.2.1",
  },
  { id: "Y4", holds: "No test/debug routes in the shipped binary", source: "A 15.2.3" },
  { id: "Y5", holds: "TLS 1.2 only with forward secrecy and AEAD; nothing older", source: "RFC 9325 §4.2; A 12.1.2" },
];
