import { fieldOf, succeeded, type Exchange } from "./api.ts";
import { isOver, type CallName, type Walk } from "./walk.ts";

/** What an answer means for the app. */
export function remarkFor(name: CallName, exchange: Exchange, walk: Walk): string | undefined {
  const { answer } = exchange;
  if (answer === null) return "Nothing came back. Is the service still running?";
  if (answer.status === 429) return "Too many calls in this minute. Wait for the seconds that Retry-After names.";
  const error = (answer.body as { error?: { code?: string } } | undefined)?.error?.code;
  if (error === "INVALID_API_KEY" || error === "INVALID_APP_ID")
    return "The key on this page is no longer the service’s. Reload the page for the new one.";
  return succeeded(exchange) ? goodNews[name](exchange, walk) : badNews[name](walk, exchange);
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
  wiki: () => "Signed in by single sign-on: auth_time is that of the first sign-in. The ID token says who it is.",
  "wiki-userinfo": () => "The claims of the scopes that the wiki asked for.",
  rename: () => "Changed. Read the profile in step 6 to see it; a webhook tells your other systems.",
  "add-method": () => "Send the browser to authUrl. It comes back with the state, and with the id of the new method.",
  "remove-method": () => "Removed. Every other login of this person has ended, in case a stranger had added it.",
  application: () => "Your settings, and how many people use the app.",
  "rename-app": () => "Changed. What you leave out stays as it is. The sign-in page has the new name now.",
  endpoint: () => "Registered. The secret is never shown again. Every event is posted there from now on.",
  sample: () => "What your receiver answered. The sample is below, with a made-up person.",
  "remove-endpoint": () => "Removed, with everything that still waited for it.",
  config: () => "What a sign-in page of your own needs to know. No secrets, so anybody may read it.",
  "verify-token": ({ answer }) =>
    (answer?.body as { valid?: boolean } | undefined)?.valid === true
      ? "The token holds."
      : "valid is false, with status 200: this call tells no more than that.",
  "current-user": () => "The person as your app may know it.",
};

const badNews: Record<CallName, (walk: Walk, exchange: Exchange) => string> = {
  initiate: refused,
  callback: () =>
    "Refused: used before, older than 60 seconds, or of another session. One message for all. Start again.",
  validate: ended,
  profile: ended,
  methods: ended,
  refresh: ended,
  "old-refresh": () => "Refused, and the whole login has ended: a spent token that comes back late counts as stolen.",
  logout: ended,
  "dead-token": () => "As it should be: signed out, although the token’s own time is not over.",
  wiki: () => "Refused: used before, or older than 60 seconds. Start again.",
  "wiki-userinfo": ended,
  rename: endedOrRefused,
  "add-method": endedOrRefused,
  "remove-method": endedOrRefused,
  application: refused,
  "rename-app": refused,
  endpoint: () => "Refused. The details say why. A restart removes the webhooks that closed pages left behind.",
  sample: () => "This webhook is no longer registered. Register it again.",
  "remove-endpoint": () => "This webhook was removed before.",
  config: refused,
  "verify-token": refused,
  "current-user": ended,
};

function refused(): string {
  return "Refused. The details name the field and the rule.";
}

function endedOrRefused(walk: Walk, { answer }: Exchange): string {
  return answer?.status === 401 ? ended(walk) : refused();
}

function ended(walk: Walk): string {
  if (succeeded(walk.exchanges.logout)) return "As it should be: the person has signed out.";
  if (walk.wiki.isOver) return "As it should be: the person has signed out of the wiki, and so of this browser.";
  if (isOver(walk)) return "As it should be: the spent refresh token has ended this login. Start again.";
  return "The token has expired, or its login has ended. Refresh, or start again.";
}
