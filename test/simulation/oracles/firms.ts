/** O5 and O10: owners had their mails, and the receiver has the events that founders' acts left. */
import { surplus, textOf } from "../firm-answers.ts";
import { Violation } from "../model.ts";
import type { World } from "../world.ts";

type Event = { event: string; data: Record<string, unknown> };

export function checkFirms(world: World): void {
  const { delivered, firmsOf } = world;
  const byFirm = new Map<unknown, string[]>();
  for (const body of new Map(delivered.map(({ id, body }) => [id, body as Event])).values()) {
    const id = body.data["organizationId"];
    if (id === undefined) continue;
    const { userAgent: _, ...data } = body.data;
    const line = `${body.event} ${textOf(data)}`;
    byFirm.set(id, [...(byFirm.get(id) ?? []), line]);
  }
  for (const { firm, me } of firmsOf) {
    if (me.isUnsure) continue;
    const is = byFirm.get(firm.id) ?? [];
    const [more, less] = [surplus(is, firm.events), surplus(firm.events, is)];
    if (less.length > 0) throw new Violation("O5", `${firm.name}: no event ${less[0]}; too much: ${more[0]}`);
    for (const { to, about, since } of firm.mails) {
      const isThere = world.mailsSince(since).some((mail) => mail.to === to && mail.text.includes(about));
      if (!isThere) throw new Violation("O10", `${firm.name}: no mail told ${to} of ${about}`);
    }
    if (more.length > 0) throw new Violation("O5", `${firm.name}: an event ${more[0]} too much`);
  }
}
