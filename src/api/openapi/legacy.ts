import type { z } from "zod";
import type { Route } from "../../http/route.ts";
import { done } from "../answers.ts";
import { noBody, type ApiRoute, type Body } from "../operation.ts";
import { answers } from "./answers.ts";
import { examples } from "./examples.ts";
import { operations } from "./operations.ts";
import { requests } from "./requests.ts";

export function described(line: Route | ApiRoute): ApiRoute {
  if ("operation" in line) return line;
  const found = operations.find(({ method, path }) => method === line.method && path === line.path);
  if (!found) throw new Error(line.path);
  const { request, answer, access: _a, limit: _l, method: _m, path: _p, ...words } = found;
  const body =
    request === undefined ? undefined : request === "EmptyRequest" ? noBody : { name: request, ...requests[request] };
  const { name, ...rest } = answer;
  const schema =
    name === undefined
      ? undefined
      : name === "Done"
        ? done
        : { name, schema: answers[name] as z.ZodType, example: examples[name] as unknown };
  return {
    ...line,
    operation: {
      ...words,
      ...(body && { body: body as unknown as Body }),
      answer: { ...rest, ...(schema && { schema }) },
    },
  };
}
