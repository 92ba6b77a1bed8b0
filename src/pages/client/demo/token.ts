import { countDown } from "./countdown.ts";
import { element } from "./element.ts";
import { jsonNodes, jwtNodes } from "./json.ts";

type Claims = Record<string, unknown>;

/** The claims of an access or ID token, in the order that is easiest to understand. */
const meanings: Record<string, string> = {
  iss: "Who issued it: this service.",
  aud: "For which app. Refuse a token that is for another.",
  sub: "The user. Stays the same for good: store this, not the email.",
  user_id: "The same as sub.",
  app_id: "The same as aud.",
  nonce: "What the program sent with this sign-in. Refuse any other.",
  azp: "For whom it was issued: the same as aud.",
  acr: "How sure the service is: urn:authsvc:acr:2 for two factors, such as a passkey.",
  at_hash: "Ties it to the access token beside it.",
  name: "The user’s name.",
  updated_at: "When the user’s data changed last.",
  locale: "The language that the user reads.",
  client_id: "The same as aud, by the name that RFC 9068 gives it.",
  email: "The user’s address.",
  email_verified: "Whether the user has proven that address. If not, it may be anybody’s.",
  sid: "The login that signing out ends.",
  scope: "What the token may be used for.",
  amr: "How the person signed in: pwd is a password; pop and user, a passkey.",
  auth_time: "When the person signed in.",
  iat: "When it was issued.",
  exp: "When it ends.",
  jti: "This one token.",
};

const instants = new Set(["auth_time", "iat", "exp"]);

/** A decoded JWT. Anyone can read it; only the service can sign it. */
export function decodedToken(jwt: string, title: string, open: boolean): HTMLElement | undefined {
  const [header, claims] = jwt.split(".").map(decoded);
  if (header === undefined || claims === undefined) return undefined;
  const signature = "Made by the service. Any server can check it with the public keys, without a call.";
  const details = element(
    "details",
    { class: "decoded" },
    element("summary", {}, title),
    element(
      "div",
      { class: "pair" },
      titled("As sent", "", code(jwtNodes(jwt))),
      element(
        "div",
        {},
        titled("Header", "jwt-header", code(jsonNodes(header))),
        titled("Signature", "jwt-signature", element("p", {}, signature)),
      ),
    ),
    titled(
      "Claims",
      "jwt-claims",
      element("dl", { class: "claims" }, ...ordered(claims).map(([name, value]) => claim(name, value))),
    ),
  );
  details.open = open;
  return details;
}

function titled(title: string, colour: string, content: HTMLElement): HTMLElement {
  return element("div", { class: "block" }, element("h4", { class: colour }, title), content);
}

function code(nodes: (Node | string)[]): HTMLElement {
  return element("pre", {}, element("code", {}, ...nodes));
}

function decoded(part: string): Claims | undefined {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
  } catch {
    return undefined;
  }
}

function ordered(claims: Claims): [string, unknown][] {
  const names = Object.keys(meanings);
  const place = (name: string) => names.indexOf(name) + 1 || names.length + 1;
  return Object.entries(claims).toSorted(([first], [second]) => place(first) - place(second));
}

function claim(name: string, value: unknown): HTMLElement {
  return element(
    "div",
    {},
    element("dt", {}, element("code", {}, name)),
    element("dd", {}, element("code", {}, ...jsonNodes(Array.isArray(value) ? value.join(", ") : value))),
    element("dd", { class: "meaning" }, meanings[name] ?? "", ...instant(name, value)),
  );
}

function instant(name: string, value: unknown): (Node | string)[] {
  if (!instants.has(name) || typeof value !== "number") return [];
  const time = element(
    "time",
    { datetime: new Date(value * 1000).toISOString() },
    new Date(value * 1000).toLocaleTimeString(),
  );
  if (name !== "exp") return [" ", time];
  const left = element("span");
  countDown(left, { until: value * 1000, words: "{time} from now", over: "Over" });
  return [" ", time, ", ", left];
}

/** When an access token expires, in epoch milliseconds; 0 if it is not a token. */
export function endOfToken(jwt: string): number {
  return Number(decoded(jwt.split(".")[1] ?? "")?.exp ?? 0) * 1000;
}
