import { nameOfHost } from "../../applications/clients/proxy.ts";
import {
  addressOf,
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

export function haproxyBlock(input: BlockInput): Block {
  const { clientId, hosts, door, upstream, behind } = input;
  const ports = [...new Set(hosts.map(portOf))];
  const file = `authsvc-${clientId}.lua`;
  const text = textOf([
    "# haproxy.cfg, for HAProxy 2.6 or newer with Lua.",
    ...commented([
      "A backend asks for each request, whichever frontend leads to it; a server without these lines is open.",
      ...adviceFor(input),
    ]),
    "global",
    `    lua-load /etc/haproxy/${file}`,
    "",
    ...ports.flatMap((port) => {
      const here = hosts.filter((host) => portOf(host) === port);
      return [
        `frontend authsvc-${clientId}-${port}`,
        "    mode http",
        `    bind :${port} ssl crt /etc/haproxy/certs/ alpn h2,http/1.1`,
        "    option http-restrict-req-hdr-names delete",
        "    timeout client 1h",
        "    timeout http-request 30s",
        ...here.flatMap((host) => {
          const names = `{ req.hdr(host),lower -m str ${nameOfHost(host)} ${nameOfHost(host)}:${port} }`;
          return [
            `    use_backend authsvc-pages-${labelOf(host)} if ${names} { path_beg /.authsvc/ }`,
            `    use_backend authsvc-${labelOf(host)} if ${names}`,
          ];
        }),
        "",
      ];
    }),
    ...hosts.flatMap((host) => [
      `backend authsvc-${labelOf(host)}`,
      "    mode http",
      "    option http-restrict-req-hdr-names delete",
      "    timeout connect 5s",
      "    # An open stream lives until it is silent for this long, also after a sign-out.",
      "    timeout server 1h",
      "    timeout tunnel 1h",
      "    http-request set-var(txn.authsvc) str(no)",
      ...requestLines(host, behind),
      `    http-request lua.authsvc_${doorFunction(clientId)} ${host}`,
      "    http-request deny deny_status 503 unless { var(txn.authsvc) -m str ok }",
      `    server program ${addressOf(upstream)}${serverOptions(upstream)}`,
      "",
      `backend authsvc-pages-${labelOf(host)}`,
      "    mode http",
      "    option http-restrict-req-hdr-names delete",
      "    timeout connect 5s",
      "    timeout server 30s",
      ...requestLines(host, behind),
      `    server authsvc ${addressOf(door)}${serverOptions(door)}`,
      "",
    ]),
  ]);
  return { text, files: [{ name: file, text: scriptOf(input) }] };
}

/** The request that anything behind the proxy gets, before anybody is asked. */
function requestLines(host: string, behind: string | undefined): string[] {
  return [
    // An absolute request line names a host of its own.
    "    http-request set-uri %[pathq]",
    `    http-request set-header Host ${host}`,
    "    http-request del-header Connection",
    "    http-request set-header Connection upgrade if { req.hdr(upgrade),lower -m str websocket }",
    "    http-request del-header Upgrade unless { req.hdr(upgrade),lower -m str websocket }",
    "    http-request set-var(txn.authsvc_client) src",
    ...(behind === undefined
      ? []
      : [
          `    http-request set-var(txn.authsvc_client) req.hdr_ip(x-forwarded-for,-1) if { src ${behind} } { req.hdr_ip(x-forwarded-for,-1) -m found }`,
        ]),
    ...misleading.map((name) => `    http-request del-header ${name}`),
    "    http-request set-header X-Forwarded-For %[var(txn.authsvc_client)]",
    "    http-request set-header X-Forwarded-Proto https",
    `    http-request set-header X-Forwarded-Host ${host}`,
    "    http-request set-header X-Real-IP %[var(txn.authsvc_client)]",
  ];
}

function serverOptions({ protocol, hostname }: URL): string {
  if (protocol === "h2c:") return " proto h2";
  if (protocol === "https:") return ` ssl verify required ca-file @system-ca sni str(${hostname})`;
  return "";
}

/** Names of Lua actions have no other characters. */
function doorFunction(clientId: string): string {
  return clientId.replace(/[^A-Za-z\d]/gu, "_");
}

function scriptOf({ clientId, door, headers }: BlockInput): string {
  return `-- Asks authsvc whether a request may pass. Whatever fails, HAProxy denies.
local door = "${door.origin}/forward-auth"
local asked = { ${listed(askedHeaders)}, "x-forwarded-for" }
local carried = { ${listed(headers)} }

local function without_own(cookie)
  local kept = {}
  for part in cookie:gmatch("[^;]+") do
    if not part:match("^%s*__Host%-authsvc%-") then kept[#kept + 1] = part:match("^%s*(.-)%s*$") end
  end
  return table.concat(kept, "; ")
end

local function values(list)
  local found, index = {}, 0
  while list and list[index] do
    found[index + 1] = list[index]
    index = index + 1
  end
  return found
end

core.register_action("authsvc_${doorFunction(clientId)}", { "http-req" }, function(txn, host)
  local http = txn.http
  local given = http:req_get_headers()
  local headers = {
    ["x-forwarded-proto"] = { "https" },
    ["x-forwarded-host"] = { host },
    ["x-forwarded-method"] = { txn.f:method() },
    ["x-forwarded-uri"] = { txn.f:pathq() },
  }
  for _, name in ipairs(asked) do
    if given[name] then headers[name] = values(given[name]) end
  end
  http:req_del_header("authorization")
  for name in pairs(given) do
    if name:match("^x%-authsvc%-") then http:req_del_header(name) end
  end
  for _, name in ipairs(carried) do http:req_del_header(name) end

  local answer = core.httpclient():get({ url = door, headers = headers, timeout = 15000 })
  if answer == nil or answer.status == nil or answer.status < 200 then return end
  local decision = values(answer.headers["x-authsvc-decision"])
  if answer.status ~= 200 then
    local passed = {}
    for name in pairs(answer.headers) do
      if name ~= "connection" and name ~= "transfer-encoding" and name ~= "content-length" and name ~= "keep-alive" then
        passed[name] = values(answer.headers[name])
      end
    end
    txn:done(txn:reply({ status = answer.status, headers = passed, body = answer.body }))
    return
  end
  if #decision ~= 1 or decision[1] ~= host then return end
  local function set(name)
    local value = values(answer.headers[name])
    if #value == 1 then http:req_set_header(name, value[1]) end
  end
  set("authorization")
  for _, name in ipairs(carried) do set(name) end
  if given["cookie"] then
    http:req_del_header("cookie")
    for _, cookie in ipairs(values(given["cookie"])) do
      local kept = without_own(cookie)
      if kept ~= "" then http:req_add_header("cookie", kept) end
    end
  end
  txn:set_var("txn.authsvc", "ok")
end, 1)
`;
}

function listed(names: string[]): string {
  return names.map((name) => `"${name.toLowerCase()}"`).join(", ");
}
