import { expect, it } from "vitest";
import {
  companyConfig,
  employee,
  proveDomain,
  storeProvider,
  useCompanyProvider,
} from "../../support/company-provider.ts";
import { withEmma } from "../../support/company-sign-in.ts";
import { claimsOf } from "../../support/feed.ts";
import { newParty, post, basic } from "../../support/openid-tokens.ts";
import { authorizeUrl } from "../../support/openid.ts";
import { call } from "../../support/person.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

const [acme, globex] = [await useCompanyProvider(), await useCompanyProvider()];
let made = 0;

/** Emma at two companies, each with a provider of its own, in one browser. */
async function atBoth(service: TestService) {
  const emma = await withEmma(service, acme);
  const other = await emma.newOrganization({ name: "Globex" });
  const domain = `globex${(made += 1)}.example`;
  await proveDomain(service, other, domain);
  await storeProvider(service, other, globex);
  await emma.send("PUT", `${other.path}/members/${emma.userId}`, { roles: ["member"] });
  await service.server.app.ctx.storage.write(async ({ db, tables }) => {
    const row = { organizationId: other.id, appId: emma.app.id, issuer: globex.issuer, subject: "e-2", email: null };
    await db
      .insert(tables.organizationIdentities)
      .values({ ...row, userId: emma.userId, createdAt: 0, lastUsedAt: null });
  });
  const { visitor, ...first } = await emma.came();
  const confined = await emma.tokens({ visitor, ...first });
  const typed = await emma.typed(`emma@${domain}`, visitor);
  // This browser came by the other company before: the address is typed on its page.
  const asked = typed.page.text.includes("Globex")
    ? typed
    : { ...typed, page: await visitor.submit(typed.page, "/company", { email: `emma@${domain}` }) };
  const left = await visitor.submit(asked.page, "/company", {});
  const address = /0; url=(.*)$/u.exec(left.headers.get("refresh") ?? "")?.[1] ?? "";
  globex.person = employee("e-2", `emma@${domain}`);
  const back = await emma.followed(visitor, await visitor.get((await globex.visit(address)).href));
  await emma.tokens(await emma.agree({ ...asked, page: back }));
  const party = await newParty(service, { companySignIn: true, refreshTokens: "always" }, emma.app);
  /** What a program gets without a page: the organization of its token, or why it gets none. */
  async function opens(organization: string | null) {
    const url = authorizeUrl(service, party.client, { organization, scope: "openid", prompt: "none" });
    const { searchParams } = (await visitor.get(url)).location;
    const code = searchParams.get("code");
    if (code === null) return searchParams.get("error");
    const form = { grant_type: "authorization_code", code, redirect_uri: party.client.redirectUris[0] ?? "" };
    const { body } = await post(service, "/oauth2/token", form, basic(party));
    const { org_id: id, org_confined: isConfined } = claimsOf(String(body["access_token"])) as Record<string, unknown>;
    return [id, isConfined];
  }
  return { ...emma, other, visitor, confined, opens };
}

describeSqliteFirst("two companies in one browser", { ...companyConfig, dev: true }, (current) => {
  it("Q22: have a proof each, and each opens its own organization only", async () => {
    const { opens, organization, other, newOrganization, send, userId } = await atBoth(current());
    const third = await newOrganization();
    await send("PUT", `${third.path}/members/${userId}`, { roles: ["member"] });
    for (const id of [organization.id, other.id, organization.id]) expect(await opens(id)).toEqual([id, true]);
    // The last one, where no word is said.
    expect(await opens(null)).toEqual([other.id, true]);
    expect(await opens(third.id)).toBe("login_required");
    expect(await opens("none")).toBe("login_required");
  });

  it("end apart: the removal of one provider takes its organization and leaves the other", async () => {
    const service = current();
    const { opens, organization, other, send, app, confined } = await atBoth(service);
    await send("DELETE", `${other.path}/provider`);
    service.clock.advance(1000);
    expect(await opens(other.id)).toBe("login_required");
    expect(await opens(organization.id)).toEqual([organization.id, true]);
    const { refreshToken } = confined;
    expect((await call(service, "POST", "/auth/refresh", app.headers, { refreshToken })).status).toBe(200);
    await send("DELETE", `${organization.path}/provider`);
    service.clock.advance(1000);
    expect(await opens(organization.id)).toBe("login_required");
  });
});
