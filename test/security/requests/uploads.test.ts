import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { openAccount } from "../../support/account.ts";
import { signedUpIn } from "../../support/adding.ts";
import { bearer } from "../../support/methods.ts";
import { useService } from "../../support/one-service.ts";
import { call, type Visitor } from "../../support/person.ts";
import { fileOf, png } from "../../support/pictures.ts";

const megabyte = 2 ** 20;

function cookieOf(visitor: Visitor): string {
  return [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

describe.each([1, 2])("a form with a file, where %d threads serve", (threads) => {
  const current = useService({ listen: { host: "127.0.0.1", port: 0, maxConnections: 100, threads, tls: undefined } });

  async function opened() {
    const app = await current().createApp();
    const { visitor, accessToken } = await signedUpIn(current(), app);
    const page = await openAccount(current(), app, visitor, "/picture");
    const { action, fields } = page.form("/account/picture");
    const picture = async () => (await call(current(), "GET", "/users/profile", bearer(accessToken))).body["picture"];
    return { app, visitor, page, action, token: fields["token"] ?? "", picture };
  }

  /** Sends the head and the beginning of a body that never ends. */
  async function openEndless(action: string, { cookie, token }: { cookie: string; token: string }) {
    const { port } = new URL(current().url);
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    const part = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const head = `POST ${action} HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: ${cookie}\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const body = part("token", token) + "x".repeat(2000);
    socket.write(`${head}${body.length.toString(16)}\r\n${body}\r\n`);
    return socket;
  }

  async function statusOfEndless(action: string, signedIn: { cookie: string; token: string }) {
    const socket = await openEndless(action, signedIn);
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return Number(/^HTTP\/1\.1 (\d+)/u.exec(answer.toString("latin1"))?.[1]);
  }

  async function closed(sockets: Socket[]) {
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map(async (socket) => socket.closed || (await once(socket, "close"))));
  }

  it("H11: is taken with a file of two megabytes, and refused in words; a larger body is refused by its length", async () => {
    const { visitor, page, action, picture } = await opened();
    const large = await visitor.upload(page, action, fileOf(Buffer.concat([png(2, 2), Buffer.alloc(2 * megabyte)])));
    expect([large.status, large.text.includes("larger than 256 KB")]).toEqual([422, true]);
    const larger = await visitor.upload(page, action, fileOf(Buffer.alloc(2.2 * megabyte)));
    expect([larger.status, larger.text.includes("larger than 256 KB")]).toEqual([413, true]);
    expect(await picture()).toBeNull();
    expect((await visitor.upload(page, action, fileOf(png(2, 2)))).status).toBe(303);
  });

  it("H11: takes no turn from others after its client hung up while it waited", async () => {
    const { app, visitor, page, action, token } = await opened();
    const signedIn = { cookie: cookieOf(visitor), token };
    const held: Socket[] = [];
    for (let count = 0; count < 20 * threads; count += 1) held.push(await openEndless(action, signedIn));
    const waiting: Socket[] = [];
    for (let count = 0; count < 20 * threads; count += 1) waiting.push(await openEndless(action, signedIn));
    // Answered after what came before it was read.
    await openAccount(current(), app, visitor, "/picture");
    await closed(waiting);
    await openAccount(current(), app, visitor, "/picture");
    await closed(held);
    for (let count = 0; count < 4; count += 1)
      expect((await visitor.upload(page, action, fileOf(png(2, 2)))).status).toBe(303);
  });

  it("H11: is read on no other route", async () => {
    const { app, visitor, page } = await opened();
    const form = await openAccount(current(), app, visitor, "/profile");
    const answer = await visitor.upload(form, "/account/profile", fileOf(png(2, 2)));
    expect(answer.status).toBe(415);
    expect(page.status).toBe(200);
  });

  it("H4: needs the token of the browser's own form", async () => {
    const { visitor, page, action, picture, token } = await opened();
    const other = await opened();
    const wrong = await visitor.upload(page, action, fileOf(png(2, 2)), { token: other.token });
    expect([wrong.status, await picture()]).toEqual([403, null]);
    expect((await visitor.upload(page, action, fileOf(png(2, 2)), { token })).status).toBe(303);
  });

  if (threads > 1) return;
  it("H11: is read no further than a wrong token, and not at all without a session", async () => {
    const { visitor, action, token } = await opened();
    const cookie = cookieOf(visitor);
    expect(await statusOfEndless(action, { cookie, token: `${token}x` })).toBe(403);
    expect(await statusOfEndless(action, { cookie: "", token })).toBe(303);
  });
});
