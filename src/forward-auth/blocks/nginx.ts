import { nameOfHost } from "../../applications/clients/proxy.ts";
import { loginCookie } from "../cookies.ts";
import {
  addressOf,
  adviceFor,
  commented,
  labelOf,
  misleading,
  portOf,
  textOf,
  type Block,
  type BlockInput,
} from "./block.ts";

/** A text for each host: what is inside its server block, or a panel's field. */
export function nginxBlock(input: BlockInput): Block {
  const [first = "", ...others] = input.hosts;
  return {
    text: serverText(input, first),
    files: others.map((host) => ({ name: `authsvc-${labelOf(host)}.conf`, text: serverText(input, host) })),
  };
}

function serverText(input: BlockInput, host: string): string {
  const { door, upstream, behind, headers } = input;
  const cookie = loginCookie(host);
  const toDoor = doorLines(door, host);
  const isH2c = upstream.protocol === "h2c:";
  const pass = isH2c ? `grpc_pass grpc://${addressOf(upstream)}` : `proxy_pass ${upstream.protocol}//${upstream.host}`;
  const set = isH2c ? "grpc_set_header" : "proxy_set_header";
  return textOf([
    `# ${host}, for nginx with auth_request: inside its server block, or a panel's field for custom configuration.`,
    ...commented([
      "",
      "server {",
      `    listen ${portOf(host)} ssl http2;`,
      `    server_name ${nameOfHost(host)};`,
      `    ssl_certificate     /etc/letsencrypt/live/${nameOfHost(host)}/fullchain.pem;`,
      `    ssl_certificate_key /etc/letsencrypt/live/${nameOfHost(host)}/privkey.pem;`,
      `    include /etc/nginx/authsvc-${labelOf(host)}.conf;`,
      "}",
      "",
      "A further location belongs inside `location /`, which hands its headers down: this one asks first, too, but",
      "the program would not learn who it is. `auth_request off` there lets everybody in.",
      ...adviceFor(input),
    ]),
    "",
    ...(behind === undefined
      ? []
      : [`set_real_ip_from ${behind};`, "real_ip_header X-Forwarded-For;", "real_ip_recursive off;", ""]),
    "auth_request /.authsvc-check;",
    "auth_request_set $authsvc_authorization $upstream_http_authorization;",
    ...headers.map((name, index) => `auth_request_set $authsvc_${index} $upstream_http_${variableOf(name)};`),
    "error_page 401 = @authsvc_start;",
    "error_page 403 = @authsvc_refused;",
    "",
    "set $authsvc_cookie $http_cookie;",
    `if ($http_cookie ~ "^(?:${cookie}=[^;]*(?:; *|$)|(.*?); *${cookie}=[^;]*(?=;|$))(.*)$") {`,
    "    set $authsvc_cookie $1$2;",
    "}",
    'set $authsvc_connection "";',
    'set $authsvc_upgrade "";',
    'if ($http_upgrade ~* "^websocket$") {',
    "    set $authsvc_connection upgrade;",
    "    set $authsvc_upgrade websocket;",
    "}",
    "",
    "location / {",
    "    satisfy all;",
    `    ${pass};`,
    ...(isH2c ? [] : ["    proxy_http_version 1.1;", "    proxy_intercept_errors off;"]),
    ...(upstream.protocol === "https:" ? ["    proxy_ssl_server_name on;"] : []),
    `    ${set} Host ${host};`,
    ...(isH2c ? [] : [`    ${set} Connection $authsvc_connection;`, `    ${set} Upgrade $authsvc_upgrade;`]),
    `    ${set} X-Forwarded-For $remote_addr;`,
    `    ${set} X-Forwarded-Proto https;`,
    `    ${set} X-Forwarded-Host ${host};`,
    `    ${set} X-Real-IP $remote_addr;`,
    ...misleading.map((name) => `    ${set} ${name} "";`),
    `    ${set} Cookie $authsvc_cookie;`,
    `    ${set} Authorization $authsvc_authorization;`,
    ...headers.map((name, index) => `    ${set} ${name} $authsvc_${index};`),
    `    ${set} X-Authsvc-Decision "";`,
    "    client_max_body_size 0;",
    ...(isH2c
      ? ["    grpc_read_timeout 1h;"]
      : [
          "    proxy_request_buffering off;",
          "    proxy_buffering off;",
          "    # An open stream lives until it is silent for this long, also after a sign-out.",
          "    proxy_read_timeout 1h;",
          "    proxy_send_timeout 1h;",
        ]),
    "}",
    "location = /.authsvc-check {",
    "    internal;",
    "    auth_request off;",
    `    proxy_pass ${door.origin}/auth-request;`,
    ...toDoor,
    "    proxy_set_header X-Original-Method $request_method;",
    `    proxy_set_header X-Original-Url https://${host}$request_uri;`,
    "}",
    ...(["start", "refused"] as const).flatMap((page) => [
      `location @authsvc_${page} {`,
      "    auth_request off;",
      `    rewrite ^ /.authsvc/${page}? break;`,
      `    proxy_pass ${door.origin};`,
      "    proxy_method GET;",
      ...toDoor,
      "    proxy_set_header X-Original-Method $request_method;",
      `    proxy_set_header X-Original-Url https://${host}$request_uri;`,
      "}",
    ]),
    "location ^~ /.authsvc/ {",
    "    auth_request off;",
    `    proxy_pass ${door.origin};`,
    ...doorLines(door, host, true),
    ...misleading.map((name) => `    proxy_set_header ${name} "";`),
    "}",
  ]);
}

function doorLines(door: URL, host: string, withBody = false): string[] {
  return [
    "    proxy_http_version 1.1;",
    "    proxy_intercept_errors off;",
    ...(withBody
      ? []
      : ["    proxy_pass_request_body off;", '    proxy_set_header Content-Length "";', "    client_max_body_size 0;"]),
    ...(withBody ? [] : ["    proxy_request_buffering off;"]),
    "    proxy_buffer_size 16k;",
    "    proxy_buffers 8 16k;",
    "    proxy_busy_buffers_size 32k;",
    ...(door.protocol === "https:"
      ? [
          "    proxy_ssl_verify on;",
          "    proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;",
          "    proxy_ssl_server_name on;",
        ]
      : []),
    `    proxy_set_header Host ${host};`,
    '    proxy_set_header Connection "";',
    "    proxy_set_header X-Forwarded-For $remote_addr;",
    "    proxy_set_header X-Forwarded-Proto https;",
    `    proxy_set_header X-Forwarded-Host ${host};`,
  ];
}

function variableOf(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}
