import { generateKeyPairSync, hash, sign } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createTestDatabase } from "../support/postgres.ts";
import { answer, authsvc } from "../cli/in-process.ts";
import { emptyFolder } from "../cli/command.ts";
import { blocksOf } from "./pages.ts";

/**
 * The place in which the blocks of the pages are run: an installation with something of everything.
 */
export type Installation = { folder: string; files: string; apiKey: string; ids: Record<string, string> };

const serviceConfig = `baseUrl: https://auth.example.com
trustedProxies: [127.0.0.1]
webhooks:
  allowPrivateNetworks: true
`;

const secrets = {
  SHOP_API_KEY: `shop-key.${"0123456789".repeat(4)}`,
  BLOG_API_KEY: `blog-key.${"0123456789".repeat(4)}`,
  SHOP_WEBHOOK_SECRET: "a webhook secret of some length",
  GITHUB_CLIENT_SECRET: "github secret",
  WIKI_CLIENT_SECRET: `wiki-secret.${"0123456789".repeat(4)}`,
};

/** Makes it once; `receiver` is an address that takes webhooks. */
export async function prepareInstallation(receiver: string): Promise<Installation> {
  const folder = emptyFolder();
  const put = (name: string, text: string | Buffer): void => writeFileSync(join(folder, name), text);
  const json = async (...args: string[]) => (await answer(args, { cwd: folder })) as Record<string, string>;
  const apiKey = `key-of-the-shop.${"0123456789".repeat(3)}`;
  put("key.txt", apiKey);
  put("secret.txt", "hush-hush-hush-hush");
  put("password.txt", "correct horse battery");
  put("pwned-passwords.txt", `${"0123456789".repeat(4)}:3\n`);
  for (const name of ["google", "github", "microsoft", "discord", "facebook", "corp"]) put(`${name}.txt`, "hush-hush");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  put("AuthKey.p8", privateKey.export({ type: "pkcs8", format: "pem" }));
  const signing = generateKeyPairSync("ed25519");
  put("bank-keys.json", JSON.stringify({ keys: [signing.publicKey.export({ format: "jwk" })] }));
  const sums = `${hash("sha256", "hush-hush-hush-hush")}  secret.txt\n${hash("sha256", "")}  not-downloaded.tar.gz\n`;
  put("SHA256SUMS", sums);
  put("SHA256SUMS.sig", sign(null, Buffer.from(sums), signing.privateKey));
  put("release-key.pem", signing.publicKey.export({ type: "spki", format: "pem" }));
  mkdirSync(join(folder, "dist/release"), { recursive: true });
  put("dist/release/SHA256SUMS", sums);
  put("users.jsonl", '{"email":"imported@example.org"}\n');
  put("users.json", '{"users":[{"localId":"ada","email":"ada@example.org","createdAt":"1486324170123"}]}');
  put("firebase.jq", blocksOf("docs/migrating.md").find(({ language }) => language === "jq")?.text ?? "");
  put("hash-config.txt", firebaseParameters);
  put("github-secret.txt", "github secret");
  const yaml = blocksOf("docs/applications-as-code.md").find(({ language }) => language === "yaml")?.text ?? "";
  put("applications.yaml", yaml.replace("file:secrets/github", "file:github-secret.txt"));

  const files = emptyFolder();
  cpSync(folder, files, { recursive: true });
  put("config.yaml", serviceConfig);
  // What development mode keeps for its demo application; here, where the pages name that one, it
  // is the shop's.
  mkdirSync(join(folder, "data"), { recursive: true, mode: 0o700 });
  put("data/demo-api-key", apiKey);
  await json(
    "app",
    "create",
    "--name",
    "My shop",
    "--id",
    "app_shop",
    "--redirect-uri",
    "https://shop.example.com/callback",
    "--redirect-uri",
    "http://localhost:3000/callback",
    "--api-key-file",
    "key.txt",
  );
  await json("app", "update", "app_shop", "--sign-up", "closed");
  // Imported, because only its owner sets a second factor up.
  const password = { hash: "$2b$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2" };
  put("grace.jsonl", JSON.stringify({ email: "grace@example.com", password, totpSecret: "GEZDGNBVGY3TQOJQ" }));
  await json("user", "import", "grace.jsonl", "--app", "app_shop");
  const waiting = ["usr_waits_1", "usr_waits_2"].map((id) =>
    JSON.stringify({ id, email: `${id}@example.com`, emailVerified: true, state: "pending" }),
  );
  put("waiting.jsonl", waiting.join("\n"));
  await json("user", "import", "waiting.jsonl", "--app", "app_shop");
  const user = await json("user", "show", "--email", "grace@example.com", "--app", "app_shop");
  const shown = (await answer(["user", "show", user["id"] ?? ""], { cwd: folder })) as { methods: { id: string }[] };
  await json("user", "create", "--email", "bob@acme.example", "--app", "app_shop");
  await json("group", "create", "admins", "--app", "app_shop");
  await json("client", "create", "--app", "app_shop", "--name", "Wiki", "--id", "wiki");
  const key = await json("key", "create", "--app", "app_shop");
  const minted = await json("token", "mint", "--user", user["id"] ?? "");
  put("token.txt", minted["accessToken"] ?? "");
  const events = ["--events", "user.login", "--secret-file", "secret.txt"];
  const endpoint = await json("webhook", "create", "--app", "app_shop", "--url", receiver, ...events);
  await json("db", "backup", "some.backup");
  const [signingKey] = (await answer(["signing-key", "list", "--json"], { cwd: folder })) as { kid: string }[];
  const ids = {
    "Zx3…": signingKey?.kid ?? "",
    "usr_01k…": user["id"] ?? "",
    "usr_01p…": "usr_waits_1",
    "usr_01q…": "usr_waits_2",
    "mth_01k…": shown.methods[0]?.id ?? "",
    "key_01k…": key["id"] ?? "",
    "lgn_01k…": minted["loginId"] ?? "",
    "whe_…": endpoint["id"] ?? "",
  };
  return { folder, files, apiKey, ids };
}

const firebaseParameters = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
`;

/**
 * A block as it is run, and where: placeholders filled in, and absolute paths below the scratch
 * folder.
 */
export async function surroundingsOf(
  text: string,
  { folder, files, apiKey, ids }: Installation,
): Promise<{ cwd: string; script: string; env: Record<string, string> }> {
  const cwd = emptyFolder();
  // What begins an installation finds the files of its author, and none yet.
  const isFirst = /authsvc init|--id app_shop|serve --dev|> config\.yaml|authsvc apply/u.test(text);
  cpSync(isFirst ? files : folder, cwd, { recursive: true });
  const env: Record<string, string> = {
    ...secrets,
    API_KEY: apiKey,
    AUTHSVC_LISTEN__PORT: "0",
    AUTHSVC_LOG__LEVEL: "silent",
  };
  if (text.includes("authsvc organization") || text.includes("--sign-up-"))
    Object.assign(env, { AUTHSVC_MAIL__SMTP_URL: "smtp://127.0.0.1:9", AUTHSVC_MAIL__FROM: "auth@auth.example.com" });
  const machine = join(cwd, "machine");
  const put = (path: string, write: (file: string) => void): void => {
    mkdirSync(dirname(join(machine, path)), { recursive: true });
    write(join(machine, path));
  };
  put("etc/authsvc/config.yaml", (file) => writeFileSync(file, `${serviceConfig}data: ${join(cwd, "data")}\n`));
  if (!isFirst) put("var/backups/authsvc.backup", (file) => cpSync(join(folder, "some.backup"), file));
  if (text.includes("database-url")) {
    const url = await createTestDatabase();
    put("run/secrets/database-url", (file) => writeFileSync(file, url));
  }
  if (text.includes("--to sqlite:")) {
    const urlFile = join(cwd, "database-url");
    writeFileSync(urlFile, await createTestDatabase());
    const copied = await authsvc(["db", "copy", "--to-file", urlFile, "--yes"], { cwd });
    if (copied.code !== 0) throw new Error(copied.stderr);
    env["AUTHSVC_DATABASE__URL_FILE"] = urlFile;
    env["AUTHSVC_MASTER_KEY_FILE"] = join(cwd, "data/master.key");
  }
  let script = text;
  for (const [placeholder, value] of Object.entries(ids)) script = script.replaceAll(placeholder, value);
  script = script
    .replaceAll(/(?<=^|[\s"'=:])\/(?=(?:var|etc|run|usr|opt|mnt|srv)\/)/gmu, `${machine}/`)
    .replaceAll("app_demo", "app_shop")
    .replaceAll("whsec_…", `whsec_${Buffer.alloc(32, 7).toString("base64")}`)
    // Each figure of the measurement takes as long as it is told.
    .replaceAll(/authsvc bench(?: --seconds \d+)?/gu, "authsvc bench --seconds 1");
  for (const [path] of script.matchAll(new RegExp(`${machine}/[\\w./-]+`, "gu")))
    mkdirSync(dirname(path), { recursive: true });
  for (const [, path = ""] of script.matchAll(/~\/([\w./-]+)/gu))
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
  return { cwd, script, env };
}
