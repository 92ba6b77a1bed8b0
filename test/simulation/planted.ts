/** A fault of the product that is planted on purpose. */
export type Bug = {
  name: string;
  /** Below `src`. */
  file: string;
  replaced: string;
  by: string;
  /** The oracle that must see it. */
  oracle: string;
  /** Actors that are left out while it is looked for: they would only make it rarer. */
  without?: readonly string[];
};

const everybody = [
  "people,club,readers,machines,organizations,residents,guests,offices,companies,merchants,factories,founders,keepers",
  "registrar,students,resourceServers,webhooks,attacker,commands,server,feed,console",
].join(",");

/** `without`, so that only these actors are left, the prober, and what breaks. */
export function alone(...actors: string[]): string[] {
  return everybody.split(",").filter((each) => !actors.includes(each));
}
