/** The puzzle that a browser solves before a suspect password is checked (docs/decisions/0105). */
import { createChallenge, verifySolution, type Challenge, type Solution } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/sha";
import { minute } from "../../lib/clock.ts";
import { rateLimits } from "../../rate-limits/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as browserSessions from "../../sessions/browser-sessions.ts";
import * as users from "../../users/service.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";
import * as formLinks from "./form-links.ts";
import { stuffing } from "./stuffing.ts";

/** A slow phone counts 60,000 a second in its browser: at most five seconds. */
const [fewest, most] = [100_000, 300_000];
const lasts = 5 * minute;
/** A challenge and its solution are far shorter. */
const maxText = 2000;

/** What was typed. `email`: canonical. */
type Typed = { email: string; password: string; network: string };

/** JSON of what the browser solves. Its page sends it back with the solution. */
export type Puzzle = { challenge: string; most: number };

const secretOf = (ctx: Context, use: string): string => ctx.keyring.mac("puzzle", use).toString("base64url");

/** A puzzle is for one session, address and password. */
function actOf(ctx: Context, { sessionId }: SignInAttempt, { email, password }: Typed): string {
  return ctx.keyring.mac("puzzle", "act", sessionId, email, password).toString("base64url");
}

/**
 * The puzzle to solve before this password is checked; undefined if none is, or it is solved.
 * `sent`: the solution that came with it. It is consumed, on all nodes. `pass`: of a mailed link.
 */
export async function ask(
  ctx: Context,
  attempt: SignInAttempt,
  typed: Typed,
  sent: { challenge: string; solution: string } | undefined,
  pass: string | undefined,
): Promise<Puzzle | undefined> {
  const account = accountOf(attempt, typed);
  if (!stuffing(ctx).isSuspect({ ...typed, account })) return undefined;
  const user = await users.findByEmail(ctx.storage.reader, attempt.application.id, typed.email);
  const { isKnown } = await browserSessions.meet(
    ctx,
    ctx.storage.reader,
    user?.id ?? "",
    attempt.knownBrowser,
    ctx.clock(),
  );
  if (isKnown) return undefined;
  if (pass !== undefined && (await formLinks.takeTry(ctx, attempt.sessionId, pass, typed.email))) return undefined;
  const act = actOf(ctx, attempt, typed);
  if (sent && (await isSolved(ctx, act, sent))) {
    ctx.meter.puzzle("solved");
    return undefined;
  }
  ctx.meter.puzzle(sent ? "refused" : "asked");
  return await newPuzzle(ctx, act);
}

/** Notes a refused try. */
export function failed(ctx: Context, attempt: SignInAttempt, typed: Typed): void {
  stuffing(ctx).failed({ ...typed, account: accountOf(attempt, typed) });
}

function accountOf({ application }: SignInAttempt, { email }: Typed): string {
  return `${application.id} ${email}`;
}

async function newPuzzle(ctx: Context, act: string): Promise<Puzzle> {
  const challenge = await createChallenge({
    algorithm: "SHA-256",
    cost: 1,
    counter: fewest + (Buffer.from(ctx.random(4)).readUInt32BE() % (most - fewest)),
    deriveKey,
    // The library would compare its own field with the clock of the machine.
    data: { act, until: ctx.clock() + lasts },
    hmacSignatureSecret: secretOf(ctx, "challenge"),
    hmacKeySignatureSecret: secretOf(ctx, "key"),
  });
  return { challenge: JSON.stringify(challenge), most };
}

async function isSolved(ctx: Context, act: string, sent: { challenge: string; solution: string }): Promise<boolean> {
  const challenge = await verified(ctx, sent);
  const { act: signedAct, until } = challenge?.parameters.data ?? {};
  if (!challenge || signedAct !== act || typeof until !== "number" || until < ctx.clock()) return false;
  const { nonce } = challenge.parameters;
  return (await ctx.storage.write((tx) => rateLimits(ctx).use(tx, `puzzle ${nonce}`, until))) === 1;
}

/** Undefined unless this is a solution of one of our challenges. */
async function verified(ctx: Context, sent: { challenge: string; solution: string }): Promise<Challenge | undefined> {
  if (sent.challenge.length + sent.solution.length > maxText) return undefined;
  try {
    const challenge = JSON.parse(sent.challenge) as Challenge;
    const result = await verifySolution({
      challenge,
      solution: JSON.parse(sent.solution) as Solution,
      deriveKey,
      hmacSignatureSecret: secretOf(ctx, "challenge"),
      hmacKeySignatureSecret: secretOf(ctx, "key"),
    });
    return result.verified ? challenge : undefined;
  } catch {
    // Not JSON, or of another shape.
    return undefined;
  }
}

/** What was typed, encrypted for the page with the puzzle; only this session opens it. */
export function keep(
  ctx: Context,
  sessionId: string,
  { email, password }: { email: string; password: string },
): string {
  return ctx.keyring.sealCursor(JSON.stringify([email, password]), "puzzle", sessionId);
}

export function reopen(
  ctx: Context,
  sessionId: string,
  kept: string | undefined,
): { email: string; password: string } | undefined {
  const text = kept === undefined ? undefined : ctx.keyring.openCursor(kept, "puzzle", sessionId);
  if (text === undefined) return undefined;
  const [email = "", password = ""] = JSON.parse(text) as string[];
  return { email, password };
}
