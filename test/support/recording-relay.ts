import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

type Headers = [name: string, value: string][];

/** What a proxy asked at a door, and what it was told. */
export type Asked = { target: string; headers: Headers; status: number; told: Headers };

export type Relay = { port: number; asked: Asked[]; close(): Promise<void> };

/** Stands before a door and records what is said there, without changing a byte. */
export async function startRelay(target: number): Promise<Relay> {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const door = connect(target, "127.0.0.1");
    let request = "";
    let answer = "";
    for (const each of [socket, door]) {
      sockets.add(each);
      each.on("error", () => undefined);
      each.once("close", () => {
        sockets.delete(each);
        socket.destroy();
        door.destroy();
      });
    }
    socket.on("data", (data) => {
      if (answer !== "") [request, answer] = ["", ""];
      request += data.toString("latin1");
      door.write(data);
    });
    door.on("data", (data) => {
      const isFirst = answer === "";
      answer += data.toString("latin1");
      if (isFirst) {
        const [[, target = ""], headers] = headIn(request);
        const [[, status], told] = headIn(answer);
        asked.push({ target, headers, status: Number(status), told });
      }
      socket.write(data);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}

/** The words of the first line, and the headers. */
function headIn(text: string): [words: string[], headers: Headers] {
  const [start = "", ...lines] = (text.split("\r\n\r\n")[0] ?? "").split("\r\n");
  return [
    start.split(" "),
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  ];
}
