import { rowsOf } from "./checklist.ts";

/**
 * A case that really happened in a system people use. Its tests are titled by its id, beside the
 * checklist line it breaks: `S3, GHSA-7w99-5wm4-3g79: …`.
 */
export type Case = { id: string; alsoKnownAs: string[]; project: string; mechanism: string };

export const cases: Case[] = rowsOf(`
CVE-2026-28513 // Pocket ID // code rejected only if client wrong **and** expired
CVE-2026-28512 // Pocket ID // \`https://good@evil\` passes callback pattern
CVE-2026-43983 // Pocket ID // refresh ignores revocation, disabled account, groups
GHSA-hp74-gm6m-2qm5 // Pocket ID // step-up checks token freshness, not method; any cookie passes
CVE-2024-38351 // PocketBase // password account with unverified email linked to OAuth user
CVE-2026-44166 // PocketBase // pre-created OAuth account upgraded when victim joins by other provider; old link kept
GHSA-g38m-r43w-p2q7 // Better Auth // implicit link to a local user whose email is unverified
GHSA-7w99-5wm4-3g79 // Better Auth // code find+delete race → two token pairs
GHSA-392p-2q2v-4372 // Better Auth // concurrent rotation forks refresh family
CVE-2026-45364; GHSA-p6v2-xcpg-h6xw // Better Auth // limiter keyed by literal IPv6 text
CVE-2025-61928; GHSA-99h5-pjcv-gr6v // Better Auth // \`userId\` in body makes auth optional → API key for anyone
GHSA-4vcf-q4xf-f48m // Better Auth // delete/rename another user's passkey
GHSA-2vg6-77g8-24mp // Better Auth // sessions live on after user deletion
GHSA-hc7v-rggr-4hvx // Better Auth // magic-link token usable more than once
CVE-2025-71401; GHSA-569q-mpph-wgww // Better Auth // first request's Host sets base path → all routes 404
GHSA-86j7-9j95-vpqj // Better Auth // redirect URI validation in OIDC/MCP plugin
CVE-2026-45337 // Better Auth // device approval not bound to the user who entered the code
GHSA-7rqj-j65f-68wh // Auth.js // email checked before Unicode normalisation (\`＠\`)
GHSA-xmf8-cvqr-rfgj // Auth.js // malformed Authorization header throws
GHSA-x445-f3h2-j279 // Auth.js // state/PKCE cookie not bound to provider
GHSA-8fpg-xm3f-6cx3 // Auth.js // check passes when provider config errors (fail-open)
CVE-2022-35924 // Auth.js // \`a@evil,b@victim\` mails both
CVE-2026-31813 // GoTrue // ID token validated against attacker's issuer (Apple/Azure)
GHSA-3529-5m8x-rpv3 // GoTrue // X-Forwarded-Host/-Proto poison mailed links
GoTrue-2612; #2612, v2.193.1 // GoTrue // authorization-code replay race
GHSA-wpfr-6297-9v57 // GoTrue // user created from invalid provider data
Hanko-2739; 27d8fdd5; #2739 // Hanko // framework trusts X-Forwarded-For → unlimited brute force
Hanko-2734; bf279f7d; #2734 // Hanko // glob \`http://127.0.0.1**\` matches \`127.0.0.1.evil.com\`
CVE-2023-49097; CVE-2025-64101; GHSA-pfrf-9r5f-73f5 // Zitadel // reset link host from Forwarded headers — three times
CVE-2023-47111 // Zitadel // parallel password checks exceed lockout
CVE-2024-32868; CVE-2025-64102 // Zitadel // no lockout on OTP / on the newer API
CVE-2024-41952; CVE-2026-23511 // Zitadel // "ignore unknown usernames" still tells
CVE-2025-46815 // Zitadel // IdP intent token replay
CVE-2025-64103 // Zitadel // session authenticated after one of two factors
CVE-2024-28197 // Zitadel // session fixation → takeover
CVE-2025-64717; CVE-2026-1486 // Zitadel, Keycloak // disabled IdP still links / logs in
CVE-2026-29193 // Zitadel // direct POST bypasses disabled sign-up/password
CVE-2026-27946; CVE-2026-54693 // Zitadel // user verifies own email by API
CVE-2026-55672 // Zitadel // code/refresh not bound to client
CVE-2026-55669; GHSA-wxg7-w2v3-w38g // Zitadel // IdP JWT: aud / exp / iat unchecked
CVE-2026-55671; CVE-2026-27945; CVE-2024-49753 // Zitadel // webhook SSRF; denylist bypass by rebinding, redirect, downgrade
CVE-2026-29192; CVE-2026-29191; CVE-2025-67495 // Zitadel // \`javascript:\` default redirect, DOM XSS on login page
CVE-2025-67717 // Zitadel // total user count disclosed
CVE-2026-55670 // Zitadel // recycled identifiers leak users over tenants
CVE-2026-27840 // Zitadel // truncated opaque token still valid
CVE-2025-64431; CVE-2025-27507 // Zitadel // IDOR over organisations / admin API
CVE-2026-1035 // Keycloak // refresh single-use not atomic
CVE-2026-9802 // Keycloak // revoked refresh valid again after restart
GHSA-wv3h-x6c4-r867 // Keycloak // tokens for disabled users
CVE-2026-37982 // Keycloak // emailed action link replayed to enrol attacker's passkey
CVE-2026-8830 // Keycloak // WebAuthn policy only in browser JS
CVE-2026-4633 // Keycloak // different error text for known user
CVE-2026-9798; CVE-2026-16103 // Keycloak // lockout checked at start, not at redemption
CVE-2026-9689; GHSA-mpwq-j3xf-7m5w // Keycloak // parameter pollution / redirect validation bypass
CVE-2026-0976 // Keycloak // \`;\` path parameters slip past proxy rules
CVE-2026-7571 // Keycloak // restart cookie lets client re-enable disabled flow
CVE-2025-24806; CVE-2026-47203 // Authelia // username vs email, letter case → separate ban counters
CVE-2020-15223; CVE-2020-15222; CVE-2020-5300 // Ory Fosite, Hydra // revoke swallows storage error; jti replay
CVE-2026-33503; CVE-2026-33504 // Kratos/Hydra // SQL injection by forged pagination token
CVE-2019-8400 // Hydra // reflected XSS in error_hint
CVE-2026-34969; GHSA-7hgr-xvrr-xpw3; CVE-2026-41574 // Nhost // refresh token in callback URL; sessions survive password change; provider flags mislabelled
CVE-2026-22706 // Strapi // reset revokes sessions only if deviceId sent
CVE-2023-36456 // authentik // proxy IP headers trusted from anyone
CVE-2026-40574; CVE-2025-64484; CVE-2021-21291 // oauth2-proxy // multi-@ email; header smuggling by \`_\`; redirect subdomain check
CVE-2026-5469; CVE-2026-5468; CVE-2024-41657 // Casdoor // webhook SSRF; stored XSS in branding CSS/HTML; CORS
CVE-2026-33131; CVE-2026-33490; CVE-2026-23527 // h3 // Host spoof / prefix mount / TE case
CVE-2022-23540; CVE-2022-23541 // jsonwebtoken // \`none\` default, RS/HS confusion
GHSA-6hxq-p678-4hr2 // SimpleWebAuthn <13.3.2 // self-signed root accepted in x5c
Okta-2024-10-30; advisory of 30 October 2024 // Okta // bcrypt 72-byte truncation → login without password
CVE-2025-24358; CVE-2025-47909 // gorilla/csrf // Referer/trusted-origin check wrong
CVE-2015-7225 // devise-two-factor // code usable again in its step
CVE-2021-43177 // devise-two-factor // incomplete fix: usable in the trailing interval
CVE-2022-25838 // Laravel Fortify // same code again
Hanko-2723; #2723 // Hanko // no last step kept
Logto-9109; #9109 // Logto // replay; first fix not atomic
CVE-2025-6014; CVE-2025-55000 // Vault, OpenBao // TOTP engine accepts reuse
CVE-2026-33473 // Vikunja // reuse in validity window
CVE-2026-20779 // Gitea // read-check-write race on web; Basic-Auth path never recorded the code
BetterAuth-8067; #8067 // Better Auth // OTP reuse by race
BetterAuth-6604; #6604 // Better Auth // challenge not removed after success
Authorizer-761; #761 // Authorizer // recovery code: 3 of 8 racers accepted
Authorizer-762; #762 // Authorizer // whole-row write brings a used code back
usd-2021-0016 // Keycloak // no limit by default
CVE-2025-6015; CVE-2025-55003 // Vault, OpenBao // limit and reuse keyed by raw text
CVE-2026-35597 // Vikunja // lock-out coded but inoperative
CVE-2026-56450 // AIL // unlimited tries after the password
BetterAuth-10210; #10210, #10240 // Better Auth // cap per challenge only; factors counted apart
Casdoor-5270; #5270 // Casdoor // verify endpoint unlimited
Authorizer-698; #698 // Authorizer // mailed and texted codes unlimited
CVE-2020-25827 // MediaWiki // throttle per wiki, account global
dragonflight-72fc608d // dragonflight // right password clears the counter
CVE-2026-34727 // Vikunja // OIDC sign-in never asks
CVE-2026-33315; 83483d6 // Vikunja, Tinyauth // Basic auth and CalDAV
CVE-2026-32246 // Tinyauth // /authorize accepts the half-done session
CVE-2025-25068; CVE-2025-55070 // Mattermost // plugin routes, WebSockets
BetterAuth-9122; #9122, #9205 // Better Auth // only three paths ask
Authorizer-414a6a81 // Authorizer // passkey sign-in skips "enforced"
VoidAuth-b568971; Kratos #3853 // VoidAuth, Kratos // passkey without UV counted as MFA
flask-security-258; WCA #8432, EyeDP #274 // flask-security // signed in after reset
Kratos-3669; #3669 // Kratos // OAuth login accepted without AAL
Kratos-4305; #4305 // Kratos // session list at AAL1
Kratos-4174; #4174 // Kratos // account linking before the factor
CVE-2024-45042 // Kratos // "highest available" forgot a method
CVE-2025-6013; CVE-2025-55001 // Vault, OpenBao // MFA bound to a spelling of the name
CVE-2023-42818 // JumpServer // key accepted without its challenge once MFA is on
CVE-2022-30689 // Vault // policy misread, not enforced
CVE-2026-9091; 36c39710d // Casdoor // set-up only enforced in the page
BetterAuth-9639; #9639 // Better Auth // cached session cookie survives the 2FA answer
CVE-2026-3429 // Keycloak // delete OTP at low level, enrol own
Supabase-2565; #2565, #1766 // Supabase // passkey or password changed at AAL1
Supabase-2607; #2607, #2615 // Supabase // factor removed, session stays AAL2
Authorizer-22508730 // Authorizer // client sets its own MFA flag at sign-up
Authorizer-e1b23d35; cd2d8780 // Authorizer // purpose of the session unchecked
BetterAuth-8711; #8711; Kanidm #3194 // Better Auth, Kanidm // unconfirmed set-up counts
Logto-9110; #9110 // Logto // wrong kind of proof accepted for step-up
Logto-9430; #9430 // Logto // third-party token removes a factor
CVE-2025-64175 // Gogs // another user's code works
authboss-351; #351 // authboss // any text is a code
ovumcy-571; PR #571 // ovumcy // code and address replace both factors
BetterAuth-7231; #7231 // Better Auth // renewed codes stored in clear
scheb-2018-07-08 // scheb/2fa // trusted-device token not verified
scheb-2019-12-19 // scheb/2fa // "remember me" signs in past the factor
BetterAuth-7644; #7644 // Better Auth // expiry only in the cookie
CVE-2024-8796 // devise-two-factor // 120-bit secrets
CVE-2025-11794; shellhub #3799 // Mattermost, shellhub // secrets in answers; user data before the factor
Kratos-3a5664d20 // Kratos // imported TOTP unusable
`).map(([ids = "", project = "", mechanism = ""]) => {
  const [id = "", ...alsoKnownAs] = ids.split("; ");
  return { id, alsoKnownAs, project, mechanism };
});
