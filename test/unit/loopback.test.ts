import { isIP } from "node:net";
import { expect, test } from "vitest";
import { addressFamily } from "../../src/lib/loopback.ts";

const addresses = "127.0.0.1 ::1 :: ::ffff:127.0.0.1 fe80::1%eth0 2001:db8:0:0:0:0:0:1 1:2:3:4:5:6:7:8";
const others = "localhost auth.example.com 127.1 1.2.3.4.5 01.2.3.4 a:b localhost:80 1:2 : [::1]";

test.each([...addresses.split(" "), ...others.split(" "), ""])(
  "addressFamily says of %j what net.isIP does",
  (host) => {
    expect(addressFamily(host)).toBe(isIP(host));
  },
);
