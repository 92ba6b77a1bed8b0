/** The texts by which a reverse proxy asks before it lets a request through. */
import { isIP } from "node:net";
import type { ClientAnswer } from "../../applications/clients/client.ts";
import type { ForwardAuthConfig } from "../../config/config.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { carriedHeaders, decisionHeader } from "../headers.ts";
import { apacheBlock } from "./apache.ts";
import type { Block, BlockChoices, BlockInput, ProxyName } from "./block.ts";
import { caddyBlock } from "./caddy.ts";
import { haproxyBlock } from "./haproxy.ts";
import { nginxBlock } from "./nginx.ts";
import { traefikBlock } from "./traefik.ts";

/** `least`: the oldest version that has what the text needs, and what that is. */
const proxies = {
  nginx: { write: nginxBlock, least: "1.18.0", needed: "auth_request" },
  caddy: { write: caddyBlock, least: "2.6.0", needed: "what the text uses in handle_response" },
  traefik: { write: traefikBlock, least: "3.7.12", needed: "aliasHeadersStrategy" },
  haproxy: { write: haproxyBlock, least: "2.6.0", needed: "http-restrict-req-hdr-names" },
  apache: { write: apacheBlock, least: "2.4.49", needed: "the upgrade of a WebSocket by mod_proxy_http" },
} satisfies Record<ProxyName, { write(input: BlockInput): Block; least: string; needed: string }>;

/** What `proxy` needs to protect the client's hosts. Throws INVALID_REQUEST naming the choice. */
export function blockFor(
  proxy: ProxyName,
  client: Pick<ClientAnswer, "id" | "hosts" | "headers">,
  { upstream, door, behind, proxyVersion }: BlockChoices,
  listener: ForwardAuthConfig | undefined,
): Block {
  const { write, least, needed } = proxies[proxy];
  if (proxyVersion !== undefined && !isAtLeast(proxyVersion, least))
    throw invalidRequest("proxyVersion", `${least} or newer: older versions lack ${needed}`);
  if (behind !== undefined && isIP(behind) === 0) throw invalidRequest("behind", "one IP address");
  const doorUrl = addressFrom("door", door ?? doorOf(listener), ["http:", "https:"]);
  if (proxy === "apache" && doorUrl.protocol === "https:")
    throw invalidRequest("door", "an http URL: Apache's lua-socket has no TLS");
  const { text, files } = write({
    clientId: client.id,
    hosts: client.hosts ?? [],
    headers: carriedHeaders({ headers: client.headers ?? [] }).filter((name) => name !== decisionHeader),
    door: doorUrl,
    upstream: addressFrom("upstream", upstream ?? "http://127.0.0.1:3000", ["http:", "https:", "h2c:"]),
    behind,
  });
  const example = "# http://127.0.0.1:3000 stands for the program: --upstream gives its address.\n";
  return { text: upstream === undefined ? example + text : text, files };
}

/** All files of a block as one text. */
export function printedBlock({ text, files }: Block): string {
  return [text, ...files.map((file) => `\n# file: ${file.name}\n${file.text}`)].join("");
}

function addressFrom(choice: string, text: string, schemes: string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const names = schemes.map((scheme) => scheme.slice(0, -1)).join(", ");
  // A host of any other form could end the line that it is printed in.
  const isPlain = url !== undefined && /^[\w.-]+$|^\[[\da-f:.]+\]$/iu.test(url.hostname);
  const rest = url === undefined ? "" : url.username + url.password + url.search + url.hash + url.pathname;
  if (!isPlain || !schemes.includes(url.protocol) || !["", "/"].includes(rest))
    throw invalidRequest(choice, `a URL of ${names}, without a path`);
  return url;
}

/** Where a proxy on this machine finds the door. */
function doorOf(listener: ForwardAuthConfig | undefined): string {
  const isAny = listener !== undefined && ["0.0.0.0", "::"].includes(listener.host);
  if (listener === undefined || isAny || listener.port === 0)
    throw new AppError(
      "INVALID_REQUEST",
      `--door is needed: forwardAuth.listen ${listener === undefined ? "is not set" : "names no single address"}. It is the address of that listener as the proxy sees it, such as http://127.0.0.1:9091.`,
    );
  const host = listener.host.includes(":") ? `[${listener.host}]` : listener.host;
  return `${listener.tls ? "https" : "http"}://${host}:${listener.port}`;
}

function isAtLeast(version: string, least: string): boolean {
  const [, ...given] = /^v?(\d+)\.(\d+)(?:\.(\d+))?/u.exec(version) ?? [];
  if (given.length === 0) throw invalidRequest("proxyVersion", "a version such as 1.22.1");
  const wanted = least.split(".").map(Number);
  for (const [index, part] of wanted.entries()) {
    const own = Number(given[index] ?? 0);
    if (own !== part) return own > part;
  }
  return true;
}
