import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** What a name has: TXT records, each of one or more strings; IPv4 addresses; an error; nothing. */
export type Zone =
  | { addresses: string[] }
  | { txt: string[][]; alias?: string; isCut?: boolean }
  | "NOERROR"
  | "NXDOMAIN"
  | "SERVFAIL"
  | "REFUSED"
  | "silence"
  | "garbage";

export type NameServer = {
  /** For `dns.servers`. */
  readonly address: string;
  readonly zones: Map<string, Zone>;
  /** The names asked, in order, each with `/tcp` if it was asked by TCP. */
  readonly asked: string[];
  /** Called before each answer; the answer waits for it. */
  beforeAnswer: (name: string) => Promise<void> | void;
  close(): Promise<void>;
};

const codes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

/** A name server on this machine, by UDP and TCP. Names that `zones` lacks do not exist. */
export async function startNameServer(): Promise<NameServer> {
  const zones = new Map<string, Zone>();
  const asked: string[] = [];
  const sockets = new Set<Socket>();

  async function answer(query: Buffer, byTcp: boolean): Promise<Buffer | undefined> {
    const name = nameOf(query);
    asked.push(byTcp ? `${name}/tcp` : name);
    await server.beforeAnswer(name);
    return answerTo(query, zones.get(name) ?? "NXDOMAIN", byTcp);
  }

  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    // A query of c-ares arrives in one piece.
    socket.on("data", (data: Buffer) => {
      void answer(data.subarray(2), true).then((message) => {
        if (message === undefined) return;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(message.length);
        socket.write(Buffer.concat([length, message]));
      });
    });
  });
  const { udp, port } = await bothAt(tcp);
  udp.on("message", (query, from) => {
    void answer(query, false).then((message) => message && udp.send(message, from.port, from.address));
  });

  const server: NameServer = {
    address: `127.0.0.1:${port}`,
    zones,
    asked,
    beforeAnswer() {},
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(resolve)),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
  return server;
}

/** A port that is free for both: what is for one may be taken for the other. */
async function bothAt(tcp: Server): Promise<{ udp: UdpSocket; port: number }> {
  for (;;) {
    await once(tcp.listen(0, "127.0.0.1"), "listening");
    const { port } = tcp.address() as AddressInfo;
    const udp = createSocket("udp4");
    const bound = once(udp, "listening").then(
      () => true,
      () => false,
    );
    udp.bind(port, "127.0.0.1");
    if (await bound) return { udp, port };
    await new Promise<void>((resolve) => tcp.close(() => resolve()));
  }
}

/** The name of the one question, which starts after the header of 12 bytes. */
function nameOf(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at] !== 0; at += 1 + (query[at] ?? 0))
    labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
  return labels.join(".").toLowerCase();
}

function answerTo(query: Buffer, zone: Zone, byTcp: boolean): Buffer | undefined {
  if (zone === "silence") return undefined;
  if (zone === "garbage") return Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1])]);
  const isCut = typeof zone === "object" && "isCut" in zone && zone.isCut === true && !byTcp;
  const code = typeof zone === "string" ? codes[zone] : 0;
  const question = query.subarray(12, query.indexOf(0, 12) + 5);
  const asksAddress = question.readUInt16BE(question.length - 4) === 1;
  const answers =
    typeof zone === "string" || isCut
      ? []
      : "txt" in zone
        ? answersOf(zone)
        : asksAddress
          ? zone.addresses.map((address) => record(pointer, 1, Buffer.from(address.split(".").map(Number))))
          : [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (isCut ? 0x200 : 0) | code, 2);
  header.writeUInt16BE(answers.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question, ...answers]);
}

/** To the name of the question. */
const pointer = Buffer.from([0xc0, 12]);

function answersOf({ txt, alias }: { txt: string[][]; alias?: string }): Buffer[] {
  const owner = alias === undefined ? pointer : wireName(alias);
  const texts = txt.map((strings) =>
    record(owner, 16, Buffer.concat(strings.map((text) => Buffer.from([text.length, ...Buffer.from(text)])))),
  );
  return alias === undefined ? texts : [record(pointer, 5, owner), ...texts];
}

function wireName(name: string): Buffer {
  return Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
}

/** Class IN, with a lifetime of a minute. */
function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt32BE(60, 4);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fields, data]);
}
