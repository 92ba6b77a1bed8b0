import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attribute, decoded } from "../support/person.ts";
import { assertion, attest, newPasskey, type SoftPasskey } from "../support/authenticator.ts";
import { Visitor, type Page } from "../support/person.ts";
import type { Filled } from "./fill.ts";
import { password } from "./people.ts";
import type { Recording } from "./recording.ts";

type Row = { path: string; isAct: boolean; pattern: RegExp };
type Form = { page: string; action: string; fields: Record<string, string> };

const roles = ["viewer", "support", "owner"] as const;

/** What ends or takes away comes last, or there would be nothing to act on. */
const late = /\/(delete|remove|remove-address|revoke|end|disable|block|log-out)$/u;

/** For fields that the page leaves empty; `owner` becomes the role that posts. */
const values: Record<string, string> = {
  name: "Made in the console",
  redirectUris: "https://shop.example/callback",
  clientId: "client-of-console",
  secret: "0123456789abcdef0123456789abcdef",
  to: "ada@example.org",
  patch: '{"plan":"gold"}',
};
const named: [action: RegExp, name: string][] = [
  [/\/providers$/u, "corp"],
  [/\/groups$/u, "team"],
];

/** What a person types where the page has nothing. */
function typed(action: string, field: string, role: string): string {
  if (field === "email") return `${role}.${action.split("/").at(-1) ?? ""}@example.org`;
  const own = field === "name" ? named.find(([pattern]) => pattern.test(action))?.[1] : undefined;
  return own ?? values[field] ?? "";
}

/** Every page and act of docs/console.md, by each role. Returns what was not called. */
export async function recordConsole(recording: Recording, { people }: Filled): Promise<string[]> {
  const { act, root, consoleUrl, url } = recording;
  values["url"] = `${recording.receiverUrl}/console`;
  const rows = rowsOf(readFileSync(join(root, "docs/console.md"), "utf8"));
  const passkeys = new Map<string, SoftPasskey>();
  const visitors = new Map<string, Visitor>();
  const called = new Set<Row>();
  const visitorOf = (role: string): Visitor => visitors.get(role) ?? new Visitor();

  const rowOf = (method: "GET" | "POST", path: string): Row | undefined =>
    rows.find(({ isAct, pattern }) => isAct === (method === "POST") && pattern.test(path));

  async function followAll(visitor: Visitor, page: Page): Promise<Page> {
    return page.headers.get("location") === null
      ? page
      : await followAll(visitor, await visitor.get(page.location.href));
  }

  // Nobody else is invited before there is an owner.
  for (const role of roles.toReversed()) {
    await act(`a ${role} is invited, and makes a passkey`, async () => {
      const email = `${role}@example.org`;
      const { stdout } = await recording.command(
        `operator invite --email ${email} --role ${role} --name ${role} --link --yes --json`.split(" "),
      );
      const { link } = JSON.parse(stdout) as { link: string };
      const visitor = new Visitor();
      const chosen = await visitor.submit(await visitor.get(link), new URL(link).pathname, { adds: "passkey" });
      const page = await people.follow(visitor, chosen);
      const asked = await people.options(visitor, page, "/add/passkey");
      const passkey = newPasskey("ES256", asked.user?.id);
      const credential = attest(passkey, { challenge: asked.challenge, origin: url });
      await visitor.submit(page, "/add/passkey", { credential: JSON.stringify(credential) });
      passkeys.set(role, passkey);
    });
  }

  async function signIn(role: string): Promise<void> {
    await act(`the ${role} signs in to the console`, async () => {
      const visitor = new Visitor();
      const page = await followAll(visitor, await visitor.get(`${consoleUrl}/console/overview`));
      const asked = await people.options(visitor, page, "/passkey");
      const passkey = passkeys.get(role);
      if (!passkey) throw new Error("no passkey");
      const credential = assertion(passkey, { challenge: asked.challenge, origin: url });
      await followAll(visitor, await visitor.submit(page, "/passkey", { credential: JSON.stringify(credential) }));
      visitors.set(role, visitor);
    });
  }

  /** Every page that links lead to, three of a kind; the forms on them. */
  async function crawl(round: number): Promise<Form[]> {
    const forms: Form[] = [];
    const seen = new Set<string>();
    const counts = new Map<Row, number>();
    const queue = ["/console/overview", "/console/people?app=app_shop", "/console/applications/app_shop/clients/web"];
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const row = rowOf("GET", path.split("?")[0] ?? "");
      const count = row ? (counts.get(row) ?? 0) : 0;
      if (!row || seen.has(path) || count >= (path.startsWith("/console/people/") ? 8 : 3)) continue;
      seen.add(path);
      counts.set(row, count + 1);
      called.add(row);
      for (const role of roles) {
        const at = path;
        const page = await act(
          `round ${round}: ${role} GET ${path}`,
          async () => await visitorOf(role).get(consoleUrl + at),
        );
        if (role !== "owner" || !page) continue;
        queue.push(...linksOf(page));
        forms.push(...formsOf(page, path, role));
      }
    }
    return forms;
  }

  async function post(round: number, { page, action, fields }: Form): Promise<void> {
    for (const role of roles) {
      await act(`round ${round}: ${role} POST ${action}`, async () => {
        const visitor = visitorOf(role);
        const own = formsOf(await visitor.get(`${consoleUrl}/console/overview`), "", role);
        const token = own.find((form) => form.action.endsWith("/sign-out"))?.fields["token"] ?? "";
        const current = role === "owner" ? formsOf(await visitor.get(consoleUrl + page), page, role) : [];
        const fresh = current.find((form) => form.action === action)?.fields;
        const done = await visitor.post(consoleUrl + action, { ...(fresh ?? fieldsFor(role, fields)), token });
        const next = await people.follow(visitor, done);
        if (!next.text.includes('/password"')) return;
        // The trial of a sign-in leads through the pages of the service.
        const proven = await visitor.submit(next, "/password", { email: "ada@example.org", password });
        await followAll(visitor, proven);
      });
    }
  }

  for (let round = 1; round <= 4; round += 1) {
    for (const role of roles) await signIn(role);
    const forms = await crawl(round);
    for (const role of roles) await signIn(role);
    const acts = rows.filter(({ isAct, path }) => isAct && path !== "/console/sign-out" && roundOf(path) <= round);
    for (const row of acts.toSorted((one, other) => depth(other.path) - depth(one.path))) {
      if (called.has(row)) continue;
      const all = forms.filter(({ action }) => row.pattern.test(action));
      const chosen = row.path.endsWith("/settings/:group") ? uniqueBy(all) : all.slice(0, 1);
      for (const form of chosen) await post(round, form);
      if (chosen.length > 0) called.add(row);
    }
  }
  const signOut = rows.find(({ path }) => path === "/console/sign-out");
  if (signOut) called.add(signOut);
  for (const role of roles)
    await act(`${role} signs out`, async () => {
      const visitor = visitorOf(role);
      const page = await visitor.get(`${consoleUrl}/console/overview`);
      await visitor.submit(page, "/sign-out", {});
    });

  for (const flags of [[], ["--read-only"], ["--app", "app_shop"]]) {
    await act(`authsvc console ${flags.join(" ")}`, async () => {
      const link = await recording.start(["console", "--port", "0", "--no-open", ...flags], /http:\/\/\S+/u);
      const { origin } = new URL(link);
      recording.watch(origin, "<local console>");
      const visitor = new Visitor();
      await visitor.get(link);
      for (const page of ["/overview", "/people", "/applications", "/keys", "/audit"])
        await visitor.get(`${origin}/console${page}`);
      const form = formsOf(await visitor.get(`${origin}/console/people?app=app_shop`), "", "local");
      const create = form.find(({ action }) => action === "/console/people/create");
      await visitor.post(`${origin}/console/people/create`, {
        ...create?.fields,
        email: `local${flags.length}@example.org`,
      });
    });
  }
  return rows.filter((row) => !called.has(row)).map(({ path, isAct }) => `${isAct ? "POST" : "GET"} ${path}`);
}

function roundOf(path: string): number {
  if (/\/(delete|operators\/:id\/remove)$/u.test(path)) return 3;
  return late.test(path) ? 2 : 1;
}

/** What is inside of something goes before it. */
function depth(path: string): number {
  return roundOf(path) === 3 && !path.includes("/operators/") ? path.split("/").length : 0;
}

function fieldsFor(role: string, fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value.replace(/^owner\./u, `${role}.`)]),
  );
}

function rowsOf(text: string): Row[] {
  const [, table = ""] = text.split("## Who may do what");
  return [...table.matchAll(/^\| `(\S+)` \| (page|act) \|/gmu)].map(([, path = "", kind]) => ({
    path: `/console${path}`,
    isAct: kind === "act",
    pattern: new RegExp(`^/console${path.replaceAll(/:\w+/gu, "[^/?]+")}$`, "u"),
  }));
}

function uniqueBy(forms: Form[]): Form[] {
  return forms.filter(({ action }, index) => forms.findIndex((other) => other.action === action) === index);
}

function linksOf({ text }: Page): string[] {
  return [...text.matchAll(/(?:href|src)="(\/console\/[^"#]*)/gu)].map(([, href = ""]) => decoded(href));
}

/** The forms that are posted, as a browser would fill them; what is empty gets a value. */
function formsOf({ text, url }: Page, page: string, role: string): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>([^]*?)<\/form>/gu)]
    .filter(([, tag = ""]) => /method="post"/u.test(tag))
    .map(([, tag = "", inside = ""]) => {
      const action = new URL(attribute(tag, "action") ?? "", url).pathname;
      return {
        page,
        action,
        fields: fieldsOf(inside, (field) => askedIn(inside, field) ?? typed(action, field, role)),
      };
    });
}

/** What a form says that confirms it. */
function askedIn(inside: string, field: string): string | undefined {
  const asked = /<span class="hint">Type (?:<bdi>)?([^<]+)/u.exec(inside)?.[1];
  return field === "confirmation" && asked !== undefined ? decoded(asked) : undefined;
}

function fieldsOf(inside: string, typedIn: (field: string) => string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [tag] of inside.matchAll(/<input\b[^>]*>/gu)) {
    const [name, type] = [attribute(tag, "name"), attribute(tag, "type")];
    const isBox = type === "checkbox" || type === "radio";
    if (name === undefined || (isBox && !/\bchecked\b/u.test(tag) && !/\brequired\b/u.test(tag))) continue;
    const value = attribute(tag, "value") ?? (isBox ? "on" : "");
    fields[name] = value === "" && type !== "hidden" ? typedIn(name) : value;
  }
  for (const [, tag = "", text = ""] of inside.matchAll(/<textarea\b([^>]*)>\n?([^]*?)<\/textarea\s*>/gu)) {
    const name = attribute(tag, "name") ?? "";
    fields[name] = decoded(text) === "" ? typedIn(name) : decoded(text);
  }
  for (const [, tag = "", options = ""] of inside.matchAll(/<select\b([^>]*)>([^]*?)<\/select>/gu)) {
    const all = [...options.matchAll(/<option\b([^>]*)>([^<]*)/gu)].map(([, option = "", text = ""]) => ({
      isSelected: /\bselected\b/u.test(option),
      value: attribute(option, "value") ?? decoded(text.trim()),
    }));
    const chosen = all.find(({ isSelected }) => isSelected) ?? all.find(({ value }) => value !== "");
    fields[attribute(tag, "name") ?? ""] = chosen?.value ?? "";
  }
  return fields;
}
