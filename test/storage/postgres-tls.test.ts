import { chmodSync, chownSync, copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open.ts";
import { emptyFolder } from "../cli/command.ts";
import { serverAccount } from "../support/postgres-binaries.ts";
import { createPostgresFolder, startPostgres, type Postgres } from "../support/postgres.ts";
import { writeCertificate } from "../support/tls-files.ts";

// An address of its own: the port is the same for every server of these tests.
const address = `127.${process.pid % 250}.${Math.floor(process.pid / 250) % 250}.77`;
const database = `${address}/postgres`;

// macOS has 127.0.0.1 only.
describe.skipIf(process.platform !== "linux")("PostgreSQL over a network", () => {
  const folder = createPostgresFolder();
  const authority = join(folder, "cert.pem");
  let postgres: Postgres;

  beforeAll(async () => {
    await writeCertificate(folder, { name: address, address });
    writeFileSync(
      join(folder, "hba.conf"),
      "local all all trust\nhost all by_scram all scram-sha-256\nhost all by_password all password\n",
    );
    handToServer("cert.pem", "key.pem", "hba.conf");
    const tls = ["ssl=on", `ssl_cert_file=${authority}`, `ssl_key_file=${join(folder, "key.pem")}`];
    postgres = await startPostgres(folder, [`listen_addresses=${address}`, `hba_file=${folder}/hba.conf`, ...tls]);
    await administer("CREATE ROLE by_scram LOGIN SUPERUSER PASSWORD 'right'");
    await administer("CREATE ROLE by_password LOGIN SUPERUSER PASSWORD 'right'");
  });

  afterAll(async () => postgres.stop());

  it("is used with sslmode=verify-full when its certificate is signed by the authority and names the host", async () => {
    await reach(`postgres://by_scram:right@${database}?sslmode=verify-full&sslrootcert=${authority}`);
    await reach(`postgres://by_password:right@${database}?sslmode=verify-full&sslrootcert=${authority}`);
  });

  it("is verified with sslmode=require as well, without a word of the driver's", async () => {
    const said: string[] = [];
    const note = ({ message }: Error): void => void said.push(message);
    process.on("warning", note);
    try {
      for (const mode of ["prefer", "require", "verify-ca"]) {
        await reach(`postgres://by_scram:right@${database}?sslmode=${mode}&sslrootcert=${authority}`);
        await expect(reach(`postgres://by_scram:right@${database}?sslmode=${mode}`)).rejects.toThrow(/self-signed/u);
      }
      await new Promise((later) => setImmediate(later));
    } finally {
      process.off("warning", note);
    }
    expect(said.filter((message) => message.includes("SSL"))).toEqual([]);
  });

  it("hears no password when its certificate is signed by another authority, or names another host", async () => {
    const unknown = `postgres://by_password:right@${database}?sslmode=verify-full`;
    await expect(reach(unknown)).rejects.toThrow(/is not usable: self-signed certificate/u);

    const other = emptyFolder();
    await writeCertificate(other);
    for (const file of ["cert.pem", "key.pem"]) copyFileSync(join(other, file), join(folder, file));
    handToServer("cert.pem", "key.pem");
    await administer("SELECT pg_reload_conf()");
    const otherHost = `${unknown}&sslrootcert=${authority}`;
    await expect.poll(() => failureOf(otherHost)).toMatch(/is not usable: Hostname\/IP does not match/u);
  });

  it("hears no password in the clear without TLS, only what SCRAM makes of it", async () => {
    await reach(`postgres://by_scram:right@${database}?sslmode=disable`);
    await expect(reach(`postgres://by_password:right@${database}?sslmode=disable`)).rejects.toThrow(
      /requests the cleartext password without TLS: add sslmode=verify-full/u,
    );
  });

  function handToServer(...files: string[]): void {
    const account = serverAccount();
    for (const file of files.map((name) => join(folder, name))) {
      chmodSync(file, 0o600);
      if (account !== undefined) chownSync(file, account.uid, account.gid);
    }
  }

  async function administer(statement: string): Promise<void> {
    const client = new Client(postgres.url("postgres"));
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
});

async function reach(url: string): Promise<void> {
  const storage = await openStorage({ url, poolSize: 1, file: "" }, 0, () => {});
  await storage.close();
}

async function failureOf(url: string): Promise<string> {
  try {
    await reach(url);
    return "none";
  } catch (error) {
    return String(error);
  }
}
