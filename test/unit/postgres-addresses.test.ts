import { describe, expect, it } from "vitest";
import { needsPrimary, postgresAddresses } from "../../src/lib/postgres-addresses.ts";

describe("the addresses of a PostgreSQL URL", () => {
  it.each([
    ["postgres://u:p@a/db", ["postgres://u:p@a/db"]],
    ["postgres://u:p@/db?host=/run/postgresql", ["postgres://u:p@/db?host=/run/postgresql"]],
    ["postgres://u:p@a,b/db", ["postgres://u:p@a/db", "postgres://u:p@b/db"]],
    ["postgresql://u:p@a:1,b:2,c/db", ["postgresql://u:p@a:1/db", "postgresql://u:p@b:2/db", "postgresql://u:p@c/db"]],
    ["postgres://u:p%2C%40@[::1]:1,[::2]/db", ["postgres://u:p%2C%40@[::1]:1/db", "postgres://u:p%2C%40@[::2]/db"]],
    ["postgres://u:p,q@a,b/db", ["postgres://u:p,q@a/db", "postgres://u:p,q@b/db"]],
    ["postgres://a,b/db?x=1", ["postgres://a/db?x=1", "postgres://b/db?x=1"]],
    ["postgres://u@/db?host=/a,/b", ["postgres://u@/db?host=%2Fa", "postgres://u@/db?host=%2Fb"]],
    [
      "postgres://u@localhost/db?host=a,b&port=1,2",
      ["postgres://u@/db?host=a&port=1", "postgres://u@/db?host=b&port=2"],
    ],
    ["postgres://u@a,b/db?port=5", ["postgres://u@a/db?port=5", "postgres://u@b/db?port=5"]],
  ])("are one for each host, in their order: %s", (url, addresses) => {
    expect(postgresAddresses(url)).toEqual(addresses);
  });

  it.each(["postgres://a,b/db?port=1,2,3", "postgres://a/db?port=1,2"])(
    "are none where ports and hosts do not match: %s",
    (url) => {
      expect(postgresAddresses(url)).toBeUndefined();
    },
  );

  it.each([
    ["postgres://a/db", false],
    ["postgres://a/db?target_session_attrs=any", false],
    ["postgres://a/db?target_session_attrs=read-write", true],
    ["postgres://a/db?target_session_attrs=primary", true],
    ["postgres://a,b/db", true],
  ])("must lead to a primary where there are several, or the URL says so: %s %s", (url, needed) => {
    expect(needsPrimary(url)).toBe(needed);
  });
});
