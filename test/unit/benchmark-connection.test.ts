import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openConnection } from "../../src/upkeep/benchmark/connection.ts";

const server = createServer((request, answer) => {
  if (request.url === "/cut") request.socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
  else answer.end(request.url);
});
let url: string;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

it("is made anew where the service has closed it while nothing was asked", async () => {
  const connection = await openConnection(url);
  expect((await connection.send("GET", "/a", "")).body).toBe("/a");
  server.closeAllConnections();
  // Until the end of it has arrived here.
  await expect.poll(async () => (await connection.send("GET", "/b", "")).body, { timeout: 60_000 }).toBe("/b");
  connection.close();
});

it("fails a call that is cut off, and a second one beside the first", async () => {
  const connection = await openConnection(url);
  await expect(connection.send("GET", "/cut", "")).rejects.toThrow("closed");
  expect((await connection.send("GET", "/after", "")).body).toBe("/after");
  const first = connection.send("GET", "/c", "");
  const second = connection.send("GET", "/d", "");
  await expect(Promise.allSettled([first, second])).resolves.toMatchObject([
    { status: "fulfilled", value: { body: "/c" } },
    { status: "rejected", reason: { message: "a connection takes one call at a time" } },
  ]);
  connection.close();
});
