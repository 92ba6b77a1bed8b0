// A command-line program that signs in by the device grant (RFC 8628), with Node alone:
//   ISSUER=http://localhost:8080 CLIENT_ID=shop-cli node cli.js login | whoami | logout
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const { ISSUER: issuer = "http://localhost:8080", CLIENT_ID: clientId = "shop-cli" } = process.env;
const file = process.env.TOKEN_FILE ?? join(homedir(), ".config", clientId, "refresh-token");
const scope = "openid email offline_access";

const busy = { error: "slow_down", error_description: "The service does not answer. Try again in a minute." };

/** Posts a form. A refusal is an answer with `error`. */
async function post(path, fields) {
  const body = new URLSearchParams({ client_id: clientId, ...fields });
  const response = await fetch(issuer + path, { method: "POST", body }).catch(() => undefined);
  return response === undefined || response.status === 429 || response.status >= 500 ? busy : await response.json();
}

/** Only this user can read the file, and it is never half written. */
async function keep(refreshToken) {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, refreshToken, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function login() {
  const device = await post("/oauth2/device_authorization", { scope });
  if (device.error) throw new Error(device.error_description);
  console.log(`Open ${device.verification_uri} and enter ${device.user_code}`);
  console.log(`or open ${device.verification_uri_complete}`);
  for (let seconds = device.interval; ;) {
    await wait(seconds * 1000);
    const tokens = await post("/oauth2/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: device.device_code,
    });
    if (tokens.error === "slow_down") seconds += 5;
    else if (tokens.error && tokens.error !== "authorization_pending") throw new Error(tokens.error_description);
    else if (!tokens.error) {
      await keep(tokens.refresh_token);
      return await whoami(tokens.access_token);
    }
  }
}

/** Each refresh token works once: the next one is stored before anything else happens. */
async function accessToken() {
  const stored = await readFile(file, "utf8").catch(() => undefined);
  if (stored === undefined) throw new Error("You are not signed in: run login.");
  const tokens = await post("/oauth2/token", { grant_type: "refresh_token", refresh_token: stored });
  if (tokens.error === "invalid_grant") {
    await rm(file);
    throw new Error("Your sign-in has ended: run login.");
  }
  if (tokens.error) throw new Error(tokens.error_description);
  await keep(tokens.refresh_token);
  return tokens.access_token;
}

async function whoami(token) {
  const headers = { authorization: `Bearer ${token ?? (await accessToken())}` };
  const response = await fetch(`${issuer}/oauth2/userinfo`, { headers });
  if (!response.ok) throw new Error("Your sign-in has ended: run login.");
  console.log(`You are signed in as ${(await response.json()).email}`);
}

async function logout() {
  const stored = await readFile(file, "utf8").catch(() => undefined);
  if (stored !== undefined) await post("/oauth2/revoke", { token: stored });
  await rm(file, { force: true });
  console.log("You are signed out.");
}

const commands = { login, whoami, logout };
const command = commands[process.argv[2]];
try {
  if (!command) throw new Error(`Use one of: ${Object.keys(commands).join(", ")}`);
  await command();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
