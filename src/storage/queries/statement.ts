export type Statement<Result> = { execute(values?: Record<string, unknown>): Result };
