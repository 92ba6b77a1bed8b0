import type { Socket } from "node:net";
import { once } from "node:events";
import { finished } from "node:stream";
import { describe, expect, it } from "vitest";
import { openEndless } from "../../support/endless-upload.ts";
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
  const current = useService({
    listen: { host: "127.0.0.1", port: 0, maxConnections: 100, threads, tls: undefined },
    trustedProxies: ["127.0.0.1"],
  });

  async function opened() {
    const app = await current().createApp();
    const { visitor, accessToken } = await signedUpIn(current(), app);
    const page = await openAccount(current(), app, visitor, "/picture");
    const { action, fields } = page.form("/account/picture");
    const picture = async () => (await call(current(), "GET", "/users/profile", bearer(accessToken))).body["picture"];
    return { app, visitor, page, action, token: fields["token"] ?? "", picture };
  }

  async function statusOfEndless(action: string, signedIn: { cookie: string; token: string }) {
    const socket = await openEndless(current(), action, signedIn);
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return Number(/^HTTP\/1\.1 (\d+)/u.exec(answer.toString("latin1"))?.[1]);
  }

  async function closed(sockets: Socket[]) {
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => new Promise((resolve) => finished(socket, resolve))));
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
    for (let count = 0; count < 12 * threads; count += 1) held.push(await openEndless(current(), action, signedIn));
    const waiting: Socket[] = [];
    for (let count = 0; count < 12 * threads; count += 1) waiting.push(await openEndless(current(), action, signedIn));
    // Answered after what came before it was read.
    await openAccount(current(), app, visitor, "/picture");
    await closed(waiting);
    await openAccount(current(), app, visitor, "/picture");
    await closed(held);
    for (let count = 0; count < 4; count += 1)
      expect((await visitor.upload(page, action, fileOf(png(2, 2)))).status).toBe(303);
  });

  it("H11: does not wait for bodies of another caller that never end", async () => {
    const slow = await opened();
    const signedIn = { cookie: cookieOf(slow.visitor), token: slow.token, from: "203.0.113.9" };
    const held: Socket[] = [];
    for (let count = 0; count < 12 * threads; count += 1)
      held.push(await openEndless(current(), slow.action, signedIn));
    await openAccount(current(), slow.app, slow.visitor, "/picture");
    const { visitor, page, action } = await opened();
    for (let count = 0; count < 4; count += 1)
      expect((await visitor.upload(page, action, fileOf(png(2, 2)))).status).toBe(303);
    await closed(held);
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
