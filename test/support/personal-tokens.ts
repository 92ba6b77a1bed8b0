import type { PersonalToken } from "../../src/credentials/personal/rules.ts";
import { insertToken } from "../../src/credentials/personal/store.ts";
import { newCredential } from "../../src/lib/credentials.ts";
import { digestOf, newId } from "../../src/lib/random.ts";
import * as users from "../../src/users/service.ts";
import { openAccount, press } from "./account.ts";
import type { Page, Visitor } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

/** Posts the form for a new token; without `until` its own day. */
export async function askForToken(
  service: TestService,
  app: TestApp,
  visitor: Visitor,
  values: Record<string, string> = {},
  api?: string,
): Promise<Page> {
  const more = api === undefined ? "" : `&api=${encodeURIComponent(api)}`;
  const form = await visitor.get(`${service.url}/account/new-token?app_id=${app.id}${more}`);
  const until = /name="until"[^]*?value="([^"]*)"/u.exec(form.text)?.[1] ?? "";
  const common = { name: "Backup script", until, ...(api === undefined ? { "scope.profile": "on" } : {}) };
  return await press(app, visitor, form, "/account/new-token", { ...common, ...values });
}

/** The token that a page shows. */
export function tokenIn(page: Page): string {
  const [token] = /pat_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}/u.exec(page.text) ?? [];
  if (token === undefined) throw new Error(`no token in a page with status ${page.status}: ${page.text}`);
  return token;
}

/** A new personal access token, made on the account page. */
export async function newPersonalToken(...asked: Parameters<typeof askForToken>): Promise<string> {
  return tokenIn(await askForToken(...asked));
}

/** The names of the tokens on the account page. */
export async function tokensOnPage(service: TestService, app: TestApp, visitor: Visitor): Promise<string[]> {
  const { text } = await openAccount(service, app, visitor);
  const [, section = ""] = text.split('<h2 id="tokens">');
  return [...(section.split("</section>")[0] ?? "").matchAll(/<p class="title">\s*<bdi>([^<]*)<\/bdi>/gu)].map(
    ([, name = ""]) => name,
  );
}

/** A row without a page. */
export async function givePersonalToken(
  { server, clock }: TestService,
  userId: string,
  changes: Partial<PersonalToken> = {},
): Promise<string> {
  const { ctx } = server.app;
  const user = await users.find(ctx.storage.reader, userId);
  const token = newCredential("pat", ctx.random);
  const id = newId("ptk", clock.now, ctx.random);
  await ctx.storage.write((tx) =>
    insertToken(tx, {
      id,
      appId: user?.appId ?? "",
      userId,
      digest: digestOf(token),
      name: "Given",
      scopes: ["profile"],
      resource: null,
      hosts: [],
      twoFactors: false,
      timeZone: null,
      createdAt: clock.now,
      expiresAt: clock.now + 90 * 86_400_000,
      lastUsedAt: null,
      endedAt: null,
      endReason: null,
      warnedAt: null,
      ...changes,
    }),
  );
  return token;
}
