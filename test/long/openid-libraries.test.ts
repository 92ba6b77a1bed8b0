import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as clients from "../../src/applications/clients/service.ts";
import { configurationFor } from "../../src/applications/clients/configurations.ts";
import { blocksOf, root } from "../docs/pages.ts";
import { freePort } from "../support/free-port.ts";
import { newParty, type Party } from "../support/openid-tokens.ts";
import { goodPassword, Visitor, type Page } from "../support/person.ts";
import { untilListening } from "../support/receiver.ts";
import { describeOnSqlite, type TestService } from "../support/service.ts";
import { killed } from "./example-apps.ts";

const scratch = mkdtempSync(join(tmpdir(), "authsvc-libraries-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

type Command = [file: string, ...args: string[]];
type Library = {
  /** Of the block in docs/openid-connect-clients.md, and the file to which it is written. */
  program?: { language: string; file: string };
  /** Where it takes responses; `/callback` where nothing is said. */
  callback?: string;
  /** Writes what it needs to know of its client. */
  configure?(folder: string, service: TestService, clientId: string): Promise<void>;
  /** How it answers a response that the service refused; 400 where nothing is said. */
  refuses?: number;
  /** Installs it; false if the language or a package cannot be had here. */
  prepare(folder: string): boolean;
  start(folder: string): Command;
};

const succeeds = (cwd: string, [file, ...args]: Command, env: Record<string, string> = {}): boolean =>
  spawnSync(file, args, { cwd, env: { ...process.env, ...env }, stdio: "ignore", timeout: 300_000 }).status === 0;

const libraries: Record<string, Library> = {
  "openid-client": {
    program: { language: "js", file: "server.mjs" },
    prepare(folder) {
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      return true;
    },
    start: (folder) => [process.execPath, join(folder, "server.mjs")],
  },
  Authlib: {
    program: { language: "python", file: "server.py" },
    prepare: (folder) =>
      succeeds(folder, ["python3", "-m", "venv", "venv"]) &&
      succeeds(folder, ["venv/bin/pip", "install", "-q", "authlib==1.9.9", "flask==3.1.3", "requests==2.34.2"]),
    start: (folder) => [join(folder, "venv/bin/python"), join(folder, "server.py")],
  },
  "go-oidc": {
    program: { language: "go", file: "main.go" },
    prepare(folder) {
      const modules = ["github.com/coreos/go-oidc/v3 v3.21.0", "golang.org/x/oauth2 v0.37.0"];
      writeFileSync(join(folder, "go.mod"), `module notes\n\ngo 1.25\n\nrequire (\n${modules.join("\n")}\n)\n`);
      return (
        succeeds(folder, ["go", "version"]) &&
        succeeds(folder, ["go", "mod", "tidy"], { GOFLAGS: "-mod=mod" }) &&
        succeeds(folder, ["go", "build", "-o", "notes", "."])
      );
    },
    start: (folder) => [join(folder, "notes")],
  },
  // A lock of its own: its optional peers are older versions of packages that the project has.
  "Auth.js": {
    callback: "/api/auth/callback/authsvc",
    refuses: 302,
    prepare(folder) {
      cpSync(join(import.meta.dirname, "authjs"), folder, { recursive: true });
      return succeeds(folder, ["npm", "ci", "--omit=peer", "--ignore-scripts"]);
    },
    async configure(folder, { server, url }, clientId) {
      const client = await clients.get(server.app.ctx, clientId);
      const { text, missing } = configurationFor("authjs", client, url);
      expect(missing).toEqual([]);
      // Instead of Next.js, only what it passes on to Auth.js.
      const asNext = [/^import NextAuth .*$/mu, "const NextAuth = (config) => config;"] as const;
      const asConfig = [/^export const \{.*\} =/mu, "export const provided ="] as const;
      writeFileSync(join(folder, "auth.mjs"), text.replace(...asNext).replace(...asConfig));
    },
    start: (folder) => [process.execPath, join(folder, "server.mjs")],
  },
};

const programs = blocksOf("docs/openid-connect-clients.md");

// The programs of docs/openid-connect-clients.md as they are printed there, and test/long/authjs.
for (const [name, library] of Object.entries(libraries))
  describeOnSqlite(`a program that signs in by ${name}`, (service) => {
    const folder = join(scratch, name);
    let child: ChildProcess | undefined;
    let isHere = false;
    let url = "";
    let party: Party;

    beforeAll(async () => {
      mkdirSync(folder);
      if (library.program) {
        const { language: wanted, file } = library.program;
        const program = programs.find(({ language }) => language === wanted);
        writeFileSync(join(folder, file), `${program?.text}\n`);
      }
      isHere = library.prepare(folder);
      if (!isHere) return;
      url = `http://localhost:${await freePort()}`;
      party = await newParty(service, {
        redirectUris: [`${url}${library.callback ?? "/callback"}`],
        postLogoutRedirectUris: [`${url}/`],
        requirePkce: true,
      });
      await library.configure?.(folder, service, party.client.id);
      const settings = {
        ISSUER: service.url,
        CLIENT_ID: party.client.id,
        CLIENT_SECRET: party.secret,
        AUTH_AUTHSVC_SECRET: party.secret,
        APP_URL: url,
      };
      const [file, ...args] = library.start(folder);
      child = spawn(file, args, { env: { ...process.env, ...settings }, stdio: "ignore" });
      await untilListening(url);
    }, 600_000);
    afterAll(async () => await killed(child));

    /** Begins at the program. Returns how the service answered. */
    async function begin(visitor: Visitor): Promise<Page> {
      const started = await visitor.get(`${url}/login`);
      expect(started.location.origin).toBe(service.url);
      return await visitor.get(started.location.href);
    }

    /** Types the password. Returns the address at the program to which the browser is sent. */
    async function prove(visitor: Visitor, start: Page): Promise<URL> {
      const form = await visitor.get(start.location.href);
      return (await visitor.submit(form, "/password", { email: party.email, password: goodPassword })).location;
    }

    it("signs in and shows who it is", async ({ skip }) => {
      skip(!isHere, `${name} cannot be installed here`);
      const visitor = new Visitor();
      expect((await visitor.get(`${url}/`)).text).toBe("Nobody is signed in");
      const back = await prove(visitor, await begin(visitor));
      expect((await visitor.get(back.href)).location.href).toBe(`${url}/`);
      expect((await visitor.get(`${url}/`)).text).toBe(`Signed in as ${party.email}`);
    });

    it("takes no response that another browser began, and no code of another one in its own", async ({ skip }) => {
      skip(!isHere, `${name} cannot be installed here`);
      const [attacker, victim] = [new Visitor(), new Visitor()];
      const foreign = await prove(attacker, await begin(attacker));
      await victim.get(foreign.href);
      expect((await victim.get(`${url}/`)).text).toBe("Nobody is signed in");
      const own = await prove(victim, await begin(victim));
      own.searchParams.set("code", foreign.searchParams.get("code") ?? "");
      expect((await victim.get(own.href)).status).toBe(library.refuses ?? 400);
      expect((await victim.get(`${url}/`)).text).toBe("Nobody is signed in");
    });

    it("signs out, here and there", async ({ skip }) => {
      skip(!isHere, `${name} cannot be installed here`);
      const visitor = new Visitor();
      await visitor.get((await prove(visitor, await begin(visitor))).href);
      // The browser is still signed in at the service: no form.
      const again = await begin(visitor);
      expect(again.location.origin).toBe(url);
      await visitor.get(again.location.href);
      const leaving = await visitor.get(`${url}/logout`);
      expect(leaving.location.pathname).toBe("/oauth2/end-session");
      expect((await visitor.get(leaving.location.href)).location.href).toBe(`${url}/`);
      expect((await visitor.get(`${url}/`)).text).toBe("Nobody is signed in");
      expect((await begin(visitor)).location.pathname).toMatch(/^\/sign-in\//u);
    });
  });
