import { sql, type GetColumnData, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Statement } from "./storage.ts";

type Waiting<Question, Answer> = { question: Question; resolve(answer: Answer): void; reject(error: unknown): void };

/** Bounds what one failed statement fails, and how long one of them keeps a connection. */
const mostInAStatement = 100;

/**
 * What many callers ask in one turn of the event loop, as one statement: for a database behind a socket, where the way there and back costs
 * ten times what the answer does. Nobody joins a statement that is on its way: each answer is newer than its question. `ask` answers in the
 * order of the questions.
 */
function gathered<Question, Answer>(
  ask: (questions: Question[]) => Promise<Answer[]>,
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
    for (let from = 0; from < all.length; from += mostInAStatement)
      void answer(all.slice(from, from + mostInAStatement));
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (waiting.length === 1) setImmediate(answerAll);
    });
}

/**
 * What callers of one turn of the event loop ask alike (`by`), asked once at its end: by the newest of the questions, which is the one of the
 * latest clock. Nobody may change the answer, which is everybody's.
 */
export function sharedInTurn<Question, Answer>(
  by: (question: Question) => string,
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  return gathered(async (questions) => {
    const newest = new Map(questions.map((question) => [by(question), question]));
    const answers = new Map<string, Answer>();
    for (const [key, question] of newest) answers.set(key, await ask(question));
    return questions.map((question) => answers.get(by(question)) as Answer);
  });
}

type ColumnType = "text" | "bigint" | "boolean";

/**
 * Questions as a table of their own, one row each, for a statement that answers many: `rows` belongs into its FROM, the columns are `asked.` and
 * the names of the questions' parts. A question whose place no row has is answered by undefined. PostgreSQL only.
 */
export function questions<Name extends string>(types: Record<Name, ColumnType>) {
  const names = Object.keys(types) as Name[];
  // By a subquery, which hides how many there are: for a few, PostgreSQL would think its plan for any number too dear, and plan each time anew.
  const columns = names.map((name) => sql`(SELECT ${sql.placeholder(name)}::${sql.raw(types[name])}[])`);
  return {
    rows: sql`unnest(${sql.join(columns, sql`, `)}) WITH ORDINALITY AS asked(${sql.raw(names.map((name) => `"${name}"`).join(", "))}, place)`,

    /** Of a row, which question it answers. */
    place: sql<number>`asked.place`.mapWith(Number),

    /** What `statement` answers to one question, asked together with all others of its turn. */
    answeredBy<Row extends { place: number }>(
      statement: Statement<Promise<Row[]>>,
    ): (question: Record<Name, unknown>) => Promise<Omit<Row, "place"> | undefined> {
      return gathered(async (asked) => {
        const values = Object.fromEntries(names.map((name) => [name, asked.map((each) => each[name])]));
        const answers = Array.from<Omit<Row, "place"> | undefined>({ length: asked.length });
        // Places are counted from 1.
        for (const { place, ...row } of await statement.execute(values)) answers[place - 1] = row;
        return answers;
      });
    },
  };
}

/** Columns of a table, read from where drizzle knows of none: what a statement found in it by itself (LATERAL), or by a named index (INDEXED BY). */
export function found<Columns extends Record<string, SQLiteColumn>>(
  columns: Columns,
): { [Name in keyof Columns]: SQL<GetColumnData<Columns[Name]>> } {
  const fields = Object.entries(columns).map(([name, column]) => [name, sql`${column}`.mapWith(column)]);
  return Object.fromEntries(fields) as { [Name in keyof Columns]: SQL<GetColumnData<Columns[Name]>> };
}
