import { expect } from "vitest";
import { call, newEmail, redeem, signUp, type Tokens } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { ownAnswer } from "./balancer.ts";
import type { Cluster, Node } from "./cluster.ts";

type Answered = {
  /** When the call was made. */
  askedAt: number;
  at: number;
  what: string;
  status: number;
  balancer: boolean;
  /** Nobody knows whether the same call was carried out before. */
  isRepeated: boolean;
};

/** What one person was told that is true, whatever happens to the nodes. */
type Known = {
  refreshToken: string;
  accessToken: string;
  name: string | undefined;
  tried: string[];
  loggedOut: string[];
};

/**
 * People who refresh, rename themselves, validate and log out over and over, and note what was
 * acknowledged. An answer that never came leaves both possible; the same call is made again.
 */
export async function startLoad(cluster: Cluster, app: TestApp, people: number) {
  const answers: Answered[] = [];
  const stop = new AbortController();
  const everybody = await Promise.all(Array.from({ length: people }, async () => await newPerson(cluster, app)));

  /**
   * Until somebody answers it: a node that died, or a database that is away, may have carried it
   * out or not.
   */
  async function insist(what: string, method: string, path: string, headers: Record<string, string>, body?: unknown) {
    for (let isRepeated = false; ; isRepeated = true) {
      const askedAt = Date.now();
      const answer = await call(cluster.service, method, path, headers, body).catch(() => undefined);
      const balancer = answer?.headers.has(ownAnswer) ?? true;
      answers.push({ askedAt, at: Date.now(), what, status: answer?.status ?? 0, balancer, isRepeated });
      if (answer && answer.status < 500) return answer;
      await new Promise((later) => setTimeout(later, 30));
    }
  }

  async function live(person: Known): Promise<void> {
    for (let round = 0; !stop.signal.aborted; round += 1) {
      const refreshed = await insist("refresh", "POST", "/auth/refresh", app.headers, {
        refreshToken: person.refreshToken,
      });
      if (refreshed.status !== 200) return;
      person.refreshToken = String(refreshed.body["refreshToken"]);
      person.accessToken = String(refreshed.body["accessToken"]);
      const bearer = { authorization: `Bearer ${person.accessToken}`, "x-service-app-id": app.id };
      await insist("validate", "GET", "/auth/validate", bearer);
      const name = `Name ${round}`;
      person.tried.push(name);
      const renamed = await insist("rename", "PATCH", "/users/profile", bearer, { name });
      if (renamed.status === 200) person.name = name;
      if (round % 5 !== 4) continue;
      await insist("logout", "POST", "/auth/logout", bearer, {});
      person.loggedOut.push(person.accessToken);
      if (stop.signal.aborted) return;
      Object.assign(person, await newPerson(cluster, app), { loggedOut: person.loggedOut });
    }
  }

  const lives = everybody.map(live);
  return {
    answers,

    /**
     * What nobody should have been answered. A logout that was carried out, and not answered, has
     * ended the token that it is repeated with.
     */
    refusals: (): Answered[] =>
      answers.filter(
        ({ what, status, isRepeated }) =>
          status !== 200 && status !== 0 && status < 500 && !(what === "logout" && isRepeated && status === 401),
      ),

    async stop(): Promise<void> {
      stop.abort();
      await Promise.all(lives);
    },

    /** Everything that was acknowledged holds, asked of each of these nodes. */
    async check(nodes: Node[]): Promise<void> {
      for (const [number, person] of everybody.entries()) {
        const { service } = nodes[number % nodes.length] as Node;
        for (const token of person.loggedOut) {
          const { status } = await call(service, "GET", "/auth/validate", {
            authorization: `Bearer ${token}`,
            "x-service-app-id": app.id,
          });
          expect([number, "a token that was logged out", status]).toEqual([number, "a token that was logged out", 401]);
        }
        if (person.loggedOut.includes(person.accessToken)) continue;
        const { status, body } = await call(service, "GET", "/users/profile", {
          authorization: `Bearer ${person.accessToken}`,
        });
        expect([number, status]).toEqual([number, 200]);
        if (person.name !== undefined) expect(body["name"]).toBe(person.name);
        const again = await call(service, "POST", "/auth/refresh", app.headers, { refreshToken: person.refreshToken });
        expect([number, "the newest refresh token", again.status]).toEqual([number, "the newest refresh token", 200]);
        // A second look may come after the grace that this token has now.
        person.refreshToken = String(again.body["refreshToken"]);
      }
    },
  };
}

async function newPerson(cluster: Cluster, app: TestApp): Promise<Known> {
  for (;;) {
    try {
      const tokens: Tokens = await redeem(
        cluster.service,
        app,
        await signUp(cluster.service, app, { email: newEmail() }),
      );
      const { refreshToken, accessToken } = tokens;
      return { refreshToken, accessToken, name: undefined, tried: [], loggedOut: [] };
    } catch (error) {
      // A sign-up whose node or database went away is begun anew.
      if (!/answered (?:5\d\d|0)|with status 5\d\d|fetch failed|terminated/u.test(String(error))) throw error;
    }
  }
}
