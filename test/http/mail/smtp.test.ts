import { afterEach, describe, expect, it } from "vitest";
import { parseSmtpUrl } from "../../../src/config/mail.ts";
import type { MailMessage, Sending } from "../../../src/records/mail/mail.ts";
import { createSmtpTransport } from "../../../src/records/mail/smtp.ts";
import { startMailServer, type MailServer } from "../../support/mail.ts";

const message: MailMessage = {
  id: "mail_1",
  kind: "verify",
  to: "somebody@example.org",
  senderName: "Acme",
  subject: "Hello",
  text: "Hello",
  html: "<p>Hello</p>",
  language: "en",
};

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

async function mailServer(options: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  opened.push(server);
  return server;
}

async function sendTo(url: string, tls?: "upgrade"): Promise<Sending> {
  const parsed = parseSmtpUrl(url);
  if (!parsed) throw new Error("not a URL of a mail server");
  const transport = createSmtpTransport({
    server: { ...parsed, tls: tls ?? parsed.tls },
    from: { name: "Service", address: "auth@service.example" },
  });
  opened.push(transport);
  return await transport.send(message);
}

describe("sending by SMTP", () => {
  it("signs in with the user and password of the URL, and says so little when they are wrong", async () => {
    const server = await mailServer();
    expect(await sendTo(`smtp://authsvc:p%40ss%2Fword@127.0.0.1:${server.port}`)).toMatchObject({ result: "sent" });
    expect(server.received).toMatchObject([{ subject: "Hello", from: "auth@service.example" }]);
    expect(server.received[0]?.headers.get("from")).toBe("Service <auth@service.example>");
    const refused = await sendTo(`smtp://authsvc:wrong@127.0.0.1:${server.port}`);
    expect(refused).toEqual({ result: "failed", reason: "it refuses the name or password (535)" });
  });

  it("sends nothing where a STARTTLS that is due is not offered, as when somebody in the middle took it away", async () => {
    const server = await mailServer();
    expect(await sendTo(`smtp://127.0.0.1:${server.port}`, "upgrade")).toMatchObject({
      result: "failed",
      reason: "it offers no STARTTLS (smtps:// is TLS from the start)",
    });
    expect(server.received).toEqual([]);
  });

  it("sends nothing to a server whose certificate nobody vouches for", async () => {
    const [byUpgrade, fromStart] = [await mailServer({ startTls: true }), await mailServer({ secure: true })];
    const failed = {
      result: "failed",
      reason: expect.stringMatching(/^its certificate (?:is not trusted|has expired)/u) as string,
    };
    expect(await sendTo(`smtp://127.0.0.1:${byUpgrade.port}`, "upgrade")).toMatchObject(failed);
    expect(await sendTo(`smtps://127.0.0.1:${fromStart.port}`)).toMatchObject(failed);
    expect([...byUpgrade.received, ...fromStart.received]).toEqual([]);
  });

  it("gives up for good only what is refused for good", async () => {
    const server = await mailServer();
    const answers: [code: number, result: Sending["result"]][] = [
      [450, "failed"],
      [451, "failed"],
      [503, "failed"],
      [550, "refused"],
      [553, "refused"],
    ];
    for (const [code, result] of answers) {
      server.behave({ answers: code });
      const sending = await sendTo(`smtp://127.0.0.1:${server.port}`);
      expect(sending).toEqual({
        result,
        reason: `it refuses the recipient's address${code < 500 ? " for now" : ""} (${code})`,
      });
    }
  });

  it("says in words why a server cannot be reached, without naming it", async () => {
    const closed = await startMailServer();
    await closed.close();
    const hangsUp = await mailServer();
    hangsUp.behave("is-away");
    const plain = await mailServer();
    const reasons: [url: string, reason: RegExp][] = [
      [`smtp://127.0.0.1:${closed.port}`, /^the connection was refused$/u],
      ["smtp://nowhere.invalid", /^its name cannot be resolved/u],
      [`smtp://127.0.0.1:${hangsUp.port}`, /^the connection was closed$/u],
      [`smtps://127.0.0.1:${plain.port}`, /^it does not speak TLS on this port \(smtp:\/\/ is STARTTLS\)$/u],
    ];
    for (const [url, reason] of reasons)
      expect([url, await sendTo(url)]).toEqual([url, { result: "failed", reason: expect.stringMatching(reason) }]);
  });

  it("introduces itself by the name that is set", async () => {
    const server = await mailServer();
    const { mail } = server;
    const from = { name: undefined, address: "auth@service.example" };
    const transport = createSmtpTransport({ server: { ...mail.server, ehloName: "auth.example.com" }, from });
    opened.push(transport);
    expect(await transport.send(message)).toMatchObject({ result: "sent" });
    expect(server.received).toMatchObject([{ ehlo: "auth.example.com" }]);
  });

  it("fails what is being sent when it is closed, so that nobody waits for a server that says nothing", async () => {
    const server = await mailServer();
    server.behave("stalls");
    const transport = createSmtpTransport({
      server: { ...server.mail.server },
      from: { name: undefined, address: "auth@service.example" },
    });
    const sending = transport.send(message);
    await expect.poll(() => server.stalled(), { timeout: 60_000 }).toBe(1);
    transport.close();
    expect(await sending).toMatchObject({ result: "failed" });
  });
});
