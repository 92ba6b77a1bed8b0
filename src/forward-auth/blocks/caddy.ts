import { adviceFor, commented, misleading, textOf, type Block, type BlockInput } from "./block.ts";

/** Characters of a header's name that programs may read as `-`. */
const aliasCharacters = "!#$%&'*+.^_`|~".split("");

export function caddyBlock(input: BlockInput): Block {
  const text = textOf([
    "# Caddyfile, for Caddy 2.6 or newer.",
    ...commented(adviceFor(input)),
    ...input.hosts.flatMap((host) => siteLines(input, host)),
  ]);
  return { text, files: [] };
}

function siteLines(input: BlockInput, host: string): string[] {
  const { door, upstream, headers } = input;
  const address = input.behind === undefined ? "{remote_host}" : "{vars.authsvc_client}";
  const ofDoor = [
    "header_up X-Forwarded-Proto https",
    `header_up X-Forwarded-Host ${host}`,
    `header_up X-Forwarded-For ${address}`,
  ];
  return [
    "",
    `https://${host} {`,
    "\troute {",
    ...clientLines(input),
    "\t\t@authsvc_upgrade header_regexp Upgrade (?i)^websocket$",
    "\t\t@authsvc_plain not header_regexp Upgrade (?i)^websocket$",
    "\t\trequest_header -Connection",
    "\t\trequest_header @authsvc_plain -Upgrade",
    "\t\trequest_header @authsvc_upgrade Connection Upgrade",
    ...removedFrom(headers).map((pattern) => `\t\trequest_header ${quoted(pattern)}`),
    ...misleading.map((name) => `\t\trequest_header -${name}`),
    `\t\trequest_header X-Real-IP ${address}`,
    "",
    "\t\t@authsvc_pages path_regexp ^/\\.authsvc/",
    "\t\thandle @authsvc_pages {",
    `\t\t\treverse_proxy ${door.origin} {`,
    `\t\t\t\theader_up Host ${host}`,
    ...ofDoor.map((line) => `\t\t\t\t${line}`),
    "\t\t\t}",
    "\t\t}",
    "",
    `\t\treverse_proxy ${door.origin} {`,
    "\t\t\tmethod GET",
    "\t\t\trewrite /forward-auth?",
    "\t\t\theader_up -Connection",
    "\t\t\theader_up -Upgrade",
    "\t\t\theader_up -Expect",
    ...ofDoor.map((line) => `\t\t\t${line}`),
    "\t\t\theader_up X-Forwarded-Method {http.request.method}",
    "\t\t\theader_up X-Forwarded-Uri {http.request.uri}",
    "\t\t\t@ok {",
    "\t\t\t\tstatus 200",
    `\t\t\t\theader X-Authsvc-Decision ${host}`,
    "\t\t\t}",
    "\t\t\thandle_response @ok {",
    "\t\t\t\troute {",
    "\t\t\t\t\trequest_header -Authorization",
    ...["Authorization", ...headers].flatMap((name, index) => [
      `\t\t\t\t\t@authsvc_${index} expression {http.reverse_proxy.header.${name}} != null`,
      `\t\t\t\t\trequest_header @authsvc_${index} ${name} {http.reverse_proxy.header.${name}}`,
    ]),
    // Remove the separators that are left; a replacement by nothing would set an empty header.
    "\t\t\t\t\trequest_header Cookie `(^|;)\\s*__Host-authsvc-[^;]*` `$1`",
    "\t\t\t\t\trequest_header Cookie `;(?:\\s*;)+` `;`",
    "\t\t\t\t\trequest_header Cookie `^;\\s*(.)` `$1`",
    '\t\t\t\t\t@authsvc_cookieless expression {http.request.header.Cookie} == ""',
    "\t\t\t\t\trequest_header @authsvc_cookieless -Cookie",
    "\t\t\t\t}",
    "\t\t\t}",
    "\t\t}",
    `\t\treverse_proxy ${upstream.protocol}//${upstream.host} {`,
    `\t\t\theader_up Host ${host}`,
    ...ofDoor.map((line) => `\t\t\t${line}`),
    "\t\t\tflush_interval -1",
    "\t\t}",
    "\t}",
    "}",
  ];
}

function clientLines({ behind }: BlockInput): string[] {
  if (behind === undefined) return [];
  return [
    `\t\t@authsvc_behind {`,
    `\t\t\tremote_ip ${behind}`,
    "\t\t\theader_regexp authsvc_client X-Forwarded-For ([^,\\s]+)\\s*$",
    "\t\t}",
    "\t\tvars authsvc_client {remote_host}",
    "\t\tvars @authsvc_behind authsvc_client {re.authsvc_client.1}",
  ];
}

/**
 * What deletes the headers and their aliases. Caddy knows `*` at an end only: for each hyphen, the
 * name up to it, with each other character in its place.
 */
function removedFrom(headers: string[]): string[] {
  const patterns = headers
    .filter((name) => !/authsvc/iu.test(name))
    .flatMap((name) => {
      if (/^remote-/iu.test(name)) return ["-Remote*"];
      const hyphens = [...name.matchAll(/-/gu)].map(({ index }) => index);
      return [
        `-${name}`,
        ...hyphens.flatMap((index) => aliasCharacters.map((other) => `-${name.slice(0, index)}${other}*`)),
      ];
    });
  return ["-*Authsvc*", ...new Set(patterns)];
}

function quoted(token: string): string {
  return token.includes("`") ? `"${token}"` : `\`${token}\``;
}
