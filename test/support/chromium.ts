import { existsSync } from "node:fs";
import path from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { findPackagedChromium, type PackagedChromium } from "./chromium-package.ts";

const browserVariable = "AUTHSVC_TEST_BROWSER";

const flags = [
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  // Tests talk to this machine only. Names below .localhost are other origins without any set-up.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
];

/**
 * Starts a headless Chromium: the one that AUTHSVC_TEST_BROWSER names, the one from npm (the same
 * everywhere), or an installed one. The caller closes it.
 * @throws Error with one line that says what is missing.
 */
export async function launchBrowser(): Promise<Browser> {
  const { executablePath, env } = await findBrowser();
  const options = {
    executablePath,
    args: flags,
    headless: true,
    // The sandbox needs privileges that containers and root do not have, and these pages are our
    // own.
    chromiumSandbox: false,
    env: { ...process.env, ...env },
  };
  try {
    return withPatience(await chromium.launch(options));
  } catch (error) {
    throw new Error(`The browser ${executablePath} does not start.`, { cause: error });
  }
}

/** Playwright gives up after half a minute, which a page on a busy machine may take. */
function withPatience(browser: Browser): Browser {
  const open = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await open(options);
    context.setDefaultTimeout(90_000);
    return context;
  };
  return browser;
}

let shared: Promise<Browser> | undefined;

/**
 * One browser for all files of a worker. Playwright ends it with the process; tests close what they
 * open in it.
 */
export async function sharedBrowser(): Promise<Browser> {
  // A browser that did not start or has crashed is replaced.
  if (!(await shared?.catch(() => undefined))?.isConnected()) shared = launchBrowser();
  return await (shared as Promise<Browser>);
}

/** Why browser tests are left out here; undefined if they can run. */
export async function noBrowser({ overHttps = false } = {}): Promise<string | undefined> {
  try {
    const { noHttps } = await findBrowser();
    return overHttps ? noHttps : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function findBrowser(): Promise<PackagedChromium> {
  const named = process.env[browserVariable];
  if (named !== undefined && named !== "") {
    if (!existsSync(named)) throw new Error(`${browserVariable} names a browser that does not exist: ${named}`);
    return { executablePath: named, env: {} };
  }
  try {
    return await findPackagedChromium();
  } catch (error) {
    const installed = findInstalledChromium();
    if (installed !== undefined) return { executablePath: installed, env: {} };
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`there is no browser: ${reason}; or install Chromium or Chrome, or set ${browserVariable}`, {
      cause: error,
    });
  }
}

function findInstalledChromium(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = [...(process.env["PATH"] ?? "").split(path.delimiter), "/usr/bin", "/usr/local/bin", "/snap/bin"];
  const applications = ["Google Chrome", "Chromium"].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);
  return [...folders.flatMap((folder) => names.map((name) => path.join(folder, name))), ...applications].find(
    existsSync,
  );
}

export interface AuthenticatorOptions {
  transport?: "internal" | "usb" | "nfc" | "ble";
  hasResidentKey?: boolean;
  hasUserVerification?: boolean;
  isUserVerified?: boolean;
  /** Touches the authenticator by itself whenever it is asked; off, requests wait for ever. */
  automaticPresenceSimulation?: boolean;
  defaultBackupEligibility?: boolean;
  defaultBackupState?: boolean;
}

export interface StoredCredential {
  credentialId: string;
  isResidentCredential: boolean;
  rpId?: string;
  privateKey: string;
  userHandle?: string;
  signCount: number;
}

export interface VirtualAuthenticator {
  /**
   * False: the person fails (or declines) the fingerprint, and the browser reports NotAllowedError.
   */
  setUserVerified(isUserVerified: boolean): Promise<void>;
  setAutomaticPresence(enabled: boolean): Promise<void>;
  /** What the authenticator holds; binary fields in base64, not base64url. */
  credentials(): Promise<StoredCredential[]>;
  /** Puts a credential of another authenticator here, as a cloned key would be. */
  addCredential(credential: StoredCredential): Promise<void>;
  clearCredentials(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Gives the page a platform authenticator of the kind that phones and laptops have; it answers by
 * itself. Lives as long as the page.
 */
export async function addVirtualAuthenticator(
  page: Page,
  options: AuthenticatorOptions = {},
): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      ...options,
    },
  });
  return {
    async setUserVerified(isUserVerified) {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
    async setAutomaticPresence(enabled) {
      await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    },
    async credentials() {
      const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId });
      return credentials;
    },
    async addCredential(credential) {
      await session.send("WebAuthn.addCredential", { authenticatorId, credential });
    },
    async clearCredentials() {
      await session.send("WebAuthn.clearCredentials", { authenticatorId });
    },
    async remove() {
      await session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
      await session.detach();
    },
  };
}
