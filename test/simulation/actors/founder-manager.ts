/** Who changes a founder's organizations, by what: the server, members, a page, the console. */
import type { Page } from "../../support/person.ts";
import type { Firm, Person, Who } from "../firm.ts";
import type { Hand } from "../hand.ts";
import { has, type Resident } from "../resident.ts";
import { Lost } from "../world.ts";

export type Answer = { isDone: boolean; status: number; body: Record<string, unknown> };

export class Manager {
  readonly me: Resident;
  readonly own: Firm;
  readonly other: Firm;
  readonly people: Map<string, Person>;
  readonly hand: Hand;
  #count = 0;

  constructor(me: Resident, of: { own: Firm; other: Firm; people: Map<string, Person>; hand: Hand }) {
    this.me = me;
    this.own = of.own;
    this.other = of.other;
    this.people = of.people;
    this.hand = of.hand;
    const answer = me.answerTo.bind(me);
    // What a sign-in offers by the way is left for later.
    me.answerTo = (page) =>
      answer(page) ??
      (has(page, "/step/organization")
        ? Promise.resolve(["/step/organization", { organization: this.#choiceOf(page) }])
        : undefined);
  }

  /** One that is offered: later, none, or the first. */
  #choiceOf({ text }: Page): string {
    const all = [...text.matchAll(/name="organization" value="([^"]+)"/gu)].map(([, value]) => value ?? "");
    return [this.wanted, "later", "none"].find((each) => all.includes(each)) ?? all[0] ?? "none";
  }

  /** The organization of the sign-in that goes on. */
  wanted = "none";

  /** Server, members whom it names, the founder on the page, an operator. */
  drawWho(): Who {
    const { chances } = this.me;
    const all = [...this.people.keys()];
    const ranked = all.filter((id) => ["admin", "owner"].some((role) => this.own.rolesOf(id).includes(role)));
    const by = (): Who => ({ kind: "by", id: chances.pick(chances.chance(0.7) && ranked.length > 0 ? ranked : all) });
    return chances.pick<() => Who>([
      () => ({ kind: "server" }),
      () => ({ kind: "server" }),
      by,
      by,
      () => ({ kind: "page" }),
      () => ({ kind: "page" }),
      () => ({ kind: "console" }),
    ])();
  }

  actor(who: Who): { actor: string; onBehalfOf?: string } {
    if (who.kind === "console") return { actor: this.hand.actor };
    if (who.kind === "page") return { actor: `user:${this.me.userId}` };
    return { actor: `app:${this.me.app.id}`, ...(who.kind === "by" && { onBehalfOf: who.id }) };
  }

  drawPerson(): Person {
    return this.me.chances.pick([...this.people.values()]);
  }

  next(): string {
    this.#count += 1;
    return String(this.#count);
  }

  /** By the API; `by` names a member. */
  async api(who: Who, method: string, path: string, body?: unknown): Promise<Answer> {
    const query = who.kind === "by" ? `?by=${who.id}` : "";
    const answer = await this.me.server(method, `${path}${query}`, body);
    return { ...answer, isDone: answer.status < 300 };
  }

  /** By a form of the organization's page. */
  async page(fields: Record<string, string>, path?: string): Promise<Answer> {
    const done = await this.press(fields, path);
    return { isDone: done.status === 303, status: done.status, body: { text: done.text } };
  }

  async press(fields: Record<string, string>, path = "/organization"): Promise<Page> {
    const { me } = this;
    const url = `${me.world.service.url}${path}?app_id=${me.app.id}&organization=${this.own.id}`;
    for (let tries = 0; tries < 3; tries += 1) {
      const shown = await me.at();
      const [, token = ""] = /name="token" value="([^"]+)"/u.exec(shown.text) ?? [];
      const done = await me.desk.post(url, { token, ...fields });
      me.world.note(`${me.name}: ${fields["act"]} at the page: ${done.status}`);
      const asksFirst = done.status === 303 && !done.location.pathname.startsWith("/organization");
      if (!asksFirst) return done;
      await me.walk(done, me.desk);
    }
    throw new Lost("the page asks for proofs again and again");
  }

  /** By a form of the console. */
  async console(form: string, values: Record<string, string> = {}, boxes = ""): Promise<Answer> {
    const { id } = this.own;
    const place = `/applications/${this.me.app.id}/organizations/${id}`;
    const page = await this.hand.open(place);
    if (!page.text.includes(`${id}/${form}"`)) return { isDone: false, status: 0, body: {} };
    const done = await this.hand.submit(page, `${id}/${form}`, values, boxes);
    return { isDone: done.status === 303, status: done.status, body: { text: done.text } };
  }

  /** O8: refused, if it is not allowed; done otherwise. */
  judge({ isDone, status, body }: Answer, isAllowed: boolean, what: string): boolean {
    if (status === 429) throw new Lost("too many");
    // The console shows no such button.
    if (status === 0) return false;
    const why = JSON.stringify(body).slice(0, 300);
    this.me.must(
      isAllowed ? "O10" : "O8",
      isDone === isAllowed,
      `${what}: ${isAllowed ? "" : "not "}allowed, ${status} ${why}`,
    );
    this.me.world.reached(isAllowed ? "a founder's act" : "a founder's act that was refused");
    return isDone;
  }

  boxes(roles: readonly string[]): Record<string, string> {
    return Object.fromEntries(roles.map((role) => [`role.${role}`, "on"]));
  }

  isFull(): boolean {
    const { own } = this;
    return own.maxMembers !== null && own.members.size >= own.maxMembers;
  }

  /** Boxes of a form that shows what is chosen. */
  some(field: string, chosen: readonly string[]): Record<string, string> {
    return Object.fromEntries(chosen.map((each) => [`${field}.${each}`, "on"]));
  }

  /** Of the newest invitation to each address. */
  readonly links = new Map<string, string>();
}
