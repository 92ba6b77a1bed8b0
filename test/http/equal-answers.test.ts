import { afterAll, expect, it } from "vitest";
import { startMailServer } from "../support/mail.ts";
import { newUser } from "../support/mail-flows.ts";
import { goodPassword, initiate, newEmail, Visitor, type Page } from "../support/person.ts";
import { describeEachDatabase, testConfig, type TestApp, type TestService } from "../support/service.ts";

const server = await startMailServer();
afterAll(async () => await server.close());

const samples = 20;
const rounds = 4;
const mostRatio = 1.5;

/** One request of a kind, prepared outside of the measured time. */
type Try = { prepare(): Promise<string>; send(email: string): Promise<Page> };

/** Dear enough that a try without a hash would stand out, cheap enough for a hundred of them. */
const passwords = { ...testConfig.passwords, memoryKiB: 8192, iterations: 2 };

/** Medians of interleaved tries: the machine may be busy with other things, but not for one kind only. A busy round does not count. */
async function expectLikeTimes(kinds: Record<string, Try>): Promise<void> {
  const names = Object.keys(kinds);
  let medians: Record<string, number> = {};
  for (let round = 1; round <= rounds; round += 1) {
    const times = new Map(names.map((name) => [name, [] as number[]]));
    for (let sample = 0; sample < samples; sample += 1) {
      for (const name of sample % 2 === 0 ? names : names.toReversed()) {
        const { prepare, send } = kinds[name] as Try;
        const email = await prepare();
        const startedAt = performance.now();
        await send(email);
        times.get(name)?.push(performance.now() - startedAt);
      }
    }
    medians = Object.fromEntries([...times].map(([name, values]) => [name, median(values)]));
    const [least, most] = [Math.min(...Object.values(medians)), Math.max(...Object.values(medians))];
    if (most <= least * mostRatio) return;
  }
  expect.fail(`unlike times: ${JSON.stringify(medians)}`);
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Sends a form of one page of a sign-in again and again. */
async function sender(service: TestService, app: TestApp, path: string, action: string, more: Record<string, string>) {
  const { authUrl } = await initiate(service, app);
  const visitor = new Visitor();
  const page = await visitor.get(authUrl + path);
  return async (email: string) => await visitor.submit(page, action, { email, ...more });
}

describeEachDatabase(
  "decision 7: what an answer and its time tell about an address",
  (current) => {
    it("is nothing when a sign-in fails: unknown, wrong, throttled and password-less are alike", async () => {
      const service = current();
      const app = await service.createApp();
      const { storage, services } = service.server.app;
      const send = await sender(service, app, "", "/password", { password: "not the password at all" });
      const forget = async (email: string): Promise<string> => {
        await storage.write((tx) => services.passwords.forgetFailures(tx, app.id, email));
        return email;
      };
      const [wrong, throttled, passwordless, unknown] = [
        (await newUser(service, app, { password: goodPassword })).email,
        (await newUser(service, app, { password: goodPassword })).email,
        (await newUser(service, app)).email,
        newEmail(),
      ];
      for (let tries = 0; tries < 12; tries += 1) await send(throttled);
      const kinds: Record<string, Try> = {
        wrong: { prepare: () => forget(wrong), send },
        throttled: { prepare: async () => throttled, send },
        passwordless: { prepare: () => forget(passwordless), send },
        unknown: { prepare: () => forget(unknown), send },
      };
      const pages = [];
      for (const email of [wrong, throttled, passwordless, unknown]) pages.push(plain(await send(email), email));
      expect(pages[0]).toMatch(/^401 /u);
      expect(new Set(pages).size).toBe(1);
      await expectLikeTimes(kinds);
    });

    it("is nothing when a new password is asked for: known and unknown are alike", async () => {
      const service = current();
      const app = await service.createApp();
      const send = await sender(service, app, "/forgot-password", "/forgot-password", {});
      const known = async (): Promise<string> => (await newUser(service, app)).email;
      const pages = [];
      for (const email of [await known(), newEmail()]) pages.push(plain(await send(email), email));
      expect(pages[0]).toMatch(/^200 /u);
      expect(new Set(pages).size).toBe(1);
      await expectLikeTimes({ known: { prepare: known, send }, unknown: { prepare: async () => newEmail(), send } });
    });

    it("is nothing when an account is asked for: a known address and an unknown one are alike", async () => {
      const service = current();
      const app = await service.createApp();
      const send = await sender(service, app, "/create-account", "/create-account", { password: goodPassword });
      const known = async (): Promise<string> => (await newUser(service, app)).email;
      const pages = [];
      for (const email of [await known(), newEmail()]) pages.push(plain(await send(email), email));
      expect(pages[0]).toMatch(/^303 \S+\/confirm /u);
      expect(new Set(pages).size).toBe(1);
      await expectLikeTimes({ known: { prepare: known, send }, unknown: { prepare: async () => newEmail(), send } });
    });
  },
  { mail: server.mail, passwords },
);

/** Everything that an answer says but the address that was sent and the request's own number. */
function plain({ status, headers, text }: Page, email: string): string {
  const seen = ["location", "set-cookie", "retry-after", "content-security-policy"].map((name) => headers.get(name));
  return `${status} ${seen.join(" ")} ${text.replaceAll(email, "EMAIL")}`.trim();
}
