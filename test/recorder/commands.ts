import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Filled } from "./fill.ts";
import type { Recording } from "./recording.ts";

/**
 * Every command that touches data; what changes something also as a dry run, and as JSON.
 *
 * Not recorded: init, serve, health, dev, top, logs, breached-passwords, bench, update,
 * completion, openapi, version, config and doctor touch no data of the service, or show this
 * machine and moment. master-key rotate, db restore, db copy and db migrate need the service
 * stopped, and their own tests compare whole databases.
 */
export async function recordCommands(recording: Recording, { bob, carl }: Filled): Promise<void> {
  const { act, command, folder, receiverUrl } = recording;
  const run = async (line: string, input = ""): Promise<string> =>
    (await act(line, async () => await command(words(line), input)))?.stdout ?? "";
  const change = async (line: string, input = ""): Promise<string> => {
    await run(`${line} --yes --dry-run`, input);
    return await run(`${line} --yes --json`, input);
  };
  const read = async (line: string): Promise<void> => {
    await run(line);
    await run(`${line} --json`);
  };
  const json = (text: string): Record<string, unknown> =>
    JSON.parse(text === "" ? "{}" : text) as Record<string, unknown>;

  for (const line of [
    "app list",
    "app show app_shop",
    "app show nothing",
    "app provider list app_shop",
    "key list",
    "client list --app app_shop",
  ])
    await read(line);
  for (const id of ["web", "asks", "spa", "native", "device", "machine", "bound"]) await read(`client show ${id}`);
  for (const line of [
    "client secret list web",
    "client credential list machine",
    "resource list --app app_shop",
    "resource show https://api.shop.example",
    "webhook list",
    "webhook show whe_shop",
    "webhook deliveries whe_shop",
    "user list --app app_shop",
    "group list --app app_shop",
    "group show staff --app app_shop",
    "operator list",
    "signing-key list",
    "revocation list --app app_shop",
    "user export --app app_shop",
    "export",
    "plan --schema",
    "db status",
    "db check",
  ])
    await read(line);
  for (const name of ["ada", "bob", "carl", "dora", "eve"]) {
    for (const verb of ["show", "logins", "factors", "trusted-browsers", "consents", "metadata"])
      await read(`user ${verb} ${name}@example.org`);
  }

  await change("app create --id app_new --name 'New one' --redirect-uri https://new.example/cb");
  for (const flags of [
    "--name Shop",
    "--domain shop.example",
    "--add-redirect-uri https://shop.example/other",
    "--remove-redirect-uri https://shop.example/other",
    "--methods passkey,password",
    "--passkey-required on",
    "--passkey-required off",
    "--methods passkey,password,oauth",
    "--providers google",
    "--logo https://shop.example/logo.png --primary-color #1d4ed8 --company-name Acme",
    "--terms-url https://shop.example/t --privacy-url https://shop.example/p --support-url https://shop.example/s --home-url https://shop.example/",
    "--sign-up closed",
    "--sign-up open",
    "--email-code off",
    "--password-min-length 12",
    "--password-min-length 3",
    "--scopes profile,email",
    "--scopes profile,email,groups",
    `--claims '[{"claim":"roles","from":"groups","in":["access","id","userinfo"]},{"claim":"plan","from":"public.plan","in":["access"]}]'`,
    "--signing-algorithm EdDSA",
    "--query-endpoints off",
    "--public-clients off",
    "--public-clients on --query-endpoints on",
    "--single-sign-on off",
    "--single-sign-on 1h --refresh-grace 1m",
    "--second-factor required",
    "--second-factor off",
    "--second-factor optional --trust-browsers 2d",
    "--client-documents any",
    "--client-documents off",
    "--relying-party-id shop.example",
    "--mail-name 'Shop mails'",
    "--limit authentication=1000000 webhooks=500",
    "--limit authentication=default",
    "--name ''",
    "--second-factor sometimes",
  ])
    await change(`app update app_shop ${flags}`);
  await change("app provider set app_shop github --client-id gh --client-secret-stdin", "github-secret");
  await change(
    "app provider set app_shop corp --issuer https://id.corp.example --client-id shop --client-secret-stdin --trusts-email off --trusts-second-factor amr=mfa --email-claim upn",
    "s",
  );
  await change("app provider remove app_shop github");
  const key = json(await change("key create --app app_shop --label two"));
  await change("key rotate --app app_new --overlap 1h");
  await change(`key revoke ${String(key["keyId"] ?? key["id"])}`.replace(" --dry-run", ""));
  for (const flags of [
    "--name Web --post-logout-redirect-uri https://web.example/out",
    "--redirect-uri https://web.example/cb https://web.example/cb2",
    "--scope openid profile",
    "--scope openid profile email offline_access",
    "--resource https://archive.shop.example",
    "--exchange-to https://archive.shop.example",
    "--audience-of https://api.shop.example",
    "--consent ask",
    "--consent none --require-pkce on --assertion-audience any",
    "--id-token-alg ES256 --id-token-claims minimal --refresh-tokens always",
    "--device-grant on",
    "--allowed-groups staff",
    "--allowed-groups nobody",
    "--second-factor required --dpop required --dpop-nonce on",
    "--second-factor off --dpop off --dpop-nonce off",
    "--profile fapi2",
    "--profile none",
    "--backchannel-logout-uri ''",
    "--enabled off",
    "--enabled on",
  ])
    await change(`client update web ${flags}`);
  for (const kind of ["spa", "native", "device", "machine"]) {
    for (const flags of [
      "--name Renamed",
      "--require-pkce off",
      "--device-grant on",
      "--dpop optional --dpop-nonce on",
      "--consent ask",
      "--second-factor optional",
    ])
      await change(`client update ${kind} ${flags}`);
  }
  const made = json(await change("client secret create web"));
  await change("client secret rotate web");
  await change(`client secret revoke ${String(made["secretId"] ?? made["id"])}`);
  const credential = json(
    await change("client credential add machine --issuer https://issuer.example --subject repo:acme"),
  );
  await change(`client credential remove machine ${String(credential["credentialId"] ?? credential["id"])}`);
  await change("client block https://other.example/client.json");
  await read("client list --app app_shop");
  await change("client unblock https://other.example/client.json");
  await change(
    "resource update https://archive.shop.example --name Archive --scope read=Read erase=Erase --access-token-seconds 300 --client-documents on",
  );
  await change(`webhook create --app app_shop --id whe_two --url ${receiverUrl}/two --events user.login`);
  await change(`webhook update whe_two --url ${receiverUrl}/changed --events user.login,user.logout`);
  await change("webhook update whe_two --enabled off");
  await change("webhook update whe_two --enabled on");
  await change("webhook rotate-secret whe_two");
  await run("webhook test whe_two --json");
  await run("webhook redeliver whe_two --failed --json");
  await change("webhook delete whe_two");

  const created = json(await change("user create --app app_shop --email gus@example.org --name Gus --verified"));
  await change("user create --app app_shop --email gus@example.org");
  await change("user update gus@example.org --name Gustav --picture https://shop.example/gus.png");
  await change("user update gus@example.org --email gustav@example.org");
  await change("user update gustav@example.org --verified");
  await change("user update gustav@example.org --unverified");
  await change("user update gustav@example.org --email ada@example.org");
  await change(`user update ${String(created["id"])} --name ''`);
  await change('user metadata gustav@example.org --public {"plan":"pro"} --private {"n":1}');
  await change('user metadata gustav@example.org --public {"plan":null}');
  await change("user invite --app app_shop --email hal@example.org --name Hal --locale de");
  await change("user invite --app app_shop --email hal@example.org --link");
  await change("user reset-link ada@example.org");
  await change("user reset-link ada@example.org --send");
  await change("user recovery-link bob@example.org");
  await change("group create more --app app_shop");
  await change("group add more ada@example.org carl@example.org --app app_shop");
  await change("group update more --app app_shop --second-factor required");
  await change("group update more --app app_shop --second-factor off");
  await change("group remove more carl@example.org --app app_shop");
  await change("group delete more --app app_shop");
  await change("token mint --user ada@example.org --scopes profile --ttl 1h");
  const minted = json(await change("token mint --user ada@example.org --actor Support --reason ticket"));
  const token = String(minted["accessToken"] ?? minted["token"]);
  await run(`token verify ${token} --app app_shop`);
  await run(`token inspect ${token}`);
  await change(`token revoke ${token}`);
  await change("user consents ada@example.org --end asks");
  await change("user trusted-browsers bob@example.org --end-all");
  await change("user reset-factors bob@example.org");
  const method = (json(await run("user show carl@example.org --json"))["methods"] as { id: string }[] | undefined)?.[0]
    ?.id;
  await change(`user remove-method carl@example.org ${method}`);
  await change(`user remove-method carl@example.org ${method} --even-last`);
  await change("user disable ada@example.org");
  await change("user enable ada@example.org");
  await change("user unblock bob@example.org");
  await change("user revoke-logins bob@example.org");
  await change("user delete gustav@example.org");
  await change(`user delete ${String(carl?.user.id ?? bob?.user.id)}`);

  const lines = [
    { email: "ida@example.org", name: "Ida", emailVerified: true },
    { email: "jim@example.org", passwordHash: "$2b$04$abcdefghijklmnopqrstuu5S8q9n1u0m0m0m0m0m0m0m0m0m0m0m0" },
    { email: "nonsense" },
  ];
  writeFileSync(join(folder, "users.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
  await change("user import users.jsonl --app app_new");
  writeFileSync(join(folder, "good.jsonl"), JSON.stringify(lines[0]));
  await change("user import good.jsonl --app app_new");
  for (const role of ["viewer", "support", "owner"]) {
    await change(`operator invite --email ${role}@example.org --role ${role} --name ${role}`);
  }
  await change("operator invite --email other@example.org --role owner --link");
  await change("operator update viewer@example.org --role support");
  await change("operator networks --allow 10.0.0.0/8");
  await change("operator networks --any");
  await change("operator remove viewer@example.org");
  await run("mail test --app app_shop --to ada@example.org --kind reset --language de --json");
  await change("signing-key rotate");
  await change("signing-key rotate --now");
  await read("signing-key list");
  const state = await run("export --yes");
  writeFileSync(join(folder, "state.yaml"), state.replace("name: New one", "name: Newer one"));
  await read("plan state.yaml");
  await change("apply state.yaml");
  await run("db backup backup.db --json");
  for (const line of [
    "audit list --limit 1000",
    "audit list --app app_shop --result failure",
    "revocation list --app app_shop",
    "user export --app app_shop",
  ])
    await read(line);
  await change("client delete spa");
  await change("resource delete https://archive.shop.example");
  await change("app delete app_new");
  await change("app delete app_shop");
  await read("audit list --limit 30");
}

/** The words of a line with single quotes. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}
