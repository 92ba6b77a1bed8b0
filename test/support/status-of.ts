import { get } from "node:http";
import { request as secureRequest } from "node:https";

/** The status of one request on a connection of its own. */
export async function statusOf(
  port: number,
  {
    protocol = "http",
    path = "/healthz",
    host = "127.0.0.1",
  }: { protocol?: "http" | "https"; path?: string; host?: string } = {},
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = { host, port, path, agent: false as const, headers: { host: `localhost:${port}` } };
  const asked =
    protocol === "http"
      ? get(options)
      : secureRequest({ ...options, rejectUnauthorized: false, servername: "localhost" }).end();
  asked.on("error", reject).on("response", (response) => {
    response
      .on("error", reject)
      .on("end", () => resolve(response.statusCode ?? 0))
      .resume();
  });
  return await promise;
}
