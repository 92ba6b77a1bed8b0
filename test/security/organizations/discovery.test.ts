import { Client } from "pg";
import { afterEach, expect, it, vi } from "vitest";
import { companyConfig, employee, useCompanyProvider } from "../../support/company-provider.ts";
import { withCompanySignIn } from "../../support/company-sign-in.ts";
import { initiate, newEmail, Visitor } from "../../support/person.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const company = await useCompanyProvider();
const times = 32;

afterEach(() => vi.restoreAllMocks());

describeSqliteFirst("the domain of an address alone leads to a company", { ...companyConfig, dev: true }, (current) => {
  it("Q29: with the same bytes and the same statements for members, strangers, linked and disabled people", async () => {
    const service = current();
    const acme = await withCompanySignIn(service, company, {}, { emailCode: true });
    const elsewhere = await acme.newOrganization();
    /** Of one length, so that pages can be compared as bytes. */
    const at = (kind: string, n: number) => acme.at(`${kind}${String(n).padStart(4, "0")}`);
    const prepare: Record<string, (email: string) => Promise<unknown>> = {
      nobody: () => Promise.resolve(),
      member: async (email) => await acme.account(email),
      withno: async (email) => await acme.account(email, null),
      invite: async (email) => await acme.invite(email),
      others: async (email) => {
        const id = await acme.account(email, null);
        await acme.send("PUT", `${elsewhere.path}/members/${id}`, { roles: ["owner"] });
      },
      linked: async (email) => {
        await acme.invite(email);
        await acme.agree(await acme.come(email, employee(email, email)));
      },
      locked: async (email) => {
        const id = await acme.account(email);
        await acme.send("PATCH", `/users/${id}`, { disabled: true });
      },
    };
    for (const kind of Object.keys(prepare)) for (let n = 0; n < 4; n += 1) await prepare[kind]?.(at(kind, n));

    const texts: string[] = [];
    const query = vi.spyOn(Client.prototype, "query");
    const statements = new Map<string, string[]>();
    for (const field of ["/password", "/email-code"])
      for (const kind of Object.keys(prepare))
        for (let n = 0; n < times / 4; n += 1) {
          const email = at(kind, n % 4);
          const visitor = new Visitor();
          const session = await initiate(service, acme.app);
          const form = await visitor.get(field === "/password" ? session.authUrl : `${session.authUrl}/email-code`);
          query.mockClear();
          const page = await visitor.submit(form, field, { email, password: "something" });
          const asked = query.mock.calls.map(([first]) => JSON.stringify((first as { text?: string }).text ?? first));
          const headers = [...page.headers].filter(
            ([name]) => !["date", "x-request-id", "x-ratelimit-remaining"].includes(name),
          );
          const bytes = JSON.stringify([page.status, headers, page.text])
            .replaceAll(email, "EMAIL")
            .replaceAll(encodeURIComponent(email), "EMAIL")
            .replaceAll(/sis_[\w-]+|req_\w+|[\w-]{43}/gu, "…");
          texts.push(bytes);
          const least = statements.get(`${field} ${kind}`);
          // What runs beside it only adds.
          if (!least || asked.length < least.length) statements.set(`${field} ${kind}`, asked);
        }
    expect(texts[0]).toContain(acme.domain);
    for (const field of ["/password", "/email-code"]) {
      const asked = [...statements].filter(([name]) => name.startsWith(field));
      for (const [name, each] of asked) expect([name, each]).toEqual([name, asked[0]?.[1]]);
    }
    expect(new Set(texts).size).toBe(1);
    expect([...statements.values()].every((each) => each.length > 0)).toBe(service.dialect === "postgres");
  });

  it("and nothing of it is said by the configuration, nor of an address elsewhere", async () => {
    const service = current();
    const acme = await withCompanySignIn(service, company);
    const config = await fetch(`${service.url}/api/config?app_id=${acme.app.id}`);
    const text = await config.text();
    for (const said of ["Initech", acme.domain, new URL(company.issuer).host]) expect(text).not.toContain(said);
    const visitor = new Visitor();
    const session = await initiate(service, acme.app);
    const page = await visitor.submit(await visitor.get(session.authUrl), "/password", {
      email: newEmail(),
      password: "x",
    });
    expect([page.status, page.text.includes("Initech")]).toEqual([401, false]);
  });
});
