import { docsHandler } from "./api/openapi/routes.ts";
import { apiRoutes } from "./api/routes.ts";
import { changePasswordHandler } from "./api/service.ts";
import { anyone, browser, pageRoute, route, type Route } from "./http/route.ts";
import { uploadPath } from "./http/uploads.ts";
import * as addressPages from "./pages/account/address-pages.ts";
import * as dataPages from "./pages/account/data-pages.ts";
import * as accountFactorPages from "./pages/account/factor-pages.ts";
import * as setupPages from "./pages/account/setup-pages.ts";
import * as invitationPages from "./pages/account/invitation-pages.ts";
import * as loginPages from "./pages/account/login-pages.ts";
import * as methodPages from "./pages/account/method-pages.ts";
import * as ownProviderPages from "./pages/account/own-provider-pages.ts";
import * as organizationPages from "./pages/account/organization-pages.ts";
import * as overviewPages from "./pages/account/overview-pages.ts";
import * as picturePages from "./pages/account/picture-pages.ts";
import * as profilePages from "./pages/account/profile-pages.ts";
import * as restorePages from "./pages/account/restore-pages.ts";
import * as tokenPages from "./pages/account/token-pages.ts";
import * as verifyPages from "./pages/account/verify-pages.ts";
import { assetHandler, iconHandler, robotsHandler } from "./pages/assets/routes.ts";
import * as devicePages from "./pages/openid/device-pages.ts";
import * as hosted from "./pages/hosted/hosted.ts";
import * as authorizePages from "./pages/openid/authorize-pages.ts";
import * as endSessionPages from "./pages/openid/end-session-pages.ts";
import { pictureHandler } from "./pages/pictures.ts";
import * as add from "./pages/sign-in/add-pages.ts";
import * as choose from "./pages/sign-in/choose-pages.ts";
import * as companyPages from "./pages/sign-in/company-pages.ts";
import * as confirmLinkPages from "./pages/sign-in/confirm-link-pages.ts";
import * as confirm from "./pages/sign-in/confirm-pages.ts";
import * as answerPages from "./pages/sign-in/answer-pages.ts";
import * as continuePages from "./pages/sign-in/continue-pages.ts";
import * as factorPages from "./pages/sign-in/factor-pages.ts";
import * as emailCodePages from "./pages/sign-in/email-code-pages.ts";
import * as firstMethodPages from "./pages/sign-in/first-method-pages.ts";
import * as invitePages from "./pages/sign-in/invite-pages.ts";
import * as newPasswordPages from "./pages/sign-in/new-password-pages.ts";
import * as oauthPages from "./pages/sign-in/oauth-pages.ts";
import * as departures from "./pages/sign-in/oauth-starts.ts";
import * as passkeyPages from "./pages/sign-in/passkey-pages.ts";
import * as passwordCheck from "./pages/sign-in/password-check.ts";
import * as passwordPages from "./pages/sign-in/password-pages.ts";
import * as proveAnewPages from "./pages/sign-in/prove-anew-pages.ts";
import * as recoverPages from "./pages/sign-in/recover-pages.ts";
import * as resetPages from "./pages/sign-in/reset-pages.ts";
import * as steps from "./pages/sign-in/step-pages.ts";
import * as takeOverPages from "./pages/sign-in/take-over-pages.ts";

const session = "/sign-in/:sessionId";

/** Every path of the service: the calls of the API, and the pages. */
export const routes: Route[] = [
  ...apiRoutes,

  pageRoute("GET", session, undefined, steps.page),
  pageRoute("GET", `${session}/create-account`, undefined, choose.createAccount),
  pageRoute("GET", `${session}/cancel`, undefined, choose.cancel),
  pageRoute("POST", `${session}/password`, "authentication", passwordPages.signIn),
  pageRoute("POST", `${session}/create-account`, "authentication", passwordPages.createAccount),
  pageRoute("GET", `${session}/confirm`, undefined, confirm.page),
  pageRoute("POST", `${session}/confirm`, "authentication", confirm.byCode),
  pageRoute("POST", `${session}/confirm/again`, "authentication", confirm.again),
  pageRoute("GET", "/confirm/:token", undefined, confirmLinkPages.link),
  pageRoute("POST", "/confirm/:token", "authentication", confirmLinkPages.byLink),
  pageRoute("GET", `${session}/email-code`, undefined, emailCodePages.form),
  pageRoute("POST", `${session}/email-code`, "authentication", emailCodePages.ask),
  pageRoute("GET", `${session}/code`, undefined, emailCodePages.page),
  pageRoute("POST", `${session}/code`, "authentication", emailCodePages.byCode),
  pageRoute("POST", `${session}/code/again`, "authentication", emailCodePages.again),
  pageRoute("GET", `${session}/forgot-password`, undefined, resetPages.forgotPage),
  pageRoute("POST", `${session}/forgot-password`, "authentication", resetPages.ask),
  pageRoute("POST", `${session}/reset`, "authentication", resetPages.byCode),
  pageRoute("GET", "/reset/:token", undefined, resetPages.link),
  pageRoute("POST", "/reset/:token", "authentication", resetPages.byLink),
  // Counted apart: typing uses up nobody's sign-ins.
  route("POST", `${session}/password-check`, anyone, "userManagement", passwordCheck.inSession),
  route("POST", "/reset/:token/password-check", anyone, "userManagement", resetPages.checkByLink),
  pageRoute("GET", "/invite/:token", undefined, invitePages.link),
  pageRoute("POST", "/invite/:token", "authentication", invitePages.choose),
  pageRoute("GET", "/recover/:token", undefined, recoverPages.link),
  pageRoute("POST", "/recover/:token", "authentication", recoverPages.begin),
  pageRoute("POST", `${session}/passkey`, "authentication", passkeyPages.signIn),
  pageRoute("POST", `${session}/create-account/passkey`, "authentication", passkeyPages.createAccount),
  route("POST", `${session}/passkey/options`, anyone, "authentication", passkeyPages.signInOptions),
  route("POST", `${session}/create-account/passkey/options`, anyone, "authentication", passkeyPages.signUpOptions),
  pageRoute("POST", `${session}/step/passkey`, "authentication", steps.usePasskey),
  pageRoute("POST", `${session}/step/new-passkey`, "authentication", steps.newPasskey),
  pageRoute("POST", `${session}/step/take-over`, "authentication", takeOverPages.agree),
  pageRoute("POST", `${session}/continue`, "authentication", continuePages.continueAs),
  pageRoute("POST", `${session}/step/consent`, "authentication", continuePages.agree),
  pageRoute("POST", `${session}/step/deny`, "authentication", continuePages.deny),
  pageRoute("POST", `${session}/step/terms`, "authentication", answerPages.answerTerms),
  pageRoute("POST", `${session}/step/profile`, "authentication", answerPages.completeProfile),
  pageRoute("POST", `${session}/step/organization`, "authentication", continuePages.chooseOrganization),
  pageRoute("POST", `${session}/step/other-account`, "authentication", continuePages.leaveAccount),
  pageRoute("POST", `${session}/step/password`, "authentication", proveAnewPages.byPassword),
  pageRoute("POST", `${session}/step/new-password`, "authentication", newPasswordPages.change),
  pageRoute("POST", `${session}/step/new-password/code`, "authentication", newPasswordPages.sendCode),
  pageRoute("POST", `${session}/step/code`, "authentication", factorPages.useCode),
  pageRoute("POST", `${session}/step/set-up`, "authentication", factorPages.confirmSetUp),
  pageRoute("POST", `${session}/step/continue`, "authentication", factorPages.goOn),
  pageRoute("POST", `${session}/step/skip`, "authentication", steps.skip),
  route("POST", `${session}/step/passkey/options`, anyone, "authentication", steps.usePasskeyOptions),
  route("POST", `${session}/step/new-passkey/options`, anyone, "authentication", steps.newPasskeyOptions),
  pageRoute("POST", `${session}/add/passkey`, "authentication", add.passkey),
  pageRoute("POST", `${session}/add/password`, "authentication", add.password),
  pageRoute("POST", `${session}/add/oauth`, "authentication", departures.addByForm),
  route("POST", `${session}/add/passkey/options`, anyone, "authentication", add.passkeyOptions),
  pageRoute("POST", `${session}/oauth/:provider`, "authentication", departures.startByForm),
  pageRoute("GET", "/oauth/:provider/callback", "authentication", oauthPages.callback),
  pageRoute("POST", "/oauth/:provider/callback", "authentication", oauthPages.postedCallback),
  pageRoute("GET", "/oauth/:provider/start", "authentication", oauthPages.tilePage),
  pageRoute("POST", "/oauth/:provider/start", "authentication", oauthPages.startTile),
  pageRoute("GET", `${session}/company`, undefined, companyPages.page),
  pageRoute("POST", `${session}/company`, "authentication", companyPages.lead),
  pageRoute("POST", `${session}/company/agree`, "authentication", companyPages.agree),
  pageRoute("POST", `${session}/company/leave`, "authentication", companyPages.leave),
  pageRoute("POST", `${session}/company/mail`, "authentication", companyPages.mailCode),
  pageRoute("GET", `${session}/company/code`, undefined, companyPages.codePage),
  pageRoute("POST", `${session}/company/code`, "authentication", companyPages.byCode),
  pageRoute("GET", `${session}/first-method`, undefined, firstMethodPages.form),
  pageRoute("POST", `${session}/first-method`, "authentication", firstMethodPages.ask),
  pageRoute("GET", `${session}/first-method/code`, undefined, firstMethodPages.codePage),
  pageRoute("POST", `${session}/first-method/code`, "authentication", firstMethodPages.byCode),
  pageRoute("GET", "/oauth2/authorize", "authentication", authorizePages.authorize),
  pageRoute("POST", "/oauth2/authorize", "authentication", authorizePages.posted),
  pageRoute("GET", "/device", undefined, devicePages.form),
  pageRoute("POST", "/device", "authentication", devicePages.enter),
  pageRoute("GET", "/device/end", undefined, devicePages.end),
  pageRoute("GET", "/oauth2/end-session", "authentication", endSessionPages.endSession),
  pageRoute("POST", "/oauth2/end-session", "authentication", endSessionPages.posted),
  pageRoute("POST", "/oauth2/end-session/confirm", "authentication", endSessionPages.confirm),

  pageRoute("GET", "/account", undefined, overviewPages.overview),
  pageRoute("GET", "/account/signed-out", undefined, overviewPages.signedOut),
  pageRoute("GET", "/account/forgot-password", undefined, overviewPages.forgotPassword),
  pageRoute("POST", "/account/sign-out", "authentication", loginPages.signOut),
  pageRoute("GET", "/account/profile", undefined, profilePages.form),
  pageRoute("POST", "/account/profile", "authentication", profilePages.save),
  pageRoute("GET", uploadPath, undefined, picturePages.form),
  pageRoute("POST", uploadPath, "authentication", picturePages.save),
  pageRoute("POST", "/account/picture/remove", "authentication", picturePages.remove),
  pageRoute("POST", "/account/picture/undo", "authentication", picturePages.undo),
  pageRoute("GET", "/account/verify-email", undefined, verifyPages.form),
  pageRoute("POST", "/account/verify-email", "authentication", verifyPages.send),
  pageRoute("POST", "/account/verify-email/code", "authentication", verifyPages.confirm),
  pageRoute("GET", "/account/email", undefined, addressPages.form),
  pageRoute("POST", "/account/email", "authentication", addressPages.ask),
  pageRoute("GET", "/account/email/code", undefined, addressPages.codeForm),
  pageRoute("POST", "/account/email/code", "authentication", addressPages.confirm),
  pageRoute("POST", "/account/email/again", "authentication", addressPages.again),
  pageRoute("GET", "/restore/:token", undefined, restorePages.link),
  pageRoute("POST", "/restore/:token", "authentication", restorePages.restore),
  pageRoute("POST", "/account/add", "authentication", methodPages.add),
  pageRoute("GET", "/account/methods/:methodId/rename", undefined, methodPages.renameForm),
  pageRoute("POST", "/account/methods/:methodId/rename", "authentication", methodPages.rename),
  pageRoute("GET", "/account/methods/:methodId/remove", undefined, methodPages.removeForm),
  pageRoute("POST", "/account/methods/:methodId/remove", "authentication", methodPages.remove),
  pageRoute("GET", "/account/factor", undefined, accountFactorPages.setUpForm),
  pageRoute("POST", "/account/factor", "authentication", accountFactorPages.setUp),
  pageRoute("GET", "/account/remove-factor", undefined, accountFactorPages.removeForm),
  pageRoute("POST", "/account/remove-factor", "authentication", accountFactorPages.remove),
  pageRoute("GET", "/account/recovery-codes", undefined, accountFactorPages.renewForm),
  pageRoute("POST", "/account/recovery-codes", "authentication", accountFactorPages.renew),
  pageRoute("POST", "/account/trusted-browsers/:browserId/end", "authentication", accountFactorPages.endTrust),
  pageRoute("POST", "/account/logins/:loginId/end", "authentication", loginPages.end),
  pageRoute("POST", "/account/logins/end-others", "authentication", loginPages.endOthers),
  pageRoute("POST", "/account/logins/end-all", "authentication", loginPages.endAll),
  pageRoute("GET", "/account/new-token", undefined, tokenPages.form),
  pageRoute("POST", "/account/new-token", "authentication", tokenPages.make),
  pageRoute("POST", "/account/tokens/:tokenId/end", "authentication", tokenPages.end),
  pageRoute("POST", "/account/programs/:clientId/remove", "authentication", loginPages.removeProgram),
  pageRoute("GET", "/account/data", undefined, dataPages.downloadForm),
  pageRoute("POST", "/account/data", "authentication", dataPages.download),
  pageRoute("GET", "/account/delete", undefined, dataPages.deleteForm),
  pageRoute("POST", "/account/delete", "authentication", dataPages.remove),
  pageRoute("GET", "/account/deleted", undefined, dataPages.deleted),

  pageRoute("GET", "/organization", undefined, organizationPages.form),
  pageRoute("POST", "/organization", "authentication", organizationPages.save),
  pageRoute("GET", "/organization/setup/:token", undefined, setupPages.form),
  pageRoute("POST", "/organization/setup/:token", "authentication", setupPages.save),
  pageRoute("GET", "/organization/provider", undefined, ownProviderPages.form),
  pageRoute("POST", "/organization/provider", "authentication", ownProviderPages.save),
  pageRoute("GET", "/organization/invitation/:token", undefined, invitationPages.link),
  pageRoute("POST", "/organization/invitation/:token", "authentication", invitationPages.begin),
  pageRoute("GET", "/organization/invitations/:id", undefined, invitationPages.form),
  pageRoute("POST", "/organization/invitations/:id", "authentication", invitationPages.answer),

  pageRoute("GET", "/", undefined, hosted.home),
  route("GET", "/assets/:file", anyone, undefined, assetHandler),
  ...browser("everybody", route("GET", "/pictures/:random/:digest", anyone, undefined, pictureHandler(""))),
  route("GET", "/favicon.ico", anyone, undefined, iconHandler),
  route("GET", "/robots.txt", anyone, undefined, robotsHandler),

  route("GET", "/.well-known/change-password", anyone, undefined, changePasswordHandler),
  pageRoute("GET", "/docs", undefined, docsHandler(apiRoutes)),
];
