import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "openapi-typescript-codegen";
import { rolldown } from "rolldown";
import { afterAll, expect, it } from "vitest";
import { openApiDocument } from "../../support/routes.ts";
import { finish, outputOf } from "../../cli/command.ts";
import { goodPassword, newEmail, Visitor } from "../../support/person.ts";
import { describeOnSqlite } from "../../support/service.ts";

const folder = mkdtempSync(join(tmpdir(), "authsvc-clients-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modules = join(import.meta.dirname, "../../../node_modules");
const pythonModules = ["openapi_python_client", "httpx", "attr", "dateutil.parser"]
  .map((name) => `import ${name}`)
  .join("; ");
const hasPythonGenerator = spawnSync("python3", ["-c", pythonModules]).status === 0;

/**
 * The client needs Go modules, from the module proxy or Go's cache. To install the generator:
 * `go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest`.
 */
const hasGoGenerator = spawnSync("oapi-codegen", ["-version"]).status === 0;
const goConfiguration = `package: authsvc
output: authsvc/client.go
generate: { models: true, client: true }
output-options: { skip-prune: true }
`;

describeOnSqlite("a client generated from the OpenAPI document", (current) => {
  /** A whole sign-in on the hosted page; the code that comes back. */
  async function codeFrom(authUrl: string, email: string): Promise<string> {
    const visitor = new Visitor();
    const form = await visitor.get(`${authUrl}/create-account`);
    const done = await visitor.submit(form, "/create-account", { email, password: goodPassword });
    return done.location.searchParams.get("code") ?? "";
  }

  it("in TypeScript compiles under strict rules, and walks a sign-in from its start to its end", async () => {
    const { url, createApp } = current();
    const app = await createApp();
    const client = join(folder, "typescript");
    mkdirSync(client);
    const input = openApiDocument(url);
    await generate({ input, output: join(client, "client"), httpClient: "fetch", clientName: "Authsvc" });
    writeFileSync(join(client, "walk.ts"), typescriptWalk);
    writeFileSync(join(client, "tsconfig.json"), JSON.stringify(strictTypescript));
    symlinkSync(modules, join(client, "node_modules"));
    const compiled = spawnSync(join(modules, ".bin/tsc"), ["-p", client], { encoding: "utf8" });
    expect(compiled).toMatchObject({ stdout: "", stderr: "", status: 0 });

    const bundle = await rolldown({ input: join(client, "walk.ts"), platform: "node", logLevel: "silent" });
    await bundle.write({ file: join(client, "walk.mjs"), format: "esm" });
    const email = newEmail();
    const walk = (await import(join(client, "walk.mjs"))) as TypescriptWalk;
    const said = await walk.signIn(
      { url, appId: app.id, apiKey: app.apiKey, redirectUri: app.redirectUri },
      (authUrl) => codeFrom(authUrl, email),
    );
    expect(said).toEqual({
      email,
      methods: ["password"],
      scopes: ["profile", "email"],
      keys: ["EC", "RSA"],
      after: 401,
    });
  });

  it("in Python walks a sign-in from its start to its end", async ({ skip }) => {
    skip(!hasPythonGenerator, "there is no python3 with openapi-python-client here");
    const { url, createApp } = current();
    const app = await createApp();
    const document = join(folder, "openapi.json");
    writeFileSync(document, JSON.stringify(openApiDocument(url)));
    const words = ["-m", "openapi_python_client", "generate", "--path", document, "--meta", "none"];
    const options = { cwd: folder, encoding: "utf8" } as const;
    const generated = spawnSync("python3", [...words, "--output-path", join(folder, "client")], options);
    expect(generated).toMatchObject({ status: 0 });
    expect(generated.stdout + generated.stderr).not.toMatch(/Unable|unsupported|Cannot parse/iu);

    writeFileSync(join(folder, "walk.py"), pythonWalk);
    const settings = { URL: url, APP_ID: app.id, API_KEY: app.apiKey, REDIRECT_URI: app.redirectUri };
    const python = spawn("python3", ["-u", join(folder, "walk.py")], {
      cwd: folder,
      env: { ...process.env, ...settings },
    });
    const ended = finish(python);
    const authUrl = (await outputOf(python, /\n/u)).trim();
    const email = newEmail();
    python.stdin.end(`${await codeFrom(authUrl, email)}\n`);
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trim().split("\n").slice(1)).toEqual([email, "PasswordMethod", "EcKey", "INVALID_TOKEN"]);
  });

  it("in Go walks a sign-in from its start to its end", async ({ skip }) => {
    skip(!hasGoGenerator, "there is no oapi-codegen here");
    const { url, createApp } = current();
    const app = await createApp();
    const cwd = join(folder, "go");
    mkdirSync(join(cwd, "authsvc"), { recursive: true });
    writeFileSync(join(cwd, "openapi.json"), JSON.stringify(openApiDocument(url)));
    writeFileSync(join(cwd, "oapi.yaml"), goConfiguration);
    writeFileSync(join(cwd, "go.mod"), "module walk\n");
    copyFileSync(join(import.meta.dirname, "openapi-walk.go"), join(cwd, "walk.go"));
    const env = { ...process.env, GOFLAGS: "-mod=mod" };
    for (const [program, ...words] of [
      ["oapi-codegen", "-config", "oapi.yaml", "openapi.json"],
      ["go", "mod", "tidy"],
      ["go", "build", "-o", "walk", "."],
    ] as const)
      expect(spawnSync(program, words, { cwd, env, encoding: "utf8" }), program).toMatchObject({ status: 0 });

    const settings = { URL: url, APP_ID: app.id, API_KEY: app.apiKey, REDIRECT_URI: app.redirectUri };
    const walk = spawn(join(cwd, "walk"), [], { cwd, env: settings });
    const ended = finish(walk);
    const authUrl = (await outputOf(walk, /\n/u)).trim();
    const email = newEmail();
    walk.stdin.end(`${await codeFrom(authUrl, email)}\n`);
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trim().split("\n").slice(1)).toEqual(["true", email, "password", "EC", "INVALID_TOKEN"]);
  });
});

type Setting = { url: string; appId: string; apiKey: string; redirectUri: string };
type TypescriptWalk = {
  signIn: (setting: Setting, byHand: (authUrl: string) => Promise<string>) => Promise<Record<string, unknown>>;
};

const strictTypescript = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2024",
    module: "preserve",
    moduleResolution: "bundler",
    lib: ["es2024", "dom", "dom.iterable"],
    types: [],
  },
  include: ["walk.ts", "client/**/*.ts"],
};

const typescriptWalk = `import { Authsvc, Scope, type ApiError, type AuthMethod } from "./client/index";

type Setting = { url: string; appId: string; apiKey: string; redirectUri: string };

export async function signIn(setting: Setting, byHand: (authUrl: string) => Promise<string>) {
  const { url: BASE, appId, apiKey, redirectUri } = setting;
  const HEADERS = { "X-Service-App-ID": appId };
  const server = new Authsvc({ BASE, TOKEN: apiKey, HEADERS }).authentication;
  const { authUrl, sessionId } = await server.initiate({ redirectUri, state: "s", scopes: [Scope.PROFILE, Scope.EMAIL] });
  const first = await server.callback({ code: await byHand(authUrl), sessionId, state: "s" });
  const { accessToken: TOKEN, refreshToken } = await server.refresh({ refreshToken: first.refreshToken });
  const user = new Authsvc({ BASE, TOKEN, HEADERS });
  const { scopes } = await user.authentication.validate();
  const { email } = await user.profile.getProfile();
  const { methods } = await user.signInMethods.listAuthMethods();
  const kindOf = (method: AuthMethod): string => method.type;
  const { keys } = await user.service.getKeySet();
  await user.authentication.logout({ refreshToken });
  const after = await user.authentication.validate().catch((error: unknown) => (error as ApiError).status);
  return { email, methods: methods.map(kindOf), scopes, keys: keys.map(({ kty }) => kty), after };
}
`;

const pythonWalk = `import os
from client import AuthenticatedClient
from client.api.authentication import callback, initiate, logout, refresh, validate
from client.api.profile import get_profile
from client.api.service import get_key_set
from client.api.sign_in_methods import list_auth_methods
from client.models import CallbackRequest, InitiateRequest, LogoutRequest, RefreshRequest

def client(token):
    headers = {"X-Service-App-ID": os.environ["APP_ID"]}
    return AuthenticatedClient(base_url=os.environ["URL"], token=token, headers=headers)

server = client(os.environ["API_KEY"])
session = initiate.sync(client=server, body=InitiateRequest(redirect_uri=os.environ["REDIRECT_URI"], state="s"))
print(session.auth_url)
body = CallbackRequest(code=input(), session_id=session.session_id, state="s")
tokens = refresh.sync(client=server, body=RefreshRequest(refresh_token=callback.sync(client=server, body=body).refresh_token))
user = client(tokens.access_token)
assert validate.sync(client=user).valid
print(get_profile.sync(client=user).email)
print(type(list_auth_methods.sync(client=user).methods[0]).__name__)
print(type(get_key_set.sync(client=user).keys[0]).__name__)
logout.sync(client=user, body=LogoutRequest(refresh_token=tokens.refresh_token))
print(validate.sync(client=user).error.code.value)
`;
