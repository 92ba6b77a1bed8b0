/** What the texts for reverse proxies share (docs/spec/protecting.md, 6). */

export const proxyNames = ["nginx", "caddy", "traefik", "haproxy", "apache"] as const;
export type ProxyName = (typeof proxyNames)[number];

/** What only the administrator of the proxy knows; the proxy's own defaults stand for the rest. */
export type BlockChoices = { upstream?: string; door?: string; behind?: string; proxyVersion?: string };

/** What a text is written from. */
export type BlockInput = {
  clientId: string;
  /** As stored: in lower case, with the port unless that is 443. */
  hosts: string[];
  /** What a program may get from a 200, besides `Authorization` and `Cookie`. */
  headers: string[];
  /** Where the proxy asks: `http://127.0.0.1:9091`. */
  door: URL;
  /** The program: http, https, or h2c for HTTP/2 without TLS. */
  upstream: URL;
  /** The balancer in front of the proxy, which says who asks. */
  behind: string | undefined;
};

/** The text, and files that it needs beside it. */
export type Block = { text: string; files: { name: string; text: string }[] };

/** Headers on which an answer at the door depends, besides the proxy's own. */
export const askedHeaders = [
  "Cookie",
  "Authorization",
  "Accept",
  "Accept-Language",
  "Sec-Fetch-Site",
  "Sec-Fetch-Mode",
  "Sec-Fetch-Dest",
  "Sec-Fetch-User",
  "Origin",
  "X-Requested-With",
  "HX-Request",
  "Turbo-Frame",
];

/** A client must not set these: some programs take the path that they serve from one. */
export const misleading = [
  "Forwarded",
  "X-Original-Method",
  "X-Original-Url",
  "X-Rewrite-Url",
  "X-Forwarded-Method",
  "X-Forwarded-Uri",
  "X-Forwarded-Port",
  "X-Forwarded-Prefix",
  "X-Forwarded-Server",
];

export function portOf(host: string): number {
  return Number(/:(\d+)$/u.exec(host)?.[1] ?? 443);
}

/** `syncthing.example.com:8443` in names of files and sections. */
export function labelOf(host: string): string {
  return host.replace(":", "-");
}

export function addressOf(url: URL): string {
  return `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port}`;
}

/** Lines of a comment. */
export function commented(lines: string[], mark = "#"): string[] {
  return lines.map((line) => (line === "" ? mark : `${mark} ${line}`));
}

/** What people ask about programs behind any proxy. */
export function adviceFor({ clientId, hosts, headers }: BlockInput): string[] {
  const [host = ""] = hosts;
  const update = `authsvc client update ${clientId}`;
  return [
    "Notes for the program:",
    `- ${headers[0]} names who it is. A program that must know people by address or name:`,
    `    ${update} --header ${headers[0]}=email`,
    "  A person whose address changes is then another person to the program.",
    "- Values are percent-encoded: decode them once.",
    `- An installable program's manifest and icons are asked for without cookies: ${update} --public-path /manifest.json`,
    "- A service worker gets a 401 with the header Authsvc-Sign-In: it has to let the page navigate.",
    `- Only a program that gets its own certificates needs ${update} --public-path /.well-known/acme-challenge`,
    `- Grafana: [auth.proxy] enabled = true, header_name = ${headers[0]}; and listen on 127.0.0.1 only.`,
    ...(headers.includes("Remote-Email") && headers.includes("Remote-Name")
      ? ["- Open WebUI: WEBUI_AUTH_TRUSTED_EMAIL_HEADER=Remote-Email WEBUI_AUTH_TRUSTED_NAME_HEADER=Remote-Name"]
      : []),
    "- Nobody but the proxy may reach the program: its headers say who it is.",
    `After a reload: authsvc client check ${clientId} (asks https://${host})`,
  ];
}

/** Joins lines, with a line break at the end. */
export function textOf(lines: string[]): string {
  return `${lines.join("\n")}\n`;
}
