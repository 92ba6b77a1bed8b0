/** What to know of programs behind a reverse proxy, for `client create` and `doctor`. */
import type { Application } from "../../applications/application.ts";
import type { ClientAnswer } from "../../applications/clients/client.ts";
import type { Config } from "../../config/config.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";
import { problem, warning, type Finding } from "./finding.ts";

/** Anybody who signs up gets in: the client admits everyone, and sign-up is open. */
function openFindings(client: ClientAnswer, { id, settings }: Application): Finding[] {
  if (client.access !== "everyone" || settings.signUp !== "open") return [];
  return [
    problem(
      "clients",
      `Anybody can create an account of ${id} and then use ${client.hosts?.join(", ")}: ${client.id} admits everyone, and sign-up is open.`,
      `authsvc client update ${client.id} --access groups --allowed-groups GROUP, or: authsvc app update ${id} --sign-up closed`,
    ),
  ];
}

function nobodyFindings({ id, access, allowedGroups }: ClientAnswer): Finding[] {
  if (access === "everyone" || allowedGroups !== null) return [];
  const fix = `authsvc client update ${id} --allowed-groups GROUP`;
  return [warning("clients", `Nobody can use ${id}: it has no allowed groups.`, fix)];
}

function portFindings({ id, hosts = [] }: ClientAnswer): Finding[] {
  const [withPort] = hosts.filter((host) => host.includes(":"));
  if (withPort === undefined) return [];
  return [
    warning(
      "clients",
      `${withPort} of ${id} shares its cookies with every other port of its host: programs there can use each other's visitors' sessions.`,
      "give each program a host name of its own",
    ),
  ];
}

/** Of one client of kind proxy. */
export function proxyFindings(client: ClientAnswer, application: Application): Finding[] {
  if (client.kind !== "proxy" || client.disabledAt !== null) return [];
  return [...openFindings(client, application), ...nobodyFindings(client), ...portFindings(client)];
}

/** Of the listener that proxies ask. */
export function listenerFindings({ forwardAuth }: Config, clients: readonly ClientAnswer[]): Finding[] {
  const isUsed = clients.some(({ kind, disabledAt }) => kind === "proxy" && disabledAt === null);
  if (!forwardAuth) {
    if (!isUsed) return [];
    return [problem("clients", "No reverse proxy can ask: forwardAuth.listen is not set.", listenerLine)];
  }
  if (forwardAuth.tls || isLoopbackHost(forwardAuth.host)) return [];
  return [
    warning(
      "clients",
      "forwardAuth.plain: cookies and tokens of everybody cross the network without TLS, between the proxies and this service.",
      "set forwardAuth.tls.certFile and forwardAuth.tls.keyFile, or listen on 127.0.0.1",
    ),
  ];
}

/** What to put into `config.yaml`. */
export const listenerLine = "in config.yaml: forwardAuth: { listen: 127.0.0.1:9091 }";
