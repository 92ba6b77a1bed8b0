import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** Takes every mail, and says what it has read of it: recipient, subject and both texts. */
export async function startMailServer(say: (mail: string) => void) {
  const received: { to: string; text: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 1,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join();
        const text = decoded(Buffer.concat(chunks).toString("latin1"));
        received.push({ to, text });
        say(`mail to ${to}\n${text}`);
        done();
      });
    },
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    /** The newest mail to an address. */
    last: (to: string): string => received.findLast((mail) => mail.to === to)?.text ?? "",
    close: async (): Promise<void> => await new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A message of text parts, without what is different each time: boundary, date, id. */
function decoded(raw: string): string {
  const boundary = /boundary="([^"]+)"/u.exec(raw)?.[1] ?? "no boundary";
  return raw
    .split(`--${boundary}`)
    .map((part) => {
      const end = part.indexOf("\r\n\r\n");
      const head = part.slice(0, end).replaceAll(/\r\n[ \t]+/gu, " ");
      const body = part.slice(end + 4);
      const kept = head.split("\r\n").filter((line) => !/^(date|message-id|content-type: multipart)/iu.test(line));
      return [...kept.map(wordsOf), bodyOf(head, body)].join("\n");
    })
    .join("\n");
}

function bodyOf(head: string, body: string): string {
  if (/encoding: base64/iu.test(head)) return Buffer.from(body, "base64").toString("utf8");
  if (!/encoding: quoted/iu.test(head)) return body;
  return quoted(body);
}

function quoted(body: string): string {
  const bytes = body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/giu, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8").replaceAll("\r\n", "\n");
}

/** RFC 2047. */
function wordsOf(line: string): string {
  return line
    .replaceAll(/\?=\s+=\?/gu, "?==?")
    .replaceAll(/=\?utf-8\?Q\?([^?]*)\?=/giu, (_, word: string) => quoted(word.replaceAll("_", " ")))
    .replaceAll(/=\?utf-8\?B\?([^?]*)\?=/giu, (_, word: string) => Buffer.from(word, "base64").toString());
}
