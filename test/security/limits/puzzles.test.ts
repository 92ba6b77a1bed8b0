import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../../../src/process/server.ts";
import { stuffing } from "../../../src/sign-in/passwords/stuffing.ts";
import { comparable } from "../../support/limits.ts";
import { allSent, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer, type ReceivedMail } from "../../support/mail.ts";
import { goodPassword, initiate, newEmail, Visitor, type Page } from "../../support/person.ts";
import { hasPuzzle, sendSolved, solve } from "../../support/puzzles.ts";
import { describeSqliteFirst, serviceOfTest, testConfig, useApp } from "../../support/service.ts";

const server = await useMailServer();

/** The page as a browser without scripts submits it: by the form of its `noscript`. */
function withoutScript(page: Page): Page {
  const shown = Object.create(page) as Page;
  return Object.assign(shown, { text: /<noscript>([\s\S]*)<\/noscript>/u.exec(page.text)?.[1] ?? "" });
}

function formLinkIn({ text }: ReceivedMail): string {
  return /https?:\/\/\S+\?form=\S+/u.exec(text)?.[0] ?? "";
}

const accounts = 6;
let networks = 0;
const newNetwork = (): string => `198.51.${100 + Math.floor((networks += 1) / 250)}.${1 + (networks % 250)}`;

const passwords = { ...testConfig.passwords, puzzleAfter: accounts };

describe("two nodes that noticed", () => {
  it("L12: take a solution once, sent to both at the same time", async () => {
    const service = await serviceOfTest("postgres", { passwords });
    const second = await startServer({ ...service.config, baseUrl: service.url }, { clock: () => service.clock.now });
    onTestFinished(async () => await second.close());
    const app = await service.createApp();
    for (const { ctx } of [service.server.app, second.app])
      for (let n = 0; n < accounts; n += 1)
        stuffing(ctx).failed({ network: "127.0.0.1", account: `${n}`, password: `${n}` });
    const visitor = new Visitor();
    const page = await visitor.get((await initiate(service, app)).authUrl);
    const asked = await visitor.submit(page, "/password", { email: newEmail(), password: "a wrong one" });
    const { action, fields } = asked.form("/password");
    const solution = solve(fields["challenge"] ?? "");
    const send = async (url: string) => await visitor.post(new URL(action, url).href, { ...fields, solution }, from);
    const from = { origin: service.url };
    const answers = await Promise.all([service.url, second.url, service.url, second.url].map(send));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(1);
    expect(answers.filter((each) => hasPuzzle(each))).toHaveLength(3);
  });
});

describeSqliteFirst(
  "sign-ins that fail at many accounts",
  { passwords, mail: server.mail, trustedProxies: ["127.0.0.1"] },
  (service) => {
    const app = useApp(service);

    async function attempt(network: string, email: string, password: string, visitor = new Visitor()) {
      visitor.headers["x-forwarded-for"] = network;
      const page = await visitor.get((await initiate(service, app)).authUrl);
      return { visitor, page: await visitor.submit(page, "/password", { email, password }) };
    }

    /** A network where as many failed as it takes. */
    async function guessingNetwork(): Promise<string> {
      const network = newNetwork();
      for (let n = 0; n < accounts; n += 1) {
        const { page } = await attempt(network, newEmail(), `wrong ${networks} ${n}`);
        expect(page.status).toBe(401);
      }
      return network;
    }

    /** Quotas count by the clock. */
    const toNextDay = (): void => service.clock.advance(86_400_000 - (service.clock.now % 86_400_000));

    const person = async (): Promise<string> => (await newUser(service, app, { password: goodPassword })).email;

    it("L12: from one network cost a puzzle there, and a right password no more than that", async () => {
      const network = await guessingNetwork();
      const email = await person();
      const { visitor, page } = await attempt(network, email, goodPassword);
      expect(hasPuzzle(page)).toBe(true);
      expect(page.text).not.toContain(goodPassword);
      expect((await sendSolved(visitor, page)).status).toBe(303);
      const elsewhere = await attempt(newNetwork(), email, goodPassword);
      expect(elsewhere.page.status).toBe(303);
      service.clock.advance(3_600_000);
      expect((await attempt(network, email, goodPassword)).page.status).toBe(303);
    });

    it("L12: with one password cost a puzzle with that password, from any network", async () => {
      const password = "one password of a list";
      for (let n = 0; n < accounts / 2; n += 1) await attempt(newNetwork(), newEmail(), password);
      expect(hasPuzzle((await attempt(newNetwork(), newEmail(), password)).page)).toBe(true);
      expect((await attempt(newNetwork(), newEmail(), "another of the list")).page.status).toBe(401);
    });

    it("L12: many failures at one account ask nobody for a puzzle", async () => {
      const [network, email] = [newNetwork(), newEmail()];
      for (let n = 0; n < 2 * accounts; n += 1) await attempt(network, email, "the same typing mistake");
      expect((await attempt(network, newEmail(), "a wrong one")).page.status).toBe(401);
    });

    it("L12: a browser that has signed in to the account before solves none; for another account it does", async () => {
      const email = await person();
      const { visitor, page } = await attempt(newNetwork(), email, goodPassword);
      expect(page.status).toBe(303);
      const network = await guessingNetwork();
      expect((await attempt(network, email, "a typing mistake", visitor)).page.status).toBe(401);
      expect((await attempt(network, email, goodPassword, visitor)).page.status).toBe(303);
      expect(hasPuzzle((await attempt(network, await person(), goodPassword, visitor)).page)).toBe(true);
    });

    it("L12: the puzzle is for one session, address and password, and works once and until it ends", async () => {
      const network = await guessingNetwork();
      const { visitor, page } = await attempt(network, newEmail(), "a wrong one");
      const { fields } = page.form("/password");
      const solution = solve(fields["challenge"] ?? "");
      const again = async (sent: Record<string, string>): Promise<Page> =>
        await visitor.submit(page, "/password", sent);
      for (const bad of ["", "{}", "null", "[]", '{"counter":1,"derivedKey":"00"}', "x".repeat(3000)])
        expect(hasPuzzle(await again({ solution: bad }))).toBe(true);
      const { parameters, signature } = JSON.parse(fields["challenge"] ?? "") as {
        parameters: object;
        signature: string;
      };
      const easier = JSON.stringify({ parameters: { ...parameters, keyPrefix: "" }, signature });
      for (const challenge of [easier, "null", "{}", '{"parameters":null,"signature":"x"}'])
        expect(hasPuzzle(await again({ solution, challenge }))).toBe(true);
      const other = await attempt(network, newEmail(), "a wrong one");
      const stolen = { challenge: fields["challenge"] ?? "", solution };
      expect(hasPuzzle(await other.visitor.submit(other.page, "/password", stolen))).toBe(true);
      // What was typed in another session cannot be opened.
      const { kept = "" } = other.page.form("/password").fields;
      expect((await again({ solution, kept })).status).toBe(422);

      const used = await Promise.all([again({ solution }), again({ solution }), again({ solution })]);
      expect(used.filter((each) => each.status === 401)).toHaveLength(1);
      expect(used.filter((each) => hasPuzzle(each))).toHaveLength(2);

      const late = await attempt(network, await person(), goodPassword);
      service.clock.advance(5 * 60_000 + 1);
      const anew = await sendSolved(late.visitor, late.page);
      expect(hasPuzzle(anew)).toBe(true);
      // What was typed stays.
      expect((await sendSolved(late.visitor, anew)).status).toBe(303);
    });

    it("L12: the page is the same for a known and an unknown address, and for a right and a wrong password", async () => {
      const network = await guessingNetwork();
      const email = await person();
      const pages = [];
      for (const [typed, password] of [
        [email, goodPassword],
        [email, "a wrong password"],
        [newEmail(), goodPassword],
      ] as const) {
        const { page } = await attempt(network, typed, password);
        pages.push(page.text.replaceAll(/name="(?:kept|challenge)" value="[^"]*"/gu, "HIDDEN"));
      }
      const [first, ...rest] = pages.map((text) => comparable({ text } as Page));
      expect(first).toContain("HIDDEN");
      for (const each of rest) expect(each).toBe(first);
    });

    it("L12: without a script, a mailed link opens the form in that browser, for that account, three times a day", async () => {
      toNextDay();
      const network = await guessingNetwork();
      const email = await person();
      const askForLink = async (typed: string) => {
        const { visitor, page } = await attempt(network, typed, "a wrong one");
        return { visitor, page: await visitor.submit(withoutScript(page), "/password", {}) };
      };
      const { visitor, page } = await askForLink(email);
      expect(page.status).toBe(200);
      const unknown = newEmail();
      const { page: pageOfUnknown } = await askForLink(unknown);
      expect(comparable(pageOfUnknown)).toBe(comparable(page));
      const link = formLinkIn(await mailTo(server, email));

      const elsewhere = await new Visitor().get(link);
      expect(elsewhere.status).toBe(403);
      const form = await visitor.get(link);
      expect(form.text).toContain(`value="${email}"`);
      const enter = async (typed: string, password: string) =>
        await visitor.submit(form, "/password", { email: typed, password });
      expect(hasPuzzle(await enter(newEmail(), goodPassword))).toBe(true);
      for (const password of ["a wrong one", "another"]) expect((await enter(email, password)).status).toBe(401);
      expect((await enter(email, goodPassword)).status).toBe(303);

      // At most one mail a day for an account.
      const again = await askForLink(email);
      expect(comparable(again.page)).toBe(comparable(page));
      await allSent(service);
      expect(server.to(email).filter(({ subject }) => /continue/iu.test(subject))).toHaveLength(1);
      expect(server.to(unknown)).toEqual([]);
    });

    it("L12: a fourth try with the link costs a puzzle, a changed link is none, and a network gets twenty an hour", async () => {
      toNextDay();
      const network = await guessingNetwork();
      const email = await person();
      const { visitor, page } = await attempt(network, email, "a wrong one");
      await visitor.submit(withoutScript(page), "/password", {});
      const link = formLinkIn(await mailTo(server, email));
      const form = await visitor.get(link);
      const tries = [];
      for (let n = 0; n < 4; n += 1)
        tries.push(hasPuzzle(await visitor.submit(form, "/password", { email, password: `a wrong one ${n}` })));
      expect(tries).toEqual([false, false, false, true]);
      const changed = await visitor.get(`${link.slice(0, -1)}${link.endsWith("A") ? "B" : "A"}`);
      expect(changed.form("/password").fields["pass"]).toBeUndefined();

      const asked = [];
      for (let n = 0; n < 21; n += 1) {
        const other = await person();
        const typed = await attempt(network, other, "a wrong one");
        await typed.visitor.submit(withoutScript(typed.page), "/password", {});
        asked.push(other);
      }
      await allSent(service);
      expect(asked.filter((other) => server.to(other).length > 0)).toHaveLength(19);
    });
  },
);
