/**
 * Newcomers at a gate. Some addresses are refused; all others wait for approval, agree to terms and
 * complete the profile. They have two logins at most, and passwords that must change.
 */
import * as keys from "../../../src/applications/keys.ts";
import * as applications from "../../../src/applications/service.ts";
import * as approval from "../../../src/people/approval.ts";
import * as required from "../../../src/people/required-passwords.ts";
import { HostVisitor, program } from "../../support/host-visitor.ts";
import { call, refresh, Visitor, type Page } from "../../support/person.ts";
import { askForToken } from "../../support/personal-tokens.ts";
import { simulatedRequest } from "../browser.ts";
import { command } from "../command-line.ts";
import { changedBy } from "../dry-runs.ts";
import { sameText } from "../firm-answers.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { has, lives, otherCode, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";

const by = { actor: { kind: "cli", name: "gate" } } as const;
const decided = { sentence: null, dryRun: false };
const waitingStates = ["terms", "profile"] as const;

export async function guests(world: World, part: Part): Promise<void> {
  await lives(world, part, { app: world.gate.app, name: "visitor", network: 120 }, live);
}

async function live(me: Resident, { isOver, pause }: Pick<Part, "isOver" | "pause">): Promise<void> {
  // An answer that was lost may have left it closed.
  if (me.world.gate.mayBeClosed) await setSignUp(me, "open");
  if (me.world.gate.mayBeOptional) await setTerms(me, true);
  if (me.chances.chance(0.25)) await knockWithRefusedAddress(me);
  if (me.chances.chance(0.15)) await closed(me);
  await knock(me);
  await waitForApproval(me);
  if (me.chances.chance(0.2)) return await refused(me);
  await approved(me);
  await firstSignIn(me);
  for (let rounds = 0; rounds < 2 && !isOver(); rounds += 1) {
    await pause(60_000);
    await me.chances.pick([moreLogins, moreLogins, otherTerms, declinedTerms, newPassword, newPassword, refusedMove])(
      me,
    );
  }
}

const refusedEmail = (me: Resident): string => `${me.name}@${me.chances.pick(["no.example", "sub.no.example"])}`;

/** O8: an address that the rules refuse gets no account, by whatever door. */
async function knockWithRefusedAddress(me: Resident): Promise<void> {
  const email = refusedEmail(me);
  const visitor = new Visitor();
  const { session } = await me.begin(visitor);
  if (me.chances.chance(0.5)) {
    const form = await visitor.get(`${session.authUrl}/create-account`);
    const done = await visitor.submit(form, "/create-account", { email, name: "", password: me.password });
    me.must("O8", done.status !== 303, `${email} may sign up: ${done.status}`);
  } else {
    const since = time.now();
    const form = await visitor.get(`${session.authUrl}/email-code`);
    await visitor.submit(form, "/email-code", { email });
    await time.pause(20_000);
    const sent = me.world.mailsSince(since).some(({ to }) => to === email);
    me.must("O8", !sent, `${email} got a code`);
  }
  me.world.reached("an address that the rules refuse");
  const { body } = await me.server("GET", `/users?email=${encodeURIComponent(email)}`);
  me.must("O8", (body["users"] as unknown[] | undefined)?.length !== 1, `${email} has an account`);
}

/** O8: nobody signs up while that is closed. O1: a key of the server ends when it is revoked. */
async function closed(me: Resident): Promise<void> {
  const { world, app } = me;
  const key = await world.operate(async (ctx) => await keys.createKey(ctx, { appId: app.id }, by.actor));
  const visitor = new Visitor();
  const begun = await me.begin(visitor);
  const form = await visitor.get(`${begun.session.authUrl}/create-account`);
  await setSignUp(me, "closed");
  const since = time.now();
  const { email, password } = me;
  const done = await visitor.submit(form, "/create-account", { email, name: "", password });
  const codes = await visitor.get(`${begun.session.authUrl}/email-code`);
  // Slow calls and a clock that was set may take longer than a sign-in lasts.
  if (codes.status === 410) throw new Lost("a sign-in that timed out");
  await visitor.submit(codes, "/email-code", { email });
  await time.pause(20_000);
  const sent = world.mailsSince(since).some(({ to, text }) => to === email && /^\d{4} \d{4}$/mu.test(text));
  me.must("O8", !sent, `may sign up although nobody may: ${done.status}`);
  world.reached("a sign-up while it is closed");
  const headers = { ...app.headers, authorization: `Bearer ${key.apiKey}` };
  const read = async () => await call(world.service, "GET", `/applications/${app.id}/users?limit=1`, headers);
  me.must("O10", (await read()).status === 200, "a new key does not work");
  await world.operate(async (ctx) => await keys.revokeKey(ctx, key.id, by.actor));
  await time.pause(2000);
  me.must("O1", (await read()).status === 401, "a key worked after it was revoked");
  await setSignUp(me, "open");
}

/** Nodes notice within a second, and read slowly at times. */
async function setSignUp({ world, app }: Resident, signUp: "open" | "closed"): Promise<void> {
  world.gate.mayBeClosed = true;
  await world.operate(async (ctx) => await applications.update(ctx, app.id, { settings: { signUp } }, by.actor));
  world.gate.mayBeClosed = signUp === "closed";
  await time.pause(70_000);
}

/** Signs up: by password or a mailed code. Nothing is issued. */
async function knock(me: Resident): Promise<void> {
  const { email, password } = me;
  const visitor = new Visitor();
  const since = time.now();
  const { session } = await me.begin(visitor);
  const byCode = me.chances.chance(0.3);
  if (byCode) me.password = "";
  const form = await visitor.get(`${session.authUrl}/${byCode ? "email-code" : "create-account"}`);
  const asked = byCode
    ? await visitor.submit(form, "/email-code", { email })
    : await visitor.submit(form, "/create-account", { email, name: "", password });
  me.must("O10", asked.status === 303, `cannot sign up: ${asked.status}`);
  const waits = await visitor.get(asked.location.href);
  const { code } = await me.mailed("confirm", since);
  const done = await visitor.submit(waits, byCode ? "/code" : "/confirm", { code });
  issuesNothing(me, done, "signing up");
  const { body } = await me.server("GET", `/users?email=${encodeURIComponent(email)}`);
  const [found] = (body["users"] ?? []) as { id: string }[];
  me.must("O4", found !== undefined, "has no account after the sign-up");
  me.userId = found?.id ?? "";
  me.leaves("entry user.create", "event user.pending");
}

function issuesNothing(me: Resident, page: Page, by: string): void {
  me.must("O8", !page.location.searchParams.has("code"), `got a code by ${by}, and should wait`);
  me.must("O8", page.status === 200 || page.status >= 400, `is led on by ${by}, and should wait: ${page.status}`);
}

/** O8: whatever is proven, nothing is issued; and the server lets nobody in by the way. */
async function waitForApproval(me: Resident): Promise<void> {
  const { world, email, password } = me;
  world.reached("somebody waits for approval");
  const { body } = await me.server("GET", `/users/${me.userId}`);
  me.must("O8", body["state"] === "pending", `does not wait: ${JSON.stringify(body["state"])}`);
  if (password !== "") {
    const visitor = new Visitor();
    const { page } = await me.begin(visitor);
    issuesNothing(me, await visitor.submit(page, "/password", { email, password }), "a password");
    const account = await visitor.get(me.url());
    me.must("O8", account.status !== 200, "has an account page, and should wait");
  }
  if (me.chances.chance(0.5)) {
    const visitor = new Visitor();
    const since = time.now();
    const { session } = await me.begin(visitor);
    const form = await visitor.get(`${session.authUrl}/email-code`);
    const asked = await visitor.submit(form, "/email-code", { email });
    // It arrived twice, and the second answer came.
    if (asked.status === 410) throw new Lost("nobody knows where the code is typed");
    const waits = await visitor.get(asked.location.href);
    const { code } = await me.mailed("confirm", since);
    issuesNothing(me, await visitor.submit(waits, "/code", { code }), "a mailed code");
  }
  const enabled = await me.server("PATCH", `/users/${me.userId}`, { disabled: false });
  me.must("O8", enabled.status === 409, `was let in without an approval: ${enabled.status}`);
  if (me.chances.chance(0.4)) await unproven(me);
}

/** O8: an approval is no proof of the address. */
async function unproven(me: Resident): Promise<void> {
  await me.patch({ emailVerified: false });
  const { status } = await me.server("POST", `/users/${me.userId}/approve`, {});
  me.must("O8", status === 409, `was approved without a proof of the address: ${status}`);
  await me.patch({ emailVerified: true });
  for (let twice = 0; twice < 2; twice += 1) me.leaves("entry user.update", "event user.updated");
  me.world.reached("an approval of an unproven address");
}

const decisions = { approve: approval.approve, refuse: approval.refuse };

/** Also with a sentence, which is mailed. A dry run decides nothing. */
async function decide(me: Resident, decision: "approve" | "refuse"): Promise<void> {
  const { world, chances, userId, email } = me;
  const sentence = chances.chance(0.5) ? me.next("We talked") : undefined;
  const how = chances.pick(["service", "server", "command"]);
  const since = time.now();
  if (how === "service") {
    const given = { ...decided, sentence: sentence ?? null };
    await world.operate(async (ctx) => await decisions[decision](ctx, userId, given, by));
  } else if (how === "server") {
    const { status } = await me.server("POST", `/users/${userId}/${decision}`, { message: sentence });
    me.must("O10", status === 200, `no answer to ${decision}: ${status}`);
  } else {
    const args = ["user", decision, userId, ...(sentence === undefined ? [] : [`--message=${sentence}`])];
    const run = async (more: string[], should: object): Promise<void> => {
      const { code, said, notes } = await command(world, [...args, ...more]);
      me.must("O10", code === 0, `${decision} ended with ${code}: ${notes}`);
      me.must("O4", sameText(said, should), `${decision} says ${JSON.stringify(said)}`);
    };
    const answer = { id: userId, email, decision: decision === "approve" ? "approved" : "refused", mailed: true };
    const changed = await changedBy(world, userId, async () => await run(["--dry-run"], { ...answer, dryRun: true }));
    me.must("O8", changed === undefined, `a dry run of ${decision} changed ${changed}`);
    await run([], answer);
    world.reached("a decision by a command");
  }
  if (sentence === undefined) return;
  const isMailed = (): boolean =>
    world.mailsSince(since).some(({ to, text }) => to === email && text.includes(sentence));
  for (let tries = 0; tries < 15 && !isMailed(); tries += 1) await time.pause(2000);
  me.must("O10", isMailed() || !world.wasCalm(since) || world.faults.failingMail > 0, `nobody mailed: ${sentence}`);
}

async function refused(me: Resident): Promise<void> {
  me.isGone = true;
  me.leaves("entry user.delete", "event user.deleted");
  me.world.ledger.left({ actor: "", act: "deleteOwn", about: me.userId }, { isSure: false });
  await decide(me, "refuse");
  me.world.reached("somebody refused at the gate");
  const { status } = await me.server("GET", `/users/${me.userId}`);
  me.must("O4", status === 404, `is there although refused: ${status}`);
}

async function approved(me: Resident): Promise<void> {
  await decide(me, "approve");
  me.leaves("entry user.approve", "event user.created");
  const { body } = await me.server("GET", `/users/${me.userId}`);
  me.must("O4", body["state"] !== "pending" && body["disabledAt"] === null, "waits although approved");
  if (me.password !== "") return;
  // Who signed up by a code gives the account a password by a reset.
  await me.resetPassword("the horse battery staple");
  me.leaves("entry password.reset", "event method.added password");
}

/** By password, to the step that follows; undefined if none does. */
async function toStep(me: Resident, visitor = new Visitor()) {
  const { email, password } = me;
  const { session, page } = await me.begin(visitor);
  const proven = await visitor.submit(page, "/password", { email, password });
  const isOn = proven.status === 303 && proven.location.origin === me.world.service.url;
  const next = isOn ? await visitor.get(proven.location.href) : proven;
  // The way a passkey or an app is offered asks for nothing.
  const last = has(next, "/step/skip") ? await me.walk(next, visitor) : next;
  return { session, visitor, page: last, step: waitingStates.find((step) => has(last, `/step/${step}`)) };
}

/** O8: no login before all is answered, and each is asked for once. */
async function firstSignIn(me: Resident): Promise<void> {
  const { world, chances } = me;
  const first = await toStep(me);
  me.must("O8", first.step === "terms", `is not asked for the terms: ${first.page.status} at ${first.page.url}`);
  if (chances.chance(0.4)) {
    const declined = await first.visitor.submit(first.page, "/step/terms", { answer: "no" });
    me.must("O8", !declined.location.searchParams.has("code"), "declined the terms, and got a code");
    world.reached("terms declined");
    me.leaves("entry user.terms");
  }
  const at = chances.chance(0.5) ? await toStep(me) : first.step && (await toStep(me));
  if (!at) return;
  me.must("O8", at.step === "terms", "is not asked for the terms again");
  const { fields } = at.page.form("/step/terms");
  const early = await at.visitor.post(`${at.session.authUrl}/step/profile`, { ...fields, "profile-team": "Blue" });
  me.must("O8", !early.location.searchParams.has("code"), "completed the profile before the terms, and got a code");
  // Single sign-on issues nothing either.
  const account = await at.visitor.get(me.url());
  me.must("O8", account.status !== 200, "has an account page before the terms");
  const accepted = await at.visitor.submit(at.page, "/step/terms", { answer: "yes" });
  me.must("O8", !accepted.location.searchParams.has("code"), "got a code before the profile is complete");
  const again = await toStep(me);
  me.must("O8", again.step === "profile", `is not asked for the profile: ${again.step ?? again.page.status}`);
  const empty = await again.visitor.submit(again.page, "/step/profile", { "profile-team": "" });
  me.must("O8", !empty.location.searchParams.has("code"), "left a required field empty, and got a code");
  const team = me.next("Team");
  const done = await again.visitor.submit(again.page, "/step/profile", { "profile-team": team });
  me.must("O10", done.status === 303, `no sign-in after the profile: ${done.status}`);
  world.reached("terms and profile answered at a sign-in");
  me.leaves("entry user.terms", "event user.terms", "entry user.update", "event user.updated");
  const { body } = await me.server("GET", `/users/${me.userId}`);
  const shown = (body["profile"] as Record<string, unknown> | undefined)?.["team"];
  me.must("O4", shown === team, `the team is ${JSON.stringify(shown)}, acknowledged: ${team}`);
  const last = await toStep(me);
  me.must("O4", last.step === undefined, `is asked for the ${last.step} again`);
}

/** O7: two logins at once; one more ends the oldest, and no other. */
async function moreLogins(me: Resident): Promise<void> {
  const tokens: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    tokens.push((await me.login()).accessToken);
    await time.pause(1500);
  }
  const live = [];
  for (const token of tokens) live.push(await me.isValid(token));
  me.world.reached("more logins than one may have");
  me.must("O7", live.filter(Boolean).length <= 2, `has ${live.filter(Boolean).length} logins at once, and may have 2`);
  me.must("O4", live[2] === true && live[3] === true, "has lost a login that was not the oldest");
}

/** Other terms: logins stay, and no new one begins before the person accepts. */
async function otherTerms(me: Resident): Promise<void> {
  const { world } = me;
  const tokens = await me.login();
  const host = new HostVisitor(world.service, "nginx", simulatedRequest);
  const place = `https://${world.gate.host}/`;
  const entered = await me.walk(await host.go(place), host.own);
  if (entered.status === 303) await host.go(entered.location.href);
  const wasIn = (await host.open(place)).text === program;
  world.gate.terms += 1;
  const settings = { termsVersion: String(world.gate.terms) };
  await world.operate(async (ctx) => await applications.update(ctx, me.app.id, { settings }, by.actor));
  // A running service notices within a second, and reads slowly at times.
  await time.pause(70_000);
  const { page, visitor, step } = await toStep(me);
  me.must("O8", step === "terms", `is not asked for other terms: ${page.status}`);
  world.reached("other terms");
  const { status } = await refresh(world.service, me.app, tokens.refreshToken);
  me.must("O4", status === 200, `other terms ended a login: ${status}`);
  if (wasIn) me.must("O4", (await host.open(place)).text === program, "other terms ended a login at a host");
  const done = await visitor.submit(page, "/step/terms", { answer: "yes" });
  me.must("O10", done.status === 303, `no sign-in after other terms: ${done.status}`);
  me.leaves("entry user.terms", "event user.terms");
}

/** O8: who declined terms that nobody had to accept is asked again once everybody has to. */
async function declinedTerms(me: Resident): Promise<void> {
  const { world } = me;
  world.gate.terms += 1;
  await setTerms(me, false);
  const { page, visitor, step } = await toStep(me);
  me.must("O4", step === "terms", `is not asked for other terms: ${page.status}`);
  const declined = await visitor.submit(page, "/step/terms", { answer: "no" });
  me.must("O10", declined.status === 303, `may not decline what is not required: ${declined.status}`);
  me.leaves("entry user.terms");
  me.must("O4", (await toStep(me)).step === undefined, "is asked again for terms that were declined");
  await setTerms(me, true);
  const again = await toStep(me);
  me.must("O8", again.step === "terms", `is not asked for terms that were declined: ${again.page.status}`);
  world.reached("declined terms that are required later");
  const done = await again.visitor.submit(again.page, "/step/terms", { answer: "yes" });
  me.must("O10", done.status === 303, `no sign-in after other terms: ${done.status}`);
  me.leaves("entry user.terms", "event user.terms");
}

async function setTerms({ world, app }: Resident, termsRequired: boolean): Promise<void> {
  const settings = { termsVersion: String(world.gate.terms), termsRequired };
  world.gate.mayBeOptional = true;
  await world.operate(async (ctx) => await applications.update(ctx, app.id, { settings }, by.actor));
  world.gate.mayBeOptional = !termsRequired;
  await time.pause(70_000);
}

/** A password that must change proves nothing else, and its logins end with it. */
async function newPassword(me: Resident): Promise<void> {
  const { world, email } = me;
  const { accessToken } = await me.login();
  const desk = new Visitor();
  await me.at("", desk);
  await world.operate(async (ctx) => await required.requireOf(ctx, me.userId, { dryRun: false }, by));
  me.leaves("entry user.require-new-password", "event user.updated");
  const since = time.now();
  const { page, visitor, session } = await toStep(me);
  const isAsked = has(page, "/step/new-password") || has(page, "/step/new-password/code");
  me.must("O8", isAsked, `is not asked for a new password: ${page.status} at ${page.url}`);
  const account = await visitor.get(me.url());
  me.must("O8", account.status !== 200, "has an account page by a password that must change");
  const form = await desk.get(me.url("/new-token"));
  if (form.status === 200 && form.text.includes('name="until"')) {
    const made = await askForToken(world.service, me.app, desk);
    me.must("O8", !/pat_[0-9A-Za-z]{43}_/u.test(made.text), "made a token with a password that must change");
  }
  me.must("O4", await me.isValid(accessToken), "a login ended before the password was changed");
  const asked = await visitor.submit(page, "/step/new-password/code", {});
  const { code } = await mailedCode(me, since);
  const shown = asked.status === 303 ? await visitor.get(asked.location.href) : asked;
  const password = me.next("a required horse battery staple");
  const isGuessing = me.chances.chance(0.25);
  for (let tries = isGuessing ? 1 : 6; tries <= 5; tries += 1) {
    const typed = { code: otherCode(code, tries), password };
    const wrong = await me.elsewhere(async () => await visitor.submit(shown, "/step/new-password", typed));
    me.must("O8", !wrong.location.searchParams.has("code"), "a wrong code changed a password");
  }
  const done = await visitor.submit(shown, "/step/new-password", { code, password });
  const isDone = done.location.searchParams.has("code");
  if (isGuessing) {
    me.must("O7", !isDone, "a code for a new password was tried six times");
    throw new Lost("the password stays one that must change");
  }
  me.must("O10", isDone, `no new password: ${done.status}`);
  world.reached("a password that must change");
  me.leaves("entry password.changed password", "event user.updated");
  const old = { email, password: me.password };
  me.password = password;
  me.must("O1", !(await me.isValid(accessToken)), "a login outlived the password that had to change");
  const strange = new Visitor();
  const begun = await me.begin(strange);
  const refused = await me.elsewhere(async () => await strange.submit(begun.page, "/password", old));
  me.must("O8", refused.status !== 303, "signed in by a password that was changed");
  const redeemed = await me.redeem({ session, code: done.location.searchParams.get("code") ?? undefined });
  if (redeemed.status !== 200) return;
  const { sub } = claimsOf(String(redeemed.body["accessToken"]));
  me.must("O8", sub === me.userId, "got a login of somebody else");
}

/** The code of the mail that came with a step of a sign-in. */
async function mailedCode(me: Resident, since: number): Promise<{ code: string }> {
  for (let tries = 0; tries < 15; tries += 1) {
    const found = me.world.mailsSince(since).find(({ to, text }) => to === me.email && /^\d{4} \d{4}$/mu.test(text));
    if (found) return { code: /^\d{4} \d{4}$/mu.exec(found.text)?.[0] ?? "" };
    await time.pause(2000);
  }
  throw new Lost("no mail came");
}

/** O8: neither a person nor their server can set an address that the rules refuse. */
async function refusedMove(me: Resident): Promise<void> {
  const email = refusedEmail(me);
  const { status } = await me.server("PATCH", `/users/${me.userId}`, { email });
  me.must("O8", status === 409 || status === 400, `has got the address ${email}: ${status}`);
  const form = await me.at("/email");
  const asked = await me.press(form, "/account/email", { email });
  me.must("O8", asked.status !== 303, `may move to ${email}`);
  me.world.reached("a move to an address that the rules refuse");
}
