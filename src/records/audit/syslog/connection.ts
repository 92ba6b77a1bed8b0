/** A connection to a syslog receiver, which confirms all by its end (docs/decisions/0103). */
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { second, type Clock } from "../../../lib/clock.ts";

export type Receiver = { host: string; port: number; ca: string | undefined };

export type Connection = {
  /** Resolves when the system has taken the bytes. Rejects if the connection failed. */
  send(bytes: Buffer): Promise<void>;
  /** Ends it; resolves when the receiver has ended it too, and so has read everything. */
  end(): Promise<void>;
  /** Throws if it failed, also if the receiver ended it first. */
  check(): void;
  destroy(): void;
};

/** A connection on which nothing moves for so long is ended. */
const patience = 10 * second;
/** After FIN, for what TLS has yet to read. */
const lastRecordWithin = second;

/** Rejects if the receiver cannot be reached, or its certificate is not for this host. */
export async function openConnection({ host, port, ca }: Receiver, clock: Clock): Promise<Connection> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let failure: Error | undefined;
  /** Called when the receiver ends; undefined: it must not yet. */
  let whenEnded: (() => void) | undefined;
  /** What waits for the receiver. */
  let steps = 0;
  let movedAt = clock();

  const moved = (): void => {
    movedAt = clock();
  };
  const socket = connectTcp({ host, port, allowHalfOpen: true });
  const carrier = carrierOf(socket, moved);
  const name = isIP(host) === 0 ? { servername: host } : {};
  const tls = connectTls({ socket: carrier, host, ...name, ...(ca !== undefined && { ca }), minVersion: "TLSv1.2" });
  const timer = setInterval(() => {
    const now = clock();
    if (steps === 0 || now < movedAt) moved();
    else if (now - movedAt >= patience) stop(new Error(`nothing moved for ${patience / second} seconds`));
  }, second);

  function stop(error: Error): void {
    failure ??= error;
    failed.reject(failure);
    clearInterval(timer);
    for (const stream of [tls, carrier, socket]) stream.destroy();
  }

  async function step(work: (done: () => void) => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (steps === 0) moved();
    steps += 1;
    try {
      work(resolve);
      await Promise.race([promise, failed.promise]);
      moved();
    } finally {
      steps -= 1;
    }
  }

  for (const stream of [tls, carrier, socket]) stream.on("error", stop);
  tls.on("close", () => stop(new Error("the connection was closed")));
  // TLS ends only by close_notify: FIN alone, as of a process that was killed, does not reach it.
  tls.on("end", () => {
    if (whenEnded) whenEnded();
    else stop(new Error("the receiver ended the connection"));
  });
  socket.on("end", () => {
    setTimeout(() => stop(new Error("the receiver ended the connection without close_notify")), lastRecordWithin);
  });
  // The receiver says nothing, but its end is read like data.
  tls.resume();
  await step((done) => tls.once("secureConnect", done));
  return {
    send: async (bytes) => await step((done) => tls.write(bytes, () => done())),
    async end() {
      await step((done) => {
        whenEnded = done;
        tls.end();
      });
      stop(new Error("the connection was ended"));
    },
    check() {
      if (failure) throw failure;
    },
    destroy: () => stop(new Error("the connection was given up")),
  };
}

/** Carries TLS over a socket, without its FIN. */
function carrierOf(socket: Socket, onMoved: () => void): Duplex {
  const carrier = new Duplex({
    allowHalfOpen: true,
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, callback) =>
      void socket.write(chunk, (error) => {
        onMoved();
        callback(error);
      }),
    final: (callback) => void socket.end(() => callback()),
  });
  socket.on("data", (chunk) => {
    if (!carrier.push(chunk)) socket.pause();
  });
  return carrier;
}
