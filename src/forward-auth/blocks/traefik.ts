import { nameOfHost } from "../../applications/clients/proxy.ts";
import {
  adviceFor,
  askedHeaders,
  commented,
  labelOf,
  misleading,
  portOf,
  textOf,
  type Block,
  type BlockInput,
} from "./block.ts";

export function traefikBlock(input: BlockInput): Block {
  const { hosts, headers, door, upstream, behind } = input;
  const ports = [...new Set(hosts.map(portOf))];
  const text = textOf([
    "# The dynamic configuration, for Traefik 3.7.12 or newer; the static one follows.",
    ...commented([
      "A router of your own to the same program needs the same middlewares, or it is open.",
      ...adviceFor(input),
    ]),
    "http:",
    "  routers:",
    ...hosts.flatMap((host) => {
      const label = labelOf(host);
      const rule = `Host(\`${nameOfHost(host)}\`)`;
      const router = (
        name: string,
        more: string,
        middlewares: string[],
        service: string,
        priority: number,
      ): string[] => [
        `    ${name}-${label}:`,
        `      rule: "${rule}${more}"`,
        `      entryPoints: [https-${portOf(host)}]`,
        `      priority: ${priority}`,
        `      middlewares: [${middlewares.join(", ")}]`,
        `      service: ${service}`,
        "      tls: {}",
      ];
      const websocket = " && HeaderRegexp(`Upgrade`, `(?i)^websocket$`)";
      const check = `authsvc-check-${label}`;
      const start = `authsvc-start-${label}`;
      return [
        ...router("authsvc", "", ["authsvc-no-upgrade", start, check], `program-${label}`, 1000),
        ...router("authsvc-websocket", websocket, [start, check], `program-${label}`, 1001),
        ...router(
          "authsvc-pages",
          " && PathPrefix(`/.authsvc/`)",
          ["authsvc-no-upgrade", start],
          `authsvc-${label}`,
          1002,
        ),
      ];
    }),
    "  middlewares:",
    "    authsvc-no-upgrade:",
    "      headers:",
    "        customRequestHeaders:",
    '          Upgrade: ""',
    '          Connection: ""',
    ...hosts.flatMap((host) => {
      const label = labelOf(host);
      const ofProgram = headers.filter((name) => !name.startsWith("X-Authsvc-"));
      return [
        `    authsvc-start-${label}:`,
        "      headers:",
        "        customRequestHeaders:",
        ...[...headers, ...misleading].map((name) => `          ${name}: ""`),
        // Traefik fills in the method and the URI itself, from the request.
        `          Host: "${host}"`,
        `          X-Forwarded-Host: "${host}"`,
        '          X-Forwarded-Proto: "https"',
        `    authsvc-check-${label}:`,
        "      forwardAuth:",
        `        address: "${door.origin}/forward-auth?cookie=1"`,
        "        trustForwardHeader: true",
        "        maxResponseBodySize: 65536",
        `        authRequestHeaders: [${[...askedHeaders, "X-Forwarded-For"].join(", ")}]`,
        `        authResponseHeaders: [${["Authorization", "Cookie", ...ofProgram].join(", ")}]`,
        '        authResponseHeadersRegex: "^X-Authsvc-"',
      ];
    }),
    "  services:",
    ...hosts.flatMap((host) => [
      ...serviceLines(`program-${labelOf(host)}`, upstream),
      ...serviceLines(`authsvc-${labelOf(host)}`, door),
    ]),
  ]);
  const fixed = textOf([
    "# The static configuration.",
    "entryPoints:",
    ...ports.flatMap((port) => [
      `  https-${port}:`,
      `    address: ":${port}"`,
      "    http:",
      "      # Without it a client's Remote_User becomes Remote-User in programs that read variables.",
      "      aliasHeadersStrategy: delete",
      ...(behind === undefined ? [] : ["    forwardedHeaders:", `      trustedIPs: ["${behind}"]`]),
      "    transport:",
      "      respondingTimeouts:",
      "        readTimeout: 0s",
    ]),
    "providers:",
    "  file:",
    "    filename: /etc/traefik/authsvc.yml",
  ]);
  return { text, files: [{ name: "traefik.yml", text: fixed }] };
}

function serviceLines(name: string, { protocol, host }: URL): string[] {
  return [`    ${name}:`, "      loadBalancer:", "        servers:", `          - url: "${protocol}//${host}"`];
}
