import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createSecureContext, getCiphers, type SecureContextOptions } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService } from "../../support/service.ts";
import { writeCertificate } from "../../support/tls-files.ts";

/** What OpenSSL can offer before TLS 1.3. */
const olderSuites = getCiphers()
  .map((name) => name.toUpperCase())
  .filter((name) => !name.startsWith("TLS_"));

/** Weak ones too. */
const anything = { rejectUnauthorized: false, servername: "localhost" };

describe.each(["rsa", "ecdsa"] as const)("with a certificate of kind %s", (key) => {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-tls-"));
  let running: Awaited<ReturnType<typeof startTestService>>;

  beforeAll(async () => {
    await writeCertificate(folder, { key });
    const tls = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
    running = await startTestService("sqlite", { listen: { host: "127.0.0.1", port: 0, tls } });
  });
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true });
  });

  /** The suite that a client with only this one gets; undefined if it is refused. */
  async function agreedOn(ciphers: string, version: SecureContextOptions["minVersion"]): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const versions = { minVersion: version, maxVersion: version } as const;
    const socket = connect(
      { port: Number(new URL(running.service.url).port), host: "127.0.0.1", ciphers, ...versions, ...anything },
      () => resolve(socket.getCipher().name),
    );
    socket.on("error", () => resolve(undefined));
    return await promise.finally(() => socket.destroy());
  }

  async function acceptedSuites(): Promise<(string | undefined)[]> {
    const accepted = [];
    for (const name of olderSuites) {
      const ciphers = `${name}:@SECLEVEL=0`;
      if (isKnown(ciphers)) accepted.push(await agreedOn(ciphers, "TLSv1.2"));
    }
    return accepted.filter((name) => name !== undefined).toSorted();
  }

  it("Y5: TLS 1.2 only with ECDHE and AES-GCM, also after the certificate was reloaded", async () => {
    const names = ["AES128-GCM-SHA256", "AES256-GCM-SHA384"];
    const wanted = names.map((name) => `ECDHE-${key.toUpperCase()}-${name}`);
    expect(await acceptedSuites()).toEqual(wanted);
    await writeCertificate(folder, { key });
    running.service.server.reloadCertificate();
    expect(await acceptedSuites()).toEqual(wanted);
  });

  it("Y5: every suite of TLS 1.3, nothing before TLS 1.2", async () => {
    for (const name of ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])
      expect(await agreedOn(name, "TLSv1.3")).toBe(name);
    expect(await agreedOn("ALL:@SECLEVEL=0", "TLSv1.1")).toBeUndefined();
    expect(await agreedOn("ALL:@SECLEVEL=0", "TLSv1")).toBeUndefined();
  });
});

function isKnown(ciphers: string): boolean {
  try {
    createSecureContext({ ciphers, minVersion: "TLSv1.2" });
    return true;
  } catch {
    return false;
  }
}
