import { readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { Client } from "pg";

/** What can be done to the database of a running service, and undone. */
export type Fault = { begin(): Promise<void> | void; end(): void };

/** The folder of a server of `startPostgres`. */
export function folderOf(databaseUrl: string): string {
  return new URL(databaseUrl).searchParams.get("host") ?? "";
}

/** What one server is asked by an operator. */
export async function administer<Row extends object>(databaseUrl: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/**
 * A way to the server that can swallow everything from a moment on, as a network does that drops
 * packets: what is sent, what is answered, and new connections. Once it is open again, new
 * connections get through, and those of before stay as they are, as after a server has moved.
 */
export async function startGate(databaseUrl: string) {
  const socketPath = join(folderOf(databaseUrl), ".s.PGSQL.5432");
  const sockets = new Set<Socket>();
  let connections: { isSwallowed: boolean }[] = [];
  let isOpen = true;
  let swallowsAfter: string | undefined;

  const server = createServer((near) => {
    const connection = { isSwallowed: !isOpen };
    connections.push(connection);
    const far = isOpen ? connect(socketPath) : undefined;
    for (const socket of [near, far]) {
      if (socket === undefined) continue;
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    near.on("data", (chunk) => {
      if (connection.isSwallowed) return;
      far?.write(chunk);
      if (swallowsAfter !== undefined && chunk.includes(swallowsAfter)) connection.isSwallowed = true;
    });
    far?.on("data", (chunk) => {
      if (!connection.isSwallowed) near.write(chunk);
    });
    // A server does not hear that a client is gone whose packets are lost.
    near.on("close", () => connection.isSwallowed || far?.destroy());
    far?.on("close", () => connection.isSwallowed || near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/${new URL(databaseUrl).pathname.slice(1)}`,
    begin(): void {
      isOpen = false;
      for (const connection of connections) connection.isSwallowed = true;
      connections = [];
    },
    end(): void {
      isOpen = true;
    },
    /** Passes this on, and swallows the answer and all that follows on the same connection. */
    swallowAfter(text: string): void {
      swallowsAfter = text;
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Stops all processes of the server by SIGSTOP: the kernel takes connections and what is sent, and
 * nobody answers.
 */
export function frozenServer(databaseUrl: string): Fault {
  let stopped: number[] = [];
  return {
    async begin() {
      const [postmaster = ""] = readFileSync(join(folderOf(databaseUrl), "data", "postmaster.pid"), "utf8").split("\n");
      const backends = await administer<{ pid: number }>(databaseUrl, "SELECT pid FROM pg_stat_activity");
      stopped = [Number(postmaster), ...backends.map(({ pid }) => pid)];
      for (const pid of stopped) signal(pid, "SIGSTOP");
    },
    end() {
      for (const pid of stopped.splice(0)) signal(pid, "SIGCONT");
    },
  };
}

/** The connection that asked for the list is gone by now. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
