/** A line of the security checklist: what must hold. Its tests are titled by its id: `S3: …`. */
export type Requirement = { id: string; holds: string; source: string };

/** The cells of a table with one row a line. */
export function rowsOf(table: string): string[][] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.split(" // "));
}

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
  J: "Console",
  M: "Second factors",
  I: "Workload identity and management tokens",
  N: "Devices without a browser",
  Q: "Organizations",
  U: "Unregistered clients",
  Z: "Updates, systemd",
};

/**
 * From OWASP ASVS 5.0 (A), its cheat sheets (CS), RFC 9700, WebAuthn Level 3 (WA), RFC 8725, NIST
 * 800-63B-4, and what went wrong elsewhere.
 */
export const checklist: Requirement[] = rowsOf(`
S1 // sessionId, code, refresh token, challenge: CSPRNG, ≥128 bit (use 256) // A 7.2.3, 11.5.1 ("UUIDs do not respect this")
S2 // Code works once; second use fails **and** revokes what the first issued // A 10.4.2; 9700 §4.2; oidcc-codereuse(-30seconds)
S3 // Exactly one winner under concurrency // GHSA-7w99-5wm4-3g79; GoTrue #2612
S4 // Code bound to app key, App ID, sessionId, state, each checked alone // CVE-2026-28513 (\`&&\` for \`||\`); CVE-2026-55672; FAPI2 EnsureAuthorizationCodeIsBoundToClient
S5 // Code ≤60 s, session ≤10 min, enforced at every step // A 10.4.3 (L3 1 min); FAPI2 AttemptToUseExpiredAuthCode
S6 // Steps cannot be skipped or replayed // A 2.3.1
S7 // Session is bound to the browser that first **POSTs** in it (not first GET: previews) // CVE-2024-28197; cross-user OAuth session fixation (IEEE S&P 2026, mobitec.ie.cuhk.edu.hk)
S8 // \`state\` returned byte-exact, never interpreted or rendered unescaped // A 1.2.1; FAPI2 …WithLongState
S9 // Browser session id changes at login; the old id stops working // A 7.2.4; CS-Session
S10 // Logout/reset/delete is visible to /auth/validate at once, all processes // A 7.4.1, 7.4.2
S11 // Logout of one session leaves others; allSessions ends all, incl. hosted-page cookie // contract 4.1; A 7.4.3
S12 // A browser session ends without use, and at the latest, as the application sets // A 7.3.1, 7.3.2
S13 // A maximum of logins holds under concurrency; the oldest ends and is announced // A 7.1.2
R1 // Exact string match // 9700 §2.1, §4.1.3; A 10.4.1; CVE-2026-28512; Hanko \`bf279f7d\`; oidcc-redirect-uri-query-*
R2 // A bad redirectUri never gets a 3xx, at start or at error // oidcc-ensure-registered-redirect-uri
R3 // Registered URIs: absolute https (http only for loopback), no fragment, wildcard, userinfo // 9700 §2.6; oidcc-redirect-uri-regfrag; CVE-2026-29192
R4 // Redirect after a credential POST is 303, never 307/308 // 9700 §4.12
R5 // Links, iss, authUrl, cookies come from configured base URL // CVE-2023-49097, CVE-2025-64101, GHSA-93m4-mfpg-c3xf, GHSA-3529-5m8x-rpv3; CS-Forgot_Password
R6 // Removing a redirectUri stops sessions already started // A 8.3.2
R7 // Page-internal \`next\` accepts only own relative paths // CS-Unvalidated_Redirects; A 3.7.2
T1 // Only the key's own alg verifies // A 9.1.1–9.1.3; 8725 §3.1; CVE-2022-23540/-23541
T2 // Token kinds not interchangeable (typ \`at+jwt\`) // A 9.2.2; 8725 §3.11–3.12; RFC 9068 §2.1
T3 // iss, aud=app_id, exp, iat checked everywhere // A 9.2.1, 9.2.3, 9.2.4; CVE-2026-55669, GHSA-wxg7-w2v3-w38g
T4 // Subject must still exist; ids never reused // 8725 §3.8; CVE-2026-55670
T5 // JWKS: public members only, unique kid, cacheable // A 9.1.3
T6 // Rotation without downtime // 9700 §2.6 (metadata helps rotation); Apigee/Auth0 docs: publish before use, remove after last expiry
T7 // Hostile tokens are cheap to reject // CVE-2025-30204; GHSA-xmf8-cvqr-rfgj; 8725bis (decompression, hash iterations)
T8 // Altered/truncated tokens fail // CVE-2026-27840
T9 // A personal access token opens validate, introspection and the profile for reading, for its application or resource; it stands in for no other credential // 8725 §3.12; A 9.2.2
T10 // Only its owner makes one, with a fresh proof and a verified address; at most 50, also at once // A 7.5.1, 11.5.1
T11 // It means what token, person and application allow now, and ends for good with what ends access // A 7.4.1, 7.4.2
F1 // New token each refresh; its predecessor is refused after the grace period // A 10.4.5; 9700 §4.14.2
F2 // Reuse after the grace period revokes the whole family and is audited // A 10.4.5; 9700 §4.14.2
F3 // Parallel refresh never forks a family // GHSA-392p-2q2v-4372; CVE-2026-1035
F4 // refresh ∥ logout: nothing issued survives the logout // GHSA-392p (revoke+rotate test)
F5 // User/app/method state re-checked // CVE-2026-43983; GHSA-wv3h-x6c4-r867; Rauthy v0.32.4
F6 // Bound to the app // 9700 §2.2.2; CVE-2026-55672; oidcc-refresh-token
F7 // Idle and absolute expiry; rotation does not extend the absolute one // A 10.4.8, 7.3.2; 63B-4 §2.1.3, §2.2.3
F8 // A restart does not revive revoked tokens // CVE-2026-9802
F9 // A lost response does not log the user out // GoTrue tokens/service.go ("fail-to-save … more frequently than you can imagine")
F10 // Storage error on logout → 5xx, never \`success:true\` // CVE-2020-15223
F11 // Only a digest at rest // A 6.5.2; Pocket ID #379
P1 // Min length enforced, ≥64 (allow 256) accepted, any characters, no trimming/truncation // A 6.2.1/5/8/9; Okta 52-char advisory (30 Oct 2024)
P2 // Common (≥3 000), breached and context words refused // A 6.2.4, 6.2.11, 6.2.12; 63B-4 §3.1.1.2
P3 // argon2id PHC strings, unique salts, upgrade at login // A 11.4.2; CS-Password_Storage
P4 // Login response and time equal for unknown / wrong / OAuth-only / unverified / throttled user // A 6.3.8; CVE-2026-4633, CVE-2026-23511, CVE-2024-41952
P5 // Sign-up with a known email looks identical; owner gets a mail // A 6.3.8; Rauthy #1487; Better Auth \`3ec7d41a91\`
P6 // Reset token: 256 bit, hashed, single use, ≤30 min, newest only; all sessions end; no auto-login // CS-Forgot_Password; GHSA-7hgr-xvrr-xpw3; CVE-2026-22706
P7 // GET/HEAD of a mailed link changes nothing // A 3.5.3
P8 // Reset never locks or changes the account before a valid token; ≤3 mails/h per address // CS-Forgot_Password
P9 // Adding/changing a password needs fresh auth or current password // A 6.2.3, 7.5.1
P10 // One canonical address: ASCII-lowercased domain, single \`@\`, no list/CRLF/fullwidth // CVE-2022-35924; GHSA-7rqj-j65f-68wh; CVE-2026-40574; A 1.3.11
P11 // Nobody can set emailVerified/id/email by API // CVE-2026-27946, CVE-2026-54693; A 15.3.3
P12 // The sign-up rules hold at every door that creates an account or gives it an address; a refused sign-up leaves nothing, and says nothing about accounts // Logto, Zitadel, Casdoor: rules on one path only
P13 // Who waits for approval gets nothing, whatever they prove; approval and proof of the address are two gates // Zitadel, Authentik: pending users
P14 // A password that must change proves only that it may be replaced, and never that alone // A 6.4.1; 63B-4 §3.1.1.2
P15 // An application's own words are plain text, and hold nothing that a person typed in a mail to an unproved address // FusionAuth, Keycloak: mail templates; CVE-2024-41953
K1 // Every WA §7.1/§7.2 step // WA §7.1, §7.2; FIDO conformance list
K2 // Challenge ≥16 B, server-stored, 5 min, single use, bound to session+ceremony+user // WA §13.5.3 (13.4.3 in the published L2), §15.1; Better Auth \`8907c7df9c\`
K3 // UV and alg policy enforced at server // CVE-2026-8830; WA §7.1
K4 // Credential id unique over all users, ≤1023 B // WA §7.1
K5 // Attestation \`none\`; foreign x5c gives no trust // GHSA-6hxq-p678-4hr2
K6 // signCount regress is flagged, 0/0 allowed // WA §6.1.1, §7.2
K7 // User handle random, no PII; unknown email gets plausible stable options or none // WA §14.6.1–14.6.3
K8 // Methods are owned: list/rename/delete only own // GHSA-4vcf-q4xf-f48m
K9 // Removed passkey cannot log in; last method cannot be removed // A 6.5.6
K10 // Spec test vectors verify // WA §16
K11 // Conditional create: only right after a password in the same session; proves nothing; UV at every sign-in // WA §5.1.3, §7.1
K12 // A passkey answers only at baseUrl or at a related origin of its own application; a domain with related origins belongs to one application alone // WA §5.11, §7.1, §7.2, §13.4.9
O1 // Key is (provider, sub) // A 6.8.1, 10.5.2; nOAuth (descope.com/blog/post/noauth)
O2 // Auto-link only if IdP says verified **and** local email verified; else explicit add-method // GHSA-g38m-r43w-p2q7; CVE-2026-41574; CVE-2024-38351; CVE-2026-44166
O3 // First proof of an email purges earlier unproven credentials and sessions // Pre-hijacking paper (arXiv 2205.10174); Better Auth \`f1c3232bd6\`
O4 // Provider verified-flags mapped correctly: Discord \`verified\`, GitHub primary+verified, Google claim, Apple, **Microsoft email = unverified**, Facebook = unverified // CVE-2026-41574; learn.microsoft.com migrate-off-email-claim
O5 // state ≥128 bit, one-time, bound to browser **and** provider // A 10.1.2; 9700 §4.7; GHSA-x445-f3h2-j279
O6 // PKCE S256 always; nonce for OIDC // 9700 §2.1.1; A 10.2.1, 10.5.1
O7 // id_token fully checked against **pinned** issuer // CVE-2026-31813; A 10.5.3–4; OIDCCClientTest*
O8 // Mix-up defence: callback path per provider + iss // A 10.2.2; 9700 §4.4
O9 // Disabled method/provider refused at initiate, page, callback, link, refresh // CVE-2025-64717; CVE-2026-29193; CVE-2026-1486
O10 // add-method authUrl: single use, user-bound, page names the account, needs proof with an existing method ≤10 min old **in that browser** // CVE-2026-37982; GHSA-hp74-gm6m-2qm5; A 7.5.1; COSF paper
O11 // Identity already linked elsewhere is refused, never moved // A 6.8.1
O12 // Slow/failing/huge IdP responses end in a page, not a 5xx/hang // A 16.5.2, 15.3.2
O13 // Apple form_post works with Lax cookies // many reports, e.g. ash_authentication #1187
O14 // A provider's answer is as fresh as its auth_time says; without one the person proves something else, or is told why not // Core 1.0 §3.1.2.1, §3.1.3.7; A 7.5.1; RFC 9470 §4
C1 // authorize never redirects before client and redirect_uri are known to be right, errors included // 9700 §4.11; RFC 6749 §4.1.2.1; oidcc-ensure-registered-redirect-uri
C2 // Code bound to client, redirect_uri and code verifier, each checked alone; consumed before the check // 9700 §4.5; A 10.4.2; CVE-2026-28513; oidcc-codereuse
C3 // No PKCE downgrade: S256 only; verifier without challenge refused // 9700 §4.8.2; A 10.4.6
C4 // Every authorization response carries \`iss\` // 9700 §4.4; RFC 9207 §2; A 10.2.2
C5 // Client authentication: exactly one method; never in the URL; assertions for this issuer alone; a disabled client gets nothing // RFC 6749 §2.3.1; A 10.4.10; A 14.2.1; CVE-2025-27370
C6 // Refresh tokens, introspection and revocation bound to client and application // 9700 §4.14; RFC 7009 §2.1; RFC 7662 §4; CVE-2026-43983
C7 // Single sign-on never across applications; prompt=none never skips consent // A 10.7.1; Core 1.0 §3.1.2.1; 9700 §4
C8 // Sign-in, consent and logout pages cannot be framed // 9700 §4.16; A 3.4.6
C9 // Logout by a foreign page asks the person; no redirect to an unregistered address // RP-Initiated Logout 1.0 §2, §6; A 7.4.4
C10 // ID, logout, access and refresh tokens never stand in for one another // 8725 §3.12; A 9.2.2; Core 1.0 §16.3
C11 // A client with the profile \`fapi2\`: pushed requests, keys and no secret, no RS256; its refresh token stays and needs its key // FAPI 2.0 Security Profile §5.3.2, §5.4.1
C12 // A sign-in at a protected host ends once, in time, at the host and in the browser that began it; anything else sets nothing // protecting.md, Signing in; RFC 6749 §10.12
C13 // Only our start begins a sign-in of a client of kind \`proxy\`, and only our callback redeems its code // protecting.md, Model
C14 // "Sign out" at a protected host ends what this browser opened, and only a form of that host does it // protecting.md, Signing in
C15 // A browser's logins at protected hosts belong to one person: another's sign-in ends them, and a later one of the same keeps them within reach // protecting.md, Model
H1 // CSP: nonce scripts, \`default-src 'none'\`, \`base-uri 'none'\`, \`object-src 'none'\`, \`frame-ancestors 'none'\` on every page incl. errors // A 3.4.3, 3.4.6; 9700 §4.16
H2 // \`form-action\` = 'self' + this session's validated redirect origin + IdP origin (Chrome/Safari apply it to the redirect chain) // w3c/webappsec-csp#8; hexpm #1413; kanidm #3354
H3 // HSTS ≥1 y, nosniff, Referrer-Policy no-referrer, COOP same-origin, CORP, no-store, charset on all // A 3.4.1/4/5/8, 4.1.1, 14.3.2
H4 // CSRF: foreign Origin or Sec-Fetch-Site: cross-site POST refused, also **login CSRF**; token for old browsers // A 3.5.1–3; CS-CSRF; CVE-2025-24358; CVE-2025-47909
H5 // Cookies \`__Host-\`, Secure, HttpOnly, SameSite=Lax // A 3.3.1–3.3.4
H6 // No XSS via branding, name, picture, email, state, error text — in pages and mails // CVE-2019-8400; CVE-2026-5468; CVE-2026-29191/2; CVE-2024-41953
H7 // No third-party assets; no server-side fetch of picture/logo // 9700 §4.2.4; A 3.6.1, 1.3.6
H8 // No CORS on pages/authorize; never \`*\`+credentials // 9700 §2.6; A 3.4.2; CVE-2024-41657
H9 // Paste, password managers, \`autocomplete\` work; fields masked // A 6.2.6, 6.2.7
H10 // A cookie counts only under its exact bytes and once: a name with byte 0xA0 before it, or given twice, is none of ours; a kept proof renews the cookie // RFC 6265 §4.2.1, §5.4; RFC 6265bis §4.1.3.2
H11 // An uploaded file is a picture by its content: type, size, dimensions, whole; metadata and other files in it are dropped; served as an image only // A 5.2.2, 5.2.6, 5.3.1, 5.4.3; CWE-434
H12 // A step that waits (terms, profile) stops whatever begins, at every door, and nothing that runs // A 2.3.1
H13 // Accepted is the version that the form showed; a no ends this person's session in this browser, and no login // A 2.3.1
A1 // Shown once, digest at rest, prefix+checksum, constant-time // A 11.5.1, 11.2.4; GitHub token format (simonwillison.net 2021-04-05)
A2 // Key works for its app only, on every route // A 8.4.1, 8.2.2; CVE-2025-64431
A3 // Body/query ids never stand in for authentication // CVE-2025-61928
A4 // PATCH takes only listed fields, no prototype pollution // A 15.3.3, 15.3.5, 15.3.6
A5 // Two keys overlap; revoked key fails within 1 s // A 13.3.4
A6 // App ID header, if sent, must match key and token // contract 5
B1 // Query tokens never in logs, errors, Referer, caches // A 14.2.1, 14.2.2; 9700 §4.3.2 ("MUST NOT" for clients)
B2 // verify-token: \`{valid:false}\` 200 for every bad case, no reason; aud = app_id // RFC 7662 §2.2
B3 // /api/config shows public data only // CVE-2025-67717; A 15.3.1
B4 // authorize returns a one-time **code**, never tokens, in the URL; code redeemed with API key // CVE-2026-34969; 9700 §2.1.2
B5 // Only access JWTs accepted as \`token\` // A 9.2.2
B6 // Duplicate/array parameters refused // A 15.3.7; CVE-2026-9689
B7 // Per-app off switch; per-IP and per-app limits; no JSONP; non-GET 405 // A 3.5.6, 4.1.4, 2.4.1
L1 // Integer headers on all limited responses; 429 RATE_LIMITED + Retry-After; resets // contract 8
L2 // Spoofed X-Forwarded-For/Forwarded/X-Real-IP/CF-* ignored unless peer is trusted; then right-to-left // Hanko \`27d8fdd5\`; CVE-2023-36456; Better Auth \`5953157acf\`; CVE-2025-64484; A 4.1.3
L3 // IPv6 by /64, canonical text, v4-mapped = v4 // CVE-2026-45364
L4 // Counter is atomic // CVE-2023-47111
L5 // One counter per account over case, alias and all entry points // CVE-2025-24806; CVE-2026-47203; CVE-2025-64102
L6 // While throttled, even the correct password is refused, identically; also in sessions already started // CVE-2026-16103; P4
L7 // Throttle never blocks passkey, OAuth or reset; an attacker cannot make it permanent // CS-Authentication (lockout DoS); A 6.1.1
L8 // ≤100 consecutive password failures per account, kept over restart // 63B-4 §3.2.2
L9 // Codes: ≤5 attempts, then invalid // A 6.6.3; Kratos max_submissions 5; CVE-2024-32868
L10 // Limiter memory bounded, tenant-isolated, fails safe // GHSA-8fpg-xm3f-6cx3 (fail-open)
L11 // What strangers write is bounded for a network and for a client, and removed soon after its end; the security page lists every such table // A 2.4.1
L12 // After failures at many accounts from one network, or with one password at many, a sign-in by password costs a solved puzzle: for one act, once, alike for every address; nothing for a browser known to the account // A 2.2.1, 6.3.1; CS-Credential_Stuffing
W1 // Official standardwebhooks library verifies our deliveries // SW headers & scheme
W2 // At-least-once; id constant over retries, timestamp per attempt // SW
W3 // 2xx only is success; 3xx not followed; 410 disables; 429/503 Retry-After honoured; timeout 15 s // SW
W4 // No internal targets at registration **and at connect** // CVE-2026-55671, CVE-2026-27945, CVE-2024-49753, CVE-2026-5469; CS-SSRF; SW
W5 // Refusals do not reveal resolution/port state // Kratos \`b98842170\`, \`ebfc72a29\`
W6 // Secret ≥24 B, encrypted at rest, never returned // SW (24–64 bytes)
W7 // Slow or dead sink delays nobody else // A 13.2.6
W8 // Events only for committed changes; app-isolated; no token in payload // rule 9
X1 // No default accounts/secrets; refuses sample or short keys // A 6.3.2, 13.2.3; Hanko \`config_default.go\` ships \`SecretKeys: "abcedf…"\` with a TODO
X2 // Unknown config key / bad value = startup error // Rauthy UNRELEASED "panic on unknown keys"
X3 // Signing keys, IdP secrets, webhook secrets AEAD-encrypted with key id; master key outside DB // A 11.3.2–3, 13.3.1; Hydra system-secret list (first signs, all verify)
X4 // DB, key, backup files 0600; CLI takes secrets by stdin/file // A 13.3.2 [GK]
X5 // Admin can start a reset but not choose a password; can end sessions; every action audited // A 6.4.6, 7.4.5
X6 // Insecure dev switches refused with an https production base URL // A 13.4.2
G1 // No secret in logs, DB text, crash output // A 16.2.5; Ory \`fbc844add\`
G2 // Every auth success/failure, refusal, admin action: time UTC, requestId, app, user, method, IP, result // A 16.2.1, 16.3.1–3
G3 // No log injection // A 16.4.1
G4 // Error body shape exact; requestId found in log; no stack/SQL/version // A 16.5.1, 13.4.6
G5 // User mailed on new method, reset, email change // A 6.3.7
G6 // Retention sweeps run (audit, sessions, IP/UA) // A 14.2.7
G7 // Entries sent to a receiver arrive at least once and in order, whatever dies, stops reading or is down // RFC 5425 §4.4; A 16.4.3
G8 // What somebody typed stays a value in every format in which the audit log leaves the service // A 16.4.1; RFC 5424 §6.3.3; CWE-117; CWE-1236
D1 // After DELETE 200: all tokens, sessions, methods dead; DB/WAL grep finds no email after vacuum window // A 7.4.2; GHSA-2vg6-77g8-24mp
D2 // delete ∥ refresh/login/add-method leaves no orphan // A 15.4.2
D3 // Queued webhooks/mails of the user carry no more than promised // A 14.2.7
V1 // Every way to end a login, withdraw a key or delete an app is in the feed, in the same transaction // A 7.4.1; 9700 §5.2
V2 // No app sees entries of another // A 8.2.2, 8.4.1
V3 // Forged, old and foreign cursors are refused, and never hide an entry // A 2.2.1
V4 // A transaction that commits late is told late, never skipped // A 2.3.4, 15.4.2
Y1 // Frozen lockfile, \`ignore-scripts\`, 7-day minimum release age, few deps, SBOM // Shai-Hulud reports (snyk.io); A 15.1.2, 15.2.4. Provenance alone is not enough (Mini Shai-Hulud had valid SLSA L3)
Y2 // Advisory scan with fix deadlines // A 15.1.1, 15.2.1
Y3 // h3 fixed for: TE case smuggling (≥1.15.5), Host middleware bypass (≥2.0.1-rc.15), mount prefix (rc.17 fix); auth inside handlers, not path middleware // CVE-2026-23527, -33131, -33490, -33128; CVE-2026-0976; A 4.2.1
Y4 // No test/debug routes in the shipped binary // A 15.2.3
Y5 // TLS 1.2 only with the four suites that RFC 9325 recommends; nothing older // RFC 9325 §4.2; A 12.1.2
Y6 // Whether a request passes rests on host, group and session: never on user agent, method or query // CVE-2026-34457 oauth2-proxy; CVE-2025-54576
Y7 // A door believes trusted proxies only, and of a check only its own headers, each once and whole // CVE-2026-40575; CVE-2023-36456 authentik; CVE-2026-25119
Y8 // A path is public only if every program reads its bytes alike // CVE-2025-54576, CVE-2026-41059 oauth2-proxy
Y9 // A cookie opens the host that it was made for, as long as its login lives and its person is admitted // CVE-2026-34454, CVE-2021-21411 oauth2-proxy
Y10 // The program learns who it is from the answer alone: what a client sent under such a name, or an alias, closes the door // CVE-2025-64484 oauth2-proxy
Y11 // A header names a person by proved values only, encoded so that one decoding gives them back; without an identity the door is closed // CVE-2026-40574 oauth2-proxy
Y12 // Tokens and cookies of this service never reach the program, and a token opens only the host and path that it is for // protecting.md, Credentials
Y13 // Nothing but 200 opens, and only a live decision gives it: not while starting or stopping, nor for a half request // protecting.md, The two doors
Y14 // A host in another letter case, with another port or with a dot at its end is never another host's // CVE-2026-48794 Authelia
J1 // The console has no path on the public address // A 13.4.5
J2 // A Host header that does not name the console is refused (DNS rebinding) // Transmission CVE-2018-5702
J3 // Each page and act has one role, checked before it runs; the list comes from the route table // A 8.2.1, 8.3.1
J4 // A post needs the form token of its session, and comes from no other site // A 3.5.1
J5 // A link lets one browser in, once, within ten minutes; without a session nothing is told // A 7.2.1
J6 // No page is framed, cached, read by another site, or loads from elsewhere // A 3.4.3, 3.4.6, 14.3.2
J7 // A session ends with its login, role, operator, after an hour unused and after twelve hours // A 7.3.1, 7.3.2, 7.4.2
J8 // An operator sees only their application, comes only from allowed networks, and never sees other operators as people // A 8.2.2, 8.4.2
J9 // What opens access, or removes a method or second factor, needs a passkey of the last ten minutes // A 7.5.3
J10 // Secrets are shown once, and are in no address // A 14.2.1
J11 // A command to copy runs nothing but itself, whatever strangers wrote into what it sends // A 1.2.5
J12 // A form that comes back shows no secret, comes only to its own operator, and does nothing before another press // A 3.5.1, 7.5.3
M1 // A time step is taken once, whatever session, secret or step asks for it // RFC 6238 §5.2; A 6.5.1
M2 // Of uses of one code at the same time exactly one wins, over nodes // Logto #9109; Authorizer #761
M3 // One counter for all typed factors of an account, counted before the check: 100 wrong ones in a row, whatever session, spelling, application or right password // A 6.3.1; 63B-4 §3.2.2
M4 // No door lets a first proof through: the list comes from the route table // A 6.3.3; Better Auth #9205
M5 // A half-done sign-in opens nothing but its own next step // A 6.3.4; CVE-2026-32246
M6 // The policy of application, group, client and organization holds at each sign-in, code, page and refresh // CVE-2022-30689
M7 // A passkey without user verification is no factor // WA §6.1; Kratos #3853
M8 // A reset or recovery code replaces one factor, never both, and signs nobody in past the other // flask-security #258; ovumcy PR #571
M9 // Factors, methods and passwords change only after a fresh second factor // A 7.5.1; CVE-2026-3429
M10 // A removed factor lowers every live login at once // Supabase #2607, #2615
M11 // A set-up that was not confirmed, or whose page is old, changes nothing // Better Auth #8711; Kanidm #3194
M12 // Fields that nobody asked for set nothing // Authorizer 22508730
M13 // Only a code of its owner is a code // CVE-2025-64175; authboss #351
M14 // Nothing of a factor is readable after its set-up, and no page after the first proof tells of the user // CVE-2024-8796; Better Auth #7231
M15 // A trusted browser is a row with an end: it skips the question, and nothing else // scheb 2018-07-08; Better Auth #7644
M16 // A finished sign-in takes no other code // Better Auth #6604
M17 // Nothing is linked or added to an account before its factor is proven // Kratos #4174
M18 // A step-up takes only what was asked for // Logto #9110; GHSA-hp74-gm6m-2qm5
M19 // Consent to a program of other people, also for another organization, takes a fresh second factor // RFC 9700 §4.1
I1 // A token of another issuer with a \`jti\` works once, in the whole service // RFC 7523 §3 (7)
I2 // It is of an issuer that the client trusts, about exactly the subject and for the audience of that trust; the client is named beside it // RFC 7523 §3 (1–3); 8725 §3.8–3.9
I3 // Its keys come from the issuer's own documents, and never from an internal address, at registration **and at connect** // Discovery §4.3; CVE-2026-55671; CS-SSRF
I4 // A management token opens the management routes of its own application and nothing else, and no longer than its client, credential and resource // RFC 8707 §3; A 8.3.2
I5 // Only a machine that lists this service gets one, and no other token is taken for one // 8725 §3.12
I6 // No application can have a resource at the address of this service // RFC 8707 §2
I7 // Only the issuer's key signs it, by an asymmetric algorithm // 8725 §3.1; CVE-2022-23540/-23541
N1 // Nothing lets a device in but a press of Allow: no single sign-on, earlier consent, trusted browser or link with the code // RFC 8628 §3.3.1, §5.4
N2 // Of parallel polls one wins; a second use of a device code ends its login // RFC 8628 §3.5; 9700 §4.2
N3 // A device code works for its client only, at no other grant, and ends with what its sign-in rests on // RFC 8628 §3.4, §5.2
N4 // Wrong user codes: 10 a minute from a network; a code expires with the 10th wrong one near it // RFC 8628 §5.1
N5 // The page names program, place and time, and says to stop unless the code is on a device in front of the person // RFC 8628 §5.4
N6 // The answer counts once, in the browser that was asked, for the request whose code was typed // RFC 8628 §5.4; A 3.5.1
N7 // Neither code is stored, and no user code is given out twice in a day // RFC 8628 §5.2, §6.1
Q1 // No call reads or changes an organization for anybody but its own application's server and its live members, whatever else the request names // CVE-2025-64431; GHSA-j4h8-vch3-f797; A 8.2.2
Q2 // Nobody gives, takes or removes more than their rank allows: one rule for pages, API and commands // decocms/studio#4022, #3388; Better Auth #9962; A 8.2.3
Q3 // Members never take away the last live owner, also two at once // fiware-idm#99; GHSA-937x-3j8m-7w7p; A 15.4.2
Q4 // A member named by the server has at most an admin's rights, and a former or disabled one has none // CVE-2024-39925; A 8.2.1
Q5 // Only the person whose verified address is invited joins by an invitation, once, with the roles that the inviter may still give; no answer has its link // CVE-2026-1529, CVE-2026-16072; GHSA-fmh4-wcc4-5jm3
Q6 // Ids and slugs of a deleted organization never come back // GHSA-6x8v-2fq5-2229
Q7 // A sign-in, code, refresh or switch names the demanded organization or none, never another // keycloak#35935, #35830; wso2/product-is#17097
Q8 // A token names an organization only while its person is a live member with these roles and meets its policy, at every door // objectstack#15409 (Better Auth); superset-sh#5736; MapleTech/maple#719
Q9 // Only a live membership of the proven person can be chosen, and a choice holds for nobody else // Better Auth #9239; shelf.nu#2877
Q10 // Without an API key nobody learns which organizations there are // CVE-2026-4633 Keycloak
Q11 // Within the grace a switch works again for each organization, and a refused one hides no reused token // Better Auth #10932
Q12 // A machine acts in its own organization only and ends with it; an exchange keeps the organization // CVE-2026-9094 Casdoor; itsyouonline#254; decocms/studio#5276
Q13 // A domain has the one form that stored addresses have and is compared whole; public suffixes and free mailboxes are nobody's // CVE-2024-27918; GHSA-7rqj-j65f-68wh; klai#728
Q14 // A proof counts for the claim that was asked about and for no other, and one organization holds a domain // Better Auth 999acbd41d, #10227; mozilla-ai/otari#915
Q15 // A domain is lost by definite answers on three days, never by a failure or by time; it moves only then, and what its new holder sets works 72 hours later // Google hd of dead companies
Q16 // Only people with a verified address there join by a domain: new accounts after the proof, others by pressing; never a removed person or a shared mailbox // Better Auth #6868; sentry#8431
Q17 // Calls that the packages repeat and tokens that they renew name the organization of the token before or none, never another // logto-io/js#711; auth0-react#557
Q18 // In the packages, a missing organization or role denies access, and a live token of one organization says nothing about another // GHSA-w24r-5266-9c3c Clerk; superset-sh#5736
Q19 // Mails about an organization go to verified addresses only, and its invitations reach one address five times an hour at most // A 2.4.1
Q20 // An organization sees its own history without networks and programs; an operator's access is shown to its owners by name and time // A 16.2.5
Q21 // A company's provider speaks only for addresses of domains that its organization proved; its subject decides who somebody is // nOAuth of Entra; A 10.5.2
Q22 // A sign-in by it opens its organization's programs and nothing else: no route, page, client, host or grant // A 8.2.1
Q23 // It changes nothing of the account, and pushes out no login of the person // A 7.5.1
Q24 // Nobody is sent to it by a link alone, or signed in on return without a page that names the person, unless this browser came as them before // RFC 9700 §4.7, §4.11
Q25 // It is linked to an account only after an own proof, or the mailbox and the second factor; to another subject only by a relink // A 10.5.2
Q26 // A proof by it ends with its time, with its provider and with its issuer // RFC 9700 §4.14
Q27 // Its owners change it by an own proof; a set-up link adds only what they confirm, and another issuer waits for a day // A 8.3.1
Q28 // Requests to its issuer reach only the public address that was checked, and are limited in time, size and number // CS-SSRF
Q29 // An address leads to it by its domain alone, for everybody with the same bytes // A 6.3.8
U1 // A document is used only if it is complete and names its own URL byte for byte // draft-ietf-oauth-client-id-metadata-document §3, §4.1
U2 // Fetches of documents reach no internal address, follow no redirect, and end after 5 s and 5 KiB // the same, §6.5, §6.6; W4
U3 // Requests store nothing and load no other server: memory and fetches are limited // the same, §6.6
U4 // People agree to hosts, not to names; again when name, keys or addresses change, and each time where any local program could ask // the same, §6.3, §6.4; RFC 8252 §8.6; MCP 2026-07-28, authorization
U5 // Tokens are for resources that allow such clients, of applications that allow their host, and for nothing else // RFC 8707 §3; A 10.3.1
U6 // A blocked client has no code, token or consent left, also of calls in flight // A 7.4.1, 15.4.2
Z1 // An update is used only if the key of releases signed its digests, and its archive has its digest // A 15.2.4; The Update Framework §1.5.2, arbitrary software
Z2 // An update never goes back to an older version // the same, rollback
Z3 // Killed at any step, an update leaves the whole old or the whole new file // A 16.5.3
Z4 // An update comes over https only, with bounded redirects and sizes // the same, endless data
Z5 // What a package manager, an image or another user owns is not replaced // A 15.2.4
Z6 // A socket that systemd passes has the address that the settings allow // A 13.2.4
Z7 // Root writes a backup as the owner of the data // A 13.2.2
`).map(([id = "", holds = "", source = ""]) => ({ id, holds, source }));
