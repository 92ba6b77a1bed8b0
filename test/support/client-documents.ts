import { generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { SignJWT } from "jose";
import { afterAll, beforeAll } from "vitest";
import type { Client } from "../../src/applications/clients/client.ts";
import { newEmail, signUp, Visitor, type Page } from "./person.ts";
import { authorize, authorizeUrl, codeChallenge, codeVerifier } from "./openid.ts";
import { post } from "./openid-tokens.ts";
import { createResource } from "./resources.ts";
import { updateApp, type TestService } from "./service.ts";
import { writeCertificate } from "./tls-files.ts";

/** For documents on this machine. */
export const localDocuments = { clientDocuments: { allowPrivateNetworks: true } };

type Json = Record<string, unknown>;
type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A server of documents by https, whose certificate this process trusts. */
export type DocumentServer = {
  origin: string;
  /** PEM. */
  certificate: string;
  /** The paths that were asked for, in order. */
  fetched: string[];
  /** Serves a document at a path, with its URL as `client_id`; returns the URL. */
  serve(document?: Json, headers?: Record<string, string>): string;
  /** Answers at a new path, or at that of `url`; returns the URL. */
  answer(answer: Answer, url?: string): string;
};

export async function startDocumentServer(): Promise<DocumentServer & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-documents-"));
  // Two trusted certificates of the same name would be taken for each other.
  const certificate = await writeCertificate(folder, { name: randomUUID() });
  setDefaultCACertificates([...getCACertificates(), certificate]);
  const answers = new Map<string, Answer>();
  const fetched: string[] = [];
  const key = readFileSync(join(folder, "key.pem"));
  const server: Server = createServer({ key, cert: certificate }, (request, response) => {
    const path = request.url ?? "";
    fetched.push(path);
    const answer = answers.get(path);
    if (answer) answer(response, request);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  const place = (answer: Answer, url = `${origin}/client-${answers.size + 1}.json`): string => {
    answers.set(url.slice(origin.length), answer);
    return url;
  };
  return {
    origin,
    certificate,
    fetched,
    answer: place,
    serve(document = {}, headers = {}) {
      const url: string = place((response) => {
        response.writeHead(200, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify({ client_id: url, ...usual, ...document }));
      });
      return url;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const usual = { client_name: "Agent", redirect_uris: ["https://agent.example/callback"] };

/** A server of documents for the tests beside it. */
export function useDocumentServer(): DocumentServer {
  const documents = {} as DocumentServer & { stop(): Promise<void> };
  beforeAll(async () => void Object.assign(documents, await startDocumentServer()));
  afterAll(async () => await documents.stop());
  return documents;
}

/** An application with a resource for unregistered clients, and somebody who signs in. */
export async function withAgents(service: TestService) {
  const app = await service.createApp();
  await updateApp(service, app, { settings: { clientDocuments: "any" } });
  const resource = await createResource(service, app, { clientDocuments: true });
  const email = newEmail();
  await signUp(service, app, { email, name: "Ada" });
  return { service, app, resource, email };
}

type Agents = Awaited<ReturnType<typeof withAgents>>;

type Agent = Pick<Client, "id" | "redirectUris">;

/** A client as the helpers for authorization requests take it. */
export function agentAt(id: string, redirectUri = "https://agent.example/callback"): Agent {
  return { id, redirectUris: [redirectUri] };
}

/** Signs in, up to the page that asks for consent or whatever comes instead. */
export async function arrive(
  { service, resource, email }: Agents,
  agent: Agent,
  parameters: Record<string, string | null> = {},
  visitor = new Visitor(),
): Promise<Page> {
  const asked = {
    scope: "read offline_access",
    resource,
    code_challenge: codeChallenge,
    code_challenge_method: "S256",
  };
  const page = await authorize(service, agent, { email }, { ...asked, ...parameters }, visitor);
  return page.location.pathname.startsWith("/sign-in/") ? await visitor.get(page.location.href) : page;
}

/** Signs in and agrees if asked; the form of the token request. */
export async function codeOf(
  agents: Agents,
  agent: Agent,
  parameters: Record<string, string | null> = {},
  visitor = new Visitor(),
): Promise<Record<string, string>> {
  const page = await arrive(agents, agent, parameters, visitor);
  const done = page.location.searchParams.has("code") ? page : await visitor.submit(page, "/step/consent", {});
  const code = done.location.searchParams.get("code");
  if (code === null) throw new Error(`no code: ${done.status} ${done.location.href}`);
  const redirectUri = agent.redirectUris[0] ?? "";
  return {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    client_id: agent.id,
    resource: agents.resource,
  };
}

/** A key as documents have it, and assertions that it signs for the token endpoint. */
export function newAgentKey() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "key-1", use: "sig", alg: "ES256" };
  return {
    jwk,
    async assertion(service: TestService, id: string): Promise<Record<string, string>> {
      const now = Math.floor(service.clock.now / 1000);
      const claims = { iss: id, sub: id, aud: service.url, iat: now, exp: now + 60, jti: randomUUID() };
      const signed = await new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "key-1" }).sign(privateKey);
      return {
        client_assertion: signed,
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      };
    },
  };
}

/** The details of the page that refuses an authorization request. */
export async function refusalOf(
  { service, resource }: Pick<Agents, "service" | "resource">,
  agent: Agent,
  parameters: Record<string, string | null> = {},
): Promise<string> {
  const asked = { scope: "read", resource, code_challenge: codeChallenge, code_challenge_method: "S256" };
  const page = await new Visitor().get(authorizeUrl(service, agent, { ...asked, ...parameters }));
  const [, details = ""] = /<code>([^\n<]*)/u.exec(page.text) ?? [];
  return page.status === 303 ? page.location.pathname.replace(/sis_.*/u, "") : details;
}

/** The parameters that a client gets: in the link of a page, or in a redirect. */
export function answerIn(page: Page): URLSearchParams {
  const [, link] = /<a class="button main" href="([^"]*)"/u.exec(page.text) ?? [];
  return link === undefined ? page.location.searchParams : new URL(link.replaceAll("&amp;", "&")).searchParams;
}

/** The answer of the token endpoint. */
export async function tokensOf(agents: Agents, agent: Agent, parameters: Record<string, string | null> = {}) {
  const { status, body } = await post(agents.service, "/oauth2/token", await codeOf(agents, agent, parameters));
  if (status !== 200) throw new Error(`the token endpoint answered ${status}: ${JSON.stringify(body)}`);
  return body as { access_token: string; refresh_token: string; scope: string };
}
