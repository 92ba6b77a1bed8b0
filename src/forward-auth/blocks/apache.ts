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

export function apacheBlock(input: BlockInput): Block {
  const { clientId, hosts, upstream, door, behind } = input;
  const file = `authsvc-${clientId}.lua`;
  const program = upstream.protocol === "https:" ? upstream.origin : `${upstream.protocol}//${upstream.host}`;
  const text = textOf([
    "# For Apache 2.4.49 or newer: a2enmod ssl headers proxy proxy_http proxy_http2 remoteip lua, and apt install lua-socket.",
    ...commented([
      "lua-socket has no TLS: the door has to be on this machine, or in a network that nobody else can read.",
      "Within a <Location> of your own, `Require all granted` is refused nonetheless: the script asks first.",
      ...adviceFor(input),
    ]),
    ...hosts.flatMap((host, index) => [
      "",
      `<VirtualHost *:${portOf(host)}>`,
      `    ServerName https://${host}`,
      "    SSLEngine on",
      `    SSLCertificateFile /etc/letsencrypt/live/${nameOfHost(host)}/fullchain.pem`,
      `    SSLCertificateKeyFile /etc/letsencrypt/live/${nameOfHost(host)}/privkey.pem`,
      "    UseCanonicalName On",
      "    ProxyRequests Off",
      "    ProxyPreserveHost On",
      "    ProxyAddHeaders Off",
      ...(upstream.protocol === "https:" || door.protocol === "https:" ? ["    SSLProxyEngine on"] : []),
      ...(behind === undefined ? [] : ["    RemoteIPHeader X-Forwarded-For", `    RemoteIPInternalProxy ${behind}`]),
      `    ProxyPass /.authsvc/ ${door.origin}/.authsvc/ retry=0`,
      `    ProxyPass / ${program}/ retry=0${upstream.protocol === "h2c:" ? "" : " upgrade=websocket"}`,
      "    # An open stream lives until it is silent for this long, also after a sign-out.",
      "    ProxyTimeout 3600",
      "    LuaScope thread",
      `    LuaHookAccessChecker /etc/apache2/${file} host_${index + 1}`,
      "    <Location />",
      "        Require env AUTHSVC_OK",
      "    </Location>",
      "</VirtualHost>",
    ]),
  ]);
  return { text, files: [{ name: file, text: scriptOf(input) }] };
}

function scriptOf({ door, hosts, headers }: BlockInput): string {
  return `-- Asks authsvc whether a request may pass. Whatever fails, Apache denies.
local http = require "socket.http"
local socket = require "socket"
local ltn12 = require "ltn12"

local door = "${door.origin}"
local asked = { ${listed(askedHeaders)} }
local carried = { ${listed(headers)} }
local misleading = { ${listed(misleading)} }
local dropped = { ["connection"] = true, ["transfer-encoding"] = true, ["content-length"] = true, ["keep-alive"] = true }

local function connection()
  local made = socket.tcp()
  made:settimeout(15)
  return made
end

local function encoded(text, kept)
  return (text:gsub("[^" .. kept .. "]", function(byte) return string.format("%%%02X", byte:byte()) end))
end

local function without_own(cookie)
  local kept = {}
  for part in cookie:gmatch("[^;]+") do
    if not part:match("^%s*__Host%-authsvc%-") then kept[#kept + 1] = part:match("^%s*(.-)%s*$") end
  end
  if #kept > 0 then return table.concat(kept, "; ") end
end

-- What anything behind the proxy gets, before anybody is asked.
local function prepare(r, host, given)
  local upgrade = (r.headers_in["Upgrade"] or ""):lower() == "websocket"
  local closes = ("," .. (r.headers_in["Connection"] or ""):lower():gsub("%s", "") .. ","):find(",close,", 1, true)
  r.headers_in["Connection"] = upgrade and "upgrade" or closes and "close" or nil
  if not upgrade then r.headers_in["Upgrade"] = nil end
  for name in pairs(given) do
    local lower = name:lower()
    if name:find("[^%w-]") or lower:find("^x%-authsvc%-") then
      r.headers_in[name] = nil
    end
  end
  for _, name in ipairs(carried) do r.headers_in[name] = nil end
  for _, name in ipairs(misleading) do r.headers_in[name] = nil end
  r.headers_in["Host"] = host
  r.headers_in["X-Forwarded-For"] = r.useragent_ip
  r.headers_in["X-Forwarded-Proto"] = "https"
  r.headers_in["X-Forwarded-Host"] = host
  r.headers_in["X-Real-IP"] = r.useragent_ip
end

local function check(r, host)
  local given = r:headers_in_table()
  if r.filename and r.filename:sub(1, #door + 16) == "proxy:" .. door .. "/.authsvc/" then
    prepare(r, host, given)
    r.subprocess_env["AUTHSVC_OK"] = "1"
    return apache2.OK
  end
  -- The program gets the path in this form, too.
  local uri = encoded(r.uri, "%w%-%._~!$&'()*+,;=:@/") .. (r.args and "?" .. encoded(r.args, "!-~") or "")
  local sent = {
    ["x-forwarded-for"] = r.useragent_ip,
    ["x-forwarded-proto"] = "https",
    ["x-forwarded-host"] = host,
    ["x-forwarded-method"] = r.method,
    ["x-forwarded-uri"] = uri,
    ["user-agent"] = "Apache",
  }
  for _, name in ipairs(asked) do sent[name] = r.headers_in[name] end
  prepare(r, host, given)
  r.headers_in["Authorization"] = nil

  local body = {}
  local done, status, answer = http.request({
    url = door .. "/forward-auth",
    headers = sent,
    sink = ltn12.sink.table(body),
    redirect = false,
    create = connection,
  })
  if not done then return 503 end
  if status ~= 200 then
    for name, value in pairs(answer) do
      if name == "content-type" then r.content_type = value
      elseif not dropped[name] then r.err_headers_out[name] = value end
    end
    r.status = status
    r:write(table.concat(body))
    return apache2.DONE
  end
  if answer["x-authsvc-decision"] ~= host then return 503 end
  r.headers_in["Authorization"] = answer["authorization"]
  for _, name in ipairs(carried) do r.headers_in[name] = answer[name] end
  local cookie = r.headers_in["Cookie"]
  if cookie then r.headers_in["Cookie"] = without_own(cookie) end
  r.subprocess_env["AUTHSVC_OK"] = "1"
  return apache2.OK
end

${hosts.map((host, index) => `function host_${index + 1}(r) return check(r, "${host}") end -- ${labelOf(host)}`).join("\n")}
`;
}

function listed(names: string[]): string {
  return names.map((name) => `"${name.toLowerCase()}"`).join(", ");
}
