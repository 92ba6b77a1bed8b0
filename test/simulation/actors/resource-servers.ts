/** Servers that verify tokens themselves, by `packages/sdk` and the feed of what ended. */
import { createAuthsvc, AuthsvcError } from "../../../packages/sdk/src/index.ts";
import { protectResource } from "../../../packages/sdk/src/resource.ts";
import { calling } from "../browser.ts";
import { Violation, type KnownPerson } from "../model.ts";
import { issuer, type ClientLogin, type MachineSecret } from "../programs.ts";
import { time } from "../time.ts";
import type { Part, World } from "../world.ts";

/** What `verify` promises: the list of what ended is never older. */
const staleness = 5000;

/** The application's own server, and the API `orders`. */
export async function resourceServers(world: World, { chances, isOver, pause }: Part): Promise<void> {
  const { app, programs } = world;
  const settings = {
    issuer,
    appId: app.id,
    apiKey: app.apiKey,
    fetch: async (url: string, init: RequestInit) => await fetch(url, init),
  };
  const allowedClients = [...programs.web, programs.screen].map(({ id }) => id);
  await calling({ world, ipAddress: "203.0.113.30", chances: chances.fork("network") }, async () => {
    const server = createAuthsvc({ ...settings, allowedClients });
    const api = protectResource({ ...settings, resource: programs.orders, scopes: ["read", "write"] });

    /** Undefined: it cannot be told now. */
    async function isAccepted(token: string, isForApi: boolean): Promise<boolean | undefined> {
      if (isForApi) {
        const headers = { authorization: `Bearer ${token}` };
        const answer = await api.requireToken(new Request(programs.orders, { headers }));
        return answer instanceof Response ? (answer.status === 401 ? false : undefined) : true;
      }
      try {
        await server.verify(token);
        return true;
      } catch (error) {
        if (!(error instanceof AuthsvcError)) throw error;
        return error.code === "INVALID_TOKEN" ? false : undefined;
      }
    }

    async function verify(of: ClientLogin | MachineSecret, person: KnownPerson | undefined): Promise<void> {
      const list = "access" in of ? of.access : of.tokens;
      const { token = "", expiresAt = 0 } = list.length === 0 ? {} : chances.pick(list);
      if (token === "") return;
      const from = time.now();
      const name = "access" in of ? of.name : of.id;
      const verdict = await isAccepted(token, !("access" in of) || of.program.resource !== undefined);
      world.note(`a server verifies ${name}: ${verdict}`);
      if (verdict === true && of.wasOver(from - staleness))
        throw new Violation("O1", `a server accepted ${name} ${staleness} ms after its end`);
      const isLive = of.wasUntouched(time.now()) && person?.wasLeftAlone(from) !== false && expiresAt > time.now();
      if (verdict === false && isLive && world.clockHasBeenRight && !("endsAt" in of && of.endsAt < time.now()))
        throw new Violation("O4", `a server refused ${name}, which nobody ended`);
      if (verdict === false && of.wasOver(from)) world.reached("a server refused what has ended");
    }

    // In bursts: the feed is read on for a minute after each, which costs more than they do.
    while (!isOver()) {
      await pause(240_000);
      for (let count = 0; count < 20 && !isOver(); count += 1) {
        await time.pause(chances.wait(2000) + 1);
        const logins = programs.logins.filter(({ prover }) => !prover).slice(-20);
        const login = logins.length > 0 && chances.chance(0.8) ? chances.pick(logins) : undefined;
        await verify(login ?? chances.pick(programs.robotSecrets), login?.person);
      }
    }
    server.close();
    api.close();
  });
}
