import { getTableName, sql, type GetColumnData, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Statement } from "./statement.ts";
import type { Handle } from "../storage.ts";

type Waiting<Question, Answer> = {
  question: Question;
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
};

/** The number of connections that the questions of one turn may use. */
const maxAtOnce = 4;

/**
 * Limits how many callers one failed statement affects, and how long a statement keeps a
 * connection.
 */
const maxInAStatement = 100;

/**
 * Sends the questions of one event-loop turn as one statement, because a round trip to PostgreSQL
 * costs ten times as much as the answer. Nobody joins a statement that was sent, so no answer is
 * older than its question. `ask` answers in the order of the questions. If an answer is a promise,
 * its rejection affects that question only.
 */
function gathered<Question, Answer>(
  ask: (questions: Question[]) => Promise<(Answer | Promise<Answer>)[]>,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = [];

  async function answer(batch: Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await ask(batch.map(({ question }) => question));
      for (const [place, { resolve }] of batch.entries()) resolve(answers[place] as Answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function answerAll(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += maxInAStatement) void answer(all.slice(from, from + maxInAStatement));
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (waiting.length === 1) setImmediate(answerAll);
    });
}

/**
 * Coalesces equal questions (by `by`) of one event-loop turn. The newest is asked, because it has
 * the latest clock. Do not mutate the shared answer. A failed question rejects only its own
 * callers.
 */
export function sharedInTurn<Question, Answer>(
  by: (question: Question) => string,
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  return gathered(async (questions) => {
    const newest = new Map(questions.map((question) => [by(question), question]));
    const answers = new Map<string, Promise<Answer>>();
    // On PostgreSQL each question takes a round trip and occupies a connection meanwhile.
    const lanes: Promise<unknown>[] = [];
    for (const [place, [key, question]] of [...newest].entries()) {
      const lane = place % maxAtOnce;
      const answer = (async () => {
        await lanes[lane];
        return await ask(question);
      })();
      answers.set(key, answer);
      lanes[lane] = answer.catch(() => {});
    }
    return questions.map((question) => answers.get(by(question)) as Promise<Answer>);
  });
}

type ColumnType = "text" | "bigint" | "boolean";

/**
 * Questions as a table with one row each, for a statement that answers many. Put `rows` into its
 * FROM; the columns are `asked.` plus the names of a question's parts. Questions without a row in
 * the result are answered by undefined. PostgreSQL only.
 */
export function questions<Name extends string>(types: Record<Name, ColumnType>) {
  const names = Object.keys(types) as Name[];
  // A subquery hides the number of questions. If it is small, PostgreSQL considers its generic plan
  // too expensive and plans each execution.
  const columns = names.map((name) => sql`(SELECT ${sql.placeholder(name)}::${sql.raw(types[name])}[])`);
  return {
    rows: sql`unnest(${sql.join(columns, sql`, `)}) WITH ORDINALITY AS asked(${sql.raw(names.map((name) => `"${name}"`).join(", "))}, place)`,

    /** The question that a row answers. */
    place: sql<number>`asked.place`.mapWith(Number),

    /** Answers one question, in one statement with the other questions of its turn. */
    answeredBy<Row extends { place: number }>(
      statement: Statement<Promise<Row[]>>,
    ): (question: Record<Name, unknown>) => Promise<Omit<Row, "place"> | undefined> {
      return gathered(async (asked) => {
        const values = Object.fromEntries(names.map((name) => [name, asked.map((each) => each[name])]));
        const answers = Array.from<Omit<Row, "place"> | undefined>({ length: asked.length });
        // Places start at 1.
        for (const { place, ...row } of await statement.execute(values)) answers[place - 1] = row;
        return answers;
      });
    },
  };
}

/**
 * The store's query for `handle`: `gathered` on PostgreSQL's reader, where one statement serves all
 * callers of a turn; `alone` on SQLite and in transactions. Both must return the same.
 */
export function gatheredOrAlone<Query>(handle: Handle, of: { gathered(): Query; alone(): Query }): Query {
  return handle.gathers ? of.gathered() : of.alone();
}

/** Columns of a table in a result that drizzle cannot describe: from LATERAL or INDEXED BY. */
export function found<Columns extends Record<string, SQLiteColumn>>(
  columns: Columns,
): { [Name in keyof Columns]: SQL<GetColumnData<Columns[Name]>> } {
  const fields = Object.entries(columns).map(([name, column]) => [name, sql`${column}`.mapWith(column)]);
  return Object.fromEntries(fields) as { [Name in keyof Columns]: SQL<GetColumnData<Columns[Name]>> };
}

/** The same with the names of their tables, for several tables that share a name of a column. */
export function qualified<Columns extends Record<string, SQLiteColumn>>(
  columns: Columns,
): { [Name in keyof Columns]: SQL<GetColumnData<Columns[Name]>> } {
  const fields = Object.entries(columns).map(([name, column]) => {
    const place = sql`${sql.identifier(getTableName(column.table))}.${sql.identifier(column.name)}`;
    return [name, place.mapWith(column)];
  });
  return Object.fromEntries(fields) as { [Name in keyof Columns]: SQL<GetColumnData<Columns[Name]>> };
}
