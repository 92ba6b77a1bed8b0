/** What every page of the service must be, and what the first one of a sign-in offers. */
import type { Got, Sent } from "./node.ts";

/** How people come to an account of an application that nobody changes. */
export type Doors = { methods: readonly string[]; providers: readonly string[]; emailCode: boolean };
type Asked = { appId: string; isAccount: boolean; mayLink?: boolean; authMethod?: string; loginHint?: string };

const broken = /\bundefined\b|\[object \w+\]|\bNaN\b|\$\{|>\s*(?:null|true|false)\s*</u;
const start = /^\/sign-in\/(sis_[\w-]+)(?=[/?]|$)/u;
/** The forms of a first page; any other is of a later step. */
const isProof = /^\/(?:password|passkey|oauth\/\w+|email-code|continue)$/u;

export class Pages {
  readonly #doors = new Map<string, Doors>();
  /** The sign-ins that were begun. */
  readonly #asked = new Map<string, Asked>();

  readonly #seen = new Set<string>();

  knows(appId: string, doors: Doors): void {
    this.#doors.set(appId, doors);
  }

  /** What is wrong with an answer; undefined if nothing is, or it is no page. */
  problemOf(sent: Sent, got: Got): string | undefined {
    if (sent.listener !== "service") return undefined;
    this.#learn(sent, got);
    if (!got.body.startsWith("<!doctype")) return undefined;
    // Of pages that are equally long, one is looked at.
    const key = `${sent.path.replaceAll(/[\w-]{26,}/gu, "")} ${got.status} ${got.body.length}`;
    const isNew = !this.#seen.has(key);
    this.#seen.add(key);
    return (isNew ? problemOfAny(sent, got) : undefined) ?? this.#problemOfSignIn(sent, got);
  }

  #learn({ path, headers, body }: Sent, got: Got): void {
    const appId = headers["x-service-app-id"] ?? "";
    if (path === "/auth/initiate" && got.status === 200) {
      const { sessionId } = JSON.parse(got.body) as { sessionId: string };
      this.#asked.set(sessionId, { ...(JSON.parse(body) as object), appId, isAccount: false });
    }
    const [, came] = /^\/oauth\/\w+\/callback\?/u.test(path)
      ? (/"\/sign-in\/(sis_[\w-]+)\//u.exec(got.body) ?? [])
      : [];
    const asked = this.#asked.get(came ?? "");
    if (asked) asked.mayLink = true;
    const [, of] = /^\/account\?app_id=(\w+)$/u.exec(path) ?? [];
    const [, to] = start.exec(got.headers.find(([name]) => name === "location")?.[1] ?? "") ?? [];
    if (of !== undefined && to !== undefined && got.status === 303) this.#asked.set(to, { appId: of, isAccount: true });
  }

  #problemOfSignIn({ path }: Sent, { status, body }: Got): string | undefined {
    const [place = "", id = ""] = start.exec(path) ?? [];
    const asked = this.#asked.get(id);
    if (!asked || status >= 500) return undefined;
    const inside = (name: string): string[] =>
      [...body.matchAll(new RegExp(`${name}="${place}(/[^"?]*)[?"]`, "gu"))].map(([, each = ""]) => each);
    const [forms, links] = [inside("action"), inside("href")];
    // One more proof than a provider's may be a code alone.
    const isMore = forms.every((form) => form === "/email-code");
    const isFirst = path.split("?")[0] === place && !isMore && forms.every((form) => isProof.test(form));
    const isStep = forms.some((form) => form.startsWith("/step/"));
    if (forms.length > 0 && !isStep && !links.includes("/cancel") && !body.includes(`href="${place}"`))
      return `it has no way out: ${forms.join(" ")}`;
    const doors = this.#doors.get(asked.appId);
    if (!isFirst || !doors) return undefined;
    const is = [...forms.filter((form) => form !== "/continue"), ...links].toSorted().join(" ");
    const should = offered(doors, asked).toSorted().join(" ");
    // A provider's account that waits for another proof is linked by it.
    const linking = offered({ ...doors, providers: [] }, { ...asked, isAccount: true })
      .toSorted()
      .join(" ");
    if (is !== should && !(asked.mayLink === true && is === linking)) return `it offers ${is} instead of ${should}`;
    const { loginHint = "" } = asked;
    if (forms.includes("/password") && valueOf(body, "email") !== loginHint) return `it does not know ${loginHint}`;
    return undefined;
  }
}

/** The forms and links of a first page. */
function offered({ methods, providers, emailCode }: Doors, { isAccount, authMethod }: Asked): string[] {
  const has = (method: string): boolean => methods.includes(method) && (authMethod ?? method) === method;
  const isAny = authMethod === undefined;
  return [
    ...(has("password") ? ["/password", "/forgot-password"] : []),
    ...(has("passkey") ? ["/passkey"] : []),
    ...(has("oauth") ? providers.map((name) => `/oauth/${name}`) : []),
    ...(emailCode && isAny ? ["/email-code"] : []),
    ...(isAccount ? [] : ["/create-account"]),
    "/cancel",
  ];
}

function problemOfAny({ method, headers, body: posted }: Sent, { status, body }: Got): string | undefined {
  const text = body.replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/gu, "");
  const lang = /<html lang="([\w-]+)" dir="(?:ltr|rtl)">/u.exec(body)?.[1];
  if (lang === undefined || lang !== (headers["accept-language"] ?? lang)) return `its language is ${lang}`;
  const title = /<title>([^<]+)<\/title>/u.exec(body)?.[1] ?? "";
  const headings = [...text.matchAll(/<h1[^>]*>([\s\S]*?)<\/h1>/gu)].map(([, inner = ""]) => wordsOf(inner));
  if (title.trim() === "" || headings.length !== 1 || headings[0] === "")
    return `it is called ${title}, ${headings.join()}`;
  const wrong = broken.exec(text)?.[0];
  if (wrong !== undefined) return `it says ${wrong}`;
  for (const [, attributes = "", inner = ""] of text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gu)) {
    if (/method="get"/u.test(attributes)) continue;
    if (!/method="post"/u.test(attributes) || !/action="\/[^"]+"/u.test(attributes)) return `a form is ${attributes}`;
    if (!/name="token" value="[\w.-]{20,}"/u.test(inner)) return `a form has no token: ${attributes}`;
  }
  for (const [whole, tag = "", inner = ""] of text.matchAll(/<(button|a|label|h2|option)\b[^>]*>([\s\S]*?)<\/\1>/gu))
    if (wordsOf(inner) === "" && !/aria-label="[^"]+"|<img/u.test(whole)) return `a ${tag} says nothing: ${whole}`;
  for (const [input] of text.matchAll(/<input\b[^>]*>/gu)) {
    if (/type="hidden"/u.test(input)) continue;
    const id = /\bid="([^"]+)"/u.exec(input)?.[1];
    const isLabelled = id === undefined || text.includes(`for="${id}"`) || input.includes("aria-label");
    if (!/\bname="[^"]+"/u.test(input) || !isLabelled) return `a field has no name: ${input}`;
    if (/type="password"/u.test(input) && /\bvalue="[^"]/u.test(input)) return "it shows a password";
  }
  for (const [, ids = ""] of text.matchAll(/aria-describedby="([^"]+)"/gu))
    for (const id of ids.split(" ")) if (!text.includes(`id="${id}"`)) return `${id} is not there`;
  if (status !== 422 || method !== "POST") return undefined;
  const says = /role="alert"|aria-invalid="true"|<p class="beside" id="[^"]+"\s*>\s*[^<\s]/u.test(text);
  if (!says || title === headings[0]) return "it does not say what is wrong";
  const typed = new URLSearchParams(posted);
  const lost = ["email", "name"].find((name) => {
    const shown = valueOf(body, name);
    return shown !== undefined && typed.has(name) && shown !== typed.get(name);
  });
  return lost === undefined ? undefined : `it has lost the ${lost}`;
}

const wordsOf = (inner: string): string => inner.replaceAll(/<[^>]*>|\s+/gu, " ").trim();

/** Of the visible field with this name. */
function valueOf(page: string, name: string): string | undefined {
  const input = new RegExp(`<input\\s[^>]*\\bname="${name}"[^>]*>`, "u").exec(page)?.[0];
  if (input === undefined || input.includes('type="hidden"')) return undefined;
  return /\bvalue="([^"]*)"/u.exec(input)?.[1]?.replaceAll("&#39;", "'");
}
