import { once } from "node:events";
import { connect, type Socket } from "node:net";

/**
 * Sends the head and the beginning of a form with a file that never ends. `from`: as a trusted
 * proxy reports it.
 */
export async function openEndless(
  { url }: { url: string },
  action: string,
  { cookie, token, from }: { cookie: string; token: string; from?: string },
): Promise<Socket> {
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  // Cut by the service, if it takes too long.
  socket.on("error", () => undefined);
  const head = [
    `POST ${action} HTTP/1.1`,
    `Host: localhost:${port}`,
    `Cookie: ${cookie}`,
    "Content-Type: multipart/form-data; boundary=b",
    "Transfer-Encoding: chunked",
    ...(from === undefined ? [] : [`X-Forwarded-For: ${from}`]),
  ];
  const body = `--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n${token}\r\n${"x".repeat(2000)}`;
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`);
  return socket;
}
