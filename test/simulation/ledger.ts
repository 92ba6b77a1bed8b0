/** What acts leave behind: a table says which audit entries and events, and each is counted. */

/** The entries and events of each act, about its subject. */
const table = {
  disable: { entries: ["user.disable"], events: [] },
  enable: { entries: ["user.enable"], events: [] },
  revoke: { entries: ["user.revoke-logins"], events: [] },
  unblock: { entries: ["user.unblock"], events: [] },
  delete: { entries: ["user.delete"], events: ["user.deleted"] },
  // The entry is one of the person's own, which are not counted.
  deleteOwn: { entries: [], events: ["user.deleted"] },
  resetLink: { entries: ["user.reset-link"], events: [] },
  recoveryLink: { entries: ["user.recovery-link"], events: [] },
  create: { entries: ["user.create"], events: ["user.created"] },
  change: { entries: ["user.update"], events: ["user.updated"] },
  changeMetadata: { entries: ["user.metadata"], events: ["user.updated"] },
  join: { entries: ["group.add"], events: ["user.updated"] },
  leave: { entries: ["group.remove"], events: ["user.updated"] },
  loseGroup: { entries: [], events: ["user.updated"] },
  createGroup: { entries: ["group.create"], events: [] },
  deleteGroup: { entries: ["group.delete"], events: [] },
  // No event: the receiver would get one for each line of the file.
  import: { entries: ["user.import"], events: [] },
  changeSettings: { entries: ["application.update"], events: [] },
  machineToken: { entries: ["machine.token"], events: [] },
  exchangeToken: { entries: ["token.exchange"], events: [] },
  rotateSigningKey: { entries: ["signing-key.rotate"], events: [] },
  rotateWebhook: { entries: ["webhook.update"], events: [] },
  redeliver: { entries: ["webhook.redeliver"], events: [] },
  inviteOperator: { entries: ["operator.invite"], events: [] },
  changeOperator: { entries: ["operator.update"], events: [] },
  removeOperator: { entries: ["user.delete", "operator.remove"], events: [] },
} as const satisfies Record<string, { entries: string[]; events: string[] }>;

export type Act = keyof typeof table;

export type Leaving = {
  /** As the audit log names who acts. */
  actor: string;
  act: Act;
  /** The person's id; empty if it is about nobody. */
  about: string;
};

const refusals = new Set<unknown>(["USER_NOT_FOUND", "GROUP_NOT_FOUND", "CONFLICT", "INVALID_REQUEST"]);

/** Whether it says that nothing has changed. */
export function wasRefused(error: unknown): boolean {
  return refusals.has((error as { code?: unknown }).code);
}

/** The line of an entry or event, of which the ledger knows how many there are. */
export const entryLine = (actor: string, action: string, about: string): string => `entry ${action} ${about} ${actor}`;
export const eventLine = (event: string, about: string): string => `event ${event} ${about}`;

export class Ledger {
  readonly #lines = new Map<string, { least: number; most: number }>();

  #add({ actor, act, about }: Leaving, least: number, most: number): void {
    const { entries, events } = table[act];
    const lines = [
      ...entries.map((entry) => entryLine(actor, entry, about)),
      ...events.map((event) => eventLine(event, about)),
    ];
    for (const line of lines) {
      const counted = this.#lines.get(line) ?? { least: 0, most: 0 };
      this.#lines.set(line, { least: counted.least + least, most: counted.most + most });
    }
  }

  /** What certainly has been left, or what may have been. */
  left(leaving: Leaving, { isSure }: { isSure: boolean }): void {
    this.#add(leaving, isSure ? 1 : 0, 1);
  }

  /**
   * An act that leaves this when it succeeds. `changed`: whether it did; undefined if nobody knows.
   * Throws what the act throws.
   */
  async leaving<Result>(
    leaving: Leaving,
    act: () => Promise<Result>,
    changed: (result: Result) => boolean | undefined = () => true,
  ): Promise<Result> {
    this.#add(leaving, 0, 1);
    try {
      const result = await act();
      const did = changed(result);
      if (did !== undefined) this.#add(leaving, did ? 1 : 0, did ? 0 : -1);
      return result;
    } catch (error) {
      if (wasRefused(error)) this.#add(leaving, 0, -1);
      throw error;
    }
  }

  /** Undefined if the count is as it should be. */
  problemWith(line: string, count: number): string | undefined {
    const { least, most } = this.#lines.get(line) ?? { least: 0, most: 0 };
    if (count >= least && count <= most) return undefined;
    return `${count} times “${line}” instead of ${least === most ? least : `${least} to ${most}`}`;
  }

  get lines(): readonly string[] {
    return [...this.#lines.keys()];
  }
}
