import { fieldOf, succeeded, type Exchange } from "./api.ts";
import { isOver, type CallName, type Walk } from "./walk.ts";

/** What an answer means for the app that got it. */
export function remarkFor(name: CallName, exchange: Exchange, walk: Walk): string | undefined {
  const { answer } = exchange;
  if (answer === null) return "Nothing came back. Is the service still running?";
  if (answer.status === 429) return "Too many calls in this minute. Wait for the seconds that Retry-After names.";
  const error = (answer.body as { error?: { code?: string } } | undefined)?.error?.code;
  if (error === "INVALID_API_KEY" || error === "INVALID_APP_ID")
    return "The key on this page is no longer the service’s. Reload the page for the new one.";
  return answer.status === 200 ? goodNews[name](exchange, walk) : badNews[name](walk);
}

const goodNews: Record<CallName, (exchange: Exchange, walk: Walk) => string | undefined> = {
  initiate: () => "Send the browser to authUrl, and keep the state beside its session in your app.",
  callback: () => "Signed in. Start your app’s own session now; the tokens stay on your server.",
  validate: () => "The token holds, and this is whom it speaks for.",
  refresh: () => "A new pair. The refresh token that bought it is spent.",
  profile: () => "The person as your app may know it. PATCH changes name and picture, DELETE removes the account.",
  methods: () => "Every way in. POST starts adding one, DELETE with its id removes one: never the last.",
  "old-refresh": (exchange, { tokens }) =>
    fieldOf(exchange, "refreshToken") === tokens?.refresh
      ? "The same successor again: for 10 seconds, so that a lost answer or a race signs nobody out."
      : undefined,
  logout: () => "Signed out. Press Validate in step 5, or try the token here: it has ended early.",
  "dead-token": () => "Still good: it belongs to another login.",
};

const badNews: Record<CallName, (walk: Walk) => string> = {
  initiate: () => "Refused. The details name the field and the rule.",
  callback: () =>
    "Refused: used before, older than 60 seconds, or of another session. One message for all. Start again.",
  validate: ended,
  profile: ended,
  methods: ended,
  refresh: ended,
  "old-refresh": () => "Refused, and the whole login has ended: a spent token that comes back late counts as stolen.",
  logout: ended,
  "dead-token": () => "As it should be: signed out, although the token’s own time is not over.",
};

function ended(walk: Walk): string {
  if (succeeded(walk.exchanges.logout)) return "As it should be: the person has signed out.";
  if (isOver(walk)) return "As it should be: the spent refresh token has ended this login. Start again.";
  return "The token has expired, or its login has ended. Refresh, or start again.";
}
