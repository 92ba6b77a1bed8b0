/** Keeps every secret that it saw, and tries each at every later time. */
import { call } from "../../support/person.ts";
import { calling } from "../browser.ts";
import { Violation } from "../model.ts";
import { Lost, type Part, type World } from "../world.ts";

export async function attack(world: World, { chances, isOver, pause }: Part): Promise<void> {
  await calling({ world, ipAddress: "198.51.100.7", chances: chances.fork("network") }, async () => {
    while (!isOver()) {
      await pause(5000);
      if (world.graveyard.length === 0) continue;
      const login = chances.pick(world.graveyard);
      const { service, app } = world;
      const { token } = chances.pick(login.access);
      try {
        const headers = { authorization: `Bearer ${token}`, "x-service-app-id": app.id };
        const validated = await call(service, "GET", "/auth/validate", headers);
        const refreshed = await call(service, "POST", "/auth/refresh", app.headers, { refreshToken: login.refresh });
        world.note(`the attacker tries ${login.name}: ${validated.status} ${refreshed.status}`);
        if (validated.status === 200) throw new Violation("O1", `${login.name} was valid long after its end`);
        if (refreshed.status === 200) throw new Violation("O1", `${login.name} was refreshed long after its end`);
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  });
}
