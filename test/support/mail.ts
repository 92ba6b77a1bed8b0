import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll } from "vitest";
import type { Config } from "../../src/config/config.ts";

/** A mail as it came over the wire. Header names are lower-case. */
export type ReceivedMail = {
  from: string;
  to: string[];
  /** The name in EHLO. */
  ehlo: string;
  raw: string;
  headers: Map<string, string>;
  subject: string;
  text: string;
  html: string;
};

/**
 * What the server does with the next mail: takes it; hangs up on every connection; says nothing any
 * more after RCPT TO; answers RCPT TO with a code.
 */
export type Behaviour = "takes" | "is-away" | "stalls" | { answers: number };

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** A mail server for all tests of a file, closed after the last. */
export async function useMailServer(): Promise<MailServer> {
  const server = await startMailServer();
  afterAll(async () => await server.close());
  return server;
}

/** A real SMTP server in this process, which keeps what it is sent. */
export async function startMailServer(options: { secure?: boolean; startTls?: boolean } = {}) {
  const received: ReceivedMail[] = [];
  const stalled: (() => void)[] = [];
  const sockets = new Set<Socket>();
  let behaviour: Behaviour = "takes";

  const server = new SMTPServer({
    secure: options.secure ?? false,
    disabledCommands: options.startTls === true ? [] : ["STARTTLS"],
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 1,
    onAuth: ({ username, password }, _session, done) =>
      username === "authsvc" && password === "p@ss/word" ? done(null, { user: username }) : done(new Error("no")),
    onRcptTo(_address, _session, done) {
      if (behaviour === "stalls") stalled.push(() => done());
      else if (typeof behaviour === "object")
        done(Object.assign(new Error("said the server about <them@example.org>"), { responseCode: behaviour.answers }));
      else done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          from: mailFrom === false ? "" : mailFrom.address,
          ehlo: session.hostNameAppearsAs,
          to: rcptTo.map(({ address }) => address),
          ...readMessage(Buffer.concat(chunks).toString("latin1")),
        };
        received.push(mail);
        done();
      });
    },
  });
  // A client that goes away in the middle is part of the game.
  server.on("error", () => {});
  const listener = server.server;
  listener.on("connection", (socket: Socket) => {
    if (behaviour === "is-away") socket.destroy();
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;

  return {
    port,
    received,
    /** The configuration of a service that sends by this server. */
    mail: {
      server: { host: "127.0.0.1", port, user: undefined, password: undefined, tls: "none" },
      from: { name: undefined, address: "auth@service.example" },
    } satisfies Config["mail"],
    /** Mails that wait for the server to say something. */
    stalled: (): number => stalled.length,
    behave(next: Behaviour): void {
      behaviour = next;
      // Without TLS only; see close().
      if (next === "is-away") for (const socket of sockets) socket.destroy();
      for (const goOn of stalled.splice(0)) goOn();
    },
    to: (address: string): ReceivedMail[] => received.filter(({ to }) => to.includes(address)),
    async close(): Promise<void> {
      // Not by destroying sockets: Node 26.10 crashes (SIGSEGV) when the socket below a TLS
      // connection goes at the wrong moment.
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Reads a message of two alternatives, which is what we send; mailparser cannot be installed from
 * every mirror.
 */
function readMessage(raw: string): Omit<ReceivedMail, "from" | "to" | "ehlo"> {
  const { headers, body } = readPart(raw);
  const boundary = /boundary="([^"]+)"/u.exec(headers.get("content-type") ?? "")?.[1] ?? "";
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => readPart(part.replace(/^\r\n/u, "")));
  const bodyOf = (type: string): string =>
    decodeBody(parts.find((part) => part.headers.get("content-type")?.startsWith(type)));
  return {
    raw,
    headers,
    subject: decodeWords(headers.get("subject") ?? ""),
    text: bodyOf("text/plain"),
    html: bodyOf("text/html"),
  };
}

type Part = { headers: Map<string, string>; body: string };

function readPart(text: string): Part {
  const end = text.indexOf("\r\n\r\n");
  const lines = text.slice(0, end).replaceAll(/\r\n[ \t]+/gu, " ");
  const headers = new Map(
    lines
      .split("\r\n")
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { headers, body: text.slice(end + 4) };
}

function decodeBody(part: Part | undefined): string {
  if (!part) return "";
  const encoding = part.headers.get("content-transfer-encoding");
  if (encoding === "base64") return Buffer.from(part.body, "base64").toString("utf8");
  return encoding === "quoted-printable" ? decodeQuoted(part.body.replaceAll("=\r\n", "")) : part.body;
}

function decodeQuoted(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/giu, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8").replaceAll("\r\n", "\n");
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/gu, "?==?")
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/giu, (_, encoding: string, word: string) =>
      encoding.toUpperCase() === "B"
        ? Buffer.from(word, "base64").toString("utf8")
        : decodeQuoted(word.replaceAll("_", " ")),
    );
}
