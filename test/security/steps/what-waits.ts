/**
 * What waits for a person, and what that stops: the table of docs/terms-and-profile.md. A new row
 * or column is one entry here, and one in the page.
 */
import * as administration from "../../../src/people/administration.ts";
import * as requiredPasswords from "../../../src/people/required-passwords.ts";
import { parseJwt } from "../../../src/tokens/jwt.ts";
import { updateUser } from "../../../src/users/store.ts";
import { accountUrl } from "../../support/account.ts";
import { allowDevice, beginOnDevice, poll } from "../../support/devices.ts";
import { exchange, newExchange } from "../../support/exchange.ts";
import { ask as askDoor, cookieAt, createProxy } from "../../support/forward-auth.ts";
import { authorize, authorizeUrl, createTestClient } from "../../support/openid.ts";
import { askForToken, newPersonalToken } from "../../support/personal-tokens.ts";
import { redeem, refresh, signIn, validate, Visitor } from "../../support/person.ts";
import { updateApp, type TestApp, type TestService } from "../../support/service.ts";
import { ask, someTerms, team } from "../../support/waiting-steps.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;

export type Cell = "stops" | "continues";

/** Somebody with everything that a person can have when something begins to wait. */
export async function newHolder(service: TestService) {
  const { app, agent, archive, program, subject } = await newExchange(service);
  const { email } = program;
  const signedIn = await redeem(service, app, await signIn(service, app, { email }));
  const visitor = new Visitor();
  const client = await createTestClient(service, app);
  await authorize(service, client, { email }, {}, visitor);
  const device = await createTestClient(service, app, { kind: "device", redirectUris: [] });
  const { accessToken, refreshToken, user } = signedIn;
  const userId = String(user["id"]);
  await updateApp(service, app, { settings: { personalTokens: true } });
  await administration.update(service.server.app.ctx, userId, { emailVerified: true }, { dryRun: false }, by);
  const personalToken = await newPersonalToken(service, app, visitor);
  const proxy = await createProxy(service, app);
  const atProgram = await redeem(service, app, await signIn(service, app, { email }));
  const { sid = "" } = (parseJwt(atProgram.accessToken)?.claims ?? {}) as { sid?: string };
  const cookie = await cookieAt(service, proxy, sid);
  const held = { accessToken, refreshToken, subject, personalToken, cookie, visitor };
  return { app, email, userId, client, device, agent, archive, host: proxy.host, ...held };
}

type Holder = Awaited<ReturnType<typeof newHolder>>;

type Door = {
  /** The head of its column. */
  head: string;
  /** Whether it lets the holder through. */
  opens(service: TestService, holder: Holder): Promise<boolean>;
};

export const doors: Record<string, Door> = {
  signIn: {
    head: "a sign-in",
    async opens(service, { app, email }) {
      try {
        const { code } = await signIn(service, app, { email });
        return code !== "";
      } catch {
        return false;
      }
    },
  },
  silent: {
    head: "single sign-on, `prompt=none`",
    async opens(service, { client, visitor }) {
      const page = await visitor.get(authorizeUrl(service, client, { prompt: "none" }));
      return page.location.searchParams.has("code");
    },
  },
  device: {
    head: "a device",
    async opens(service, { device, email }) {
      const codes = await beginOnDevice(service, { client: device });
      try {
        await allowDevice(service, { email }, codes);
      } catch {
        return false;
      }
      return (await poll(service, { client: device }, codes)).status === 200;
    },
  },
  account: {
    head: "the account page, signed in",
    async opens(service, { app, visitor }) {
      return (await visitor.get(accountUrl(service, app))).status === 200;
    },
  },
  access: {
    head: "an access token",
    async opens(service, { app, accessToken }) {
      return (await validate(service, app, accessToken)).status === 200;
    },
  },
  refresh: {
    head: "a refresh",
    async opens(service, { app, refreshToken }) {
      return (await refresh(service, app, refreshToken)).status === 200;
    },
  },
  newToken: {
    head: "a new personal token",
    async opens(service, { app, visitor }) {
      const form = await visitor.get(accountUrl(service, app, "/new-token"));
      if (form.status !== 200) return false;
      return /pat_[0-9A-Za-z]{43}_/u.test((await askForToken(service, app, visitor)).text);
    },
  },
  personal: {
    head: "a personal token",
    async opens(service, { app, personalToken }) {
      return (await validate(service, app, personalToken)).status === 200;
    },
  },
  proxy: {
    head: "a program behind a proxy",
    async opens(service, { host, cookie }) {
      return (await askDoor(service, "proxy", host, { cookie })).status === 200;
    },
  },
  exchange: {
    head: "a token exchange",
    async opens(service, { agent, archive, subject }) {
      return (await exchange(service, agent, { subject_token: subject, resource: archive })).status === 200;
    },
  },
};

type Wait = {
  /** The head of its row. */
  head: string;
  begin(service: TestService, holder: Holder): Promise<void>;
  cells: Record<string, Cell>;
};

/** Of a step: what begins is stopped, and nothing that runs. */
const ofStep: Record<string, Cell> = {
  signIn: "stops",
  silent: "stops",
  device: "stops",
  account: "continues",
  access: "continues",
  refresh: "continues",
  newToken: "stops",
  personal: "continues",
  proxy: "continues",
  exchange: "continues",
};

const everything = (cell: Cell) => Object.fromEntries(Object.keys(doors).map((door) => [door, cell]));

async function change(service: TestService, app: TestApp, secondFactor: "required"): Promise<void> {
  await updateApp(service, app, { settings: { secondFactor } });
}

export const waits: Record<string, Wait> = {
  nothing: {
    head: "nothing",
    begin: async () => {},
    cells: everything("continues"),
  },
  terms: {
    head: "terms that are required",
    begin: async (service, { app }) => await ask(service, app, someTerms),
    cells: ofStep,
  },
  field: {
    head: "a required profile field",
    begin: async (service, { app }) => await ask(service, app, { profileFields: [team] }),
    cells: ofStep,
  },
  factor: {
    head: "a required second factor that is missing",
    begin: async (service, { app }) => await change(service, app, "required"),
    cells: { ...ofStep, account: "stops", refresh: "stops", proxy: "stops" },
  },
  password: {
    head: "a password that must change, and proofs by it",
    begin: async ({ server }, { userId }) => {
      await requiredPasswords.requireOf(server.app.ctx, userId, { dryRun: false }, by);
    },
    cells: ofStep,
  },
  pending: {
    head: "approval (`pending`)",
    begin: async ({ server }, { userId }) => {
      const { storage, clock } = server.app.ctx;
      const now = clock();
      await storage.write(async (tx) => {
        await updateUser(tx, userId, { pendingAt: now, disabledAt: now, updatedAt: now });
      });
    },
    cells: everything("stops"),
  },
  disabled: {
    head: "a disabled user",
    begin: async ({ server }, { userId }) => {
      await administration.disable(server.app.ctx, userId, { dryRun: false }, by);
    },
    cells: everything("stops"),
  },
};
