import { readElf } from "./elf.mjs";

/** Parts of libc, libstdc++ and libgcc, and the system's loader. */
const ordinary =
  /^(?:libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1|libstdc\+\+\.so\.6|libgcc_s\.so\.1|ld-linux-[\w-]+\.so\.\d)$/;

/** Those of RHEL 9. Debian 12 and Ubuntu 22.04 have newer ones (docs/deploying.md). */
export const newest: Record<string, string> = { GLIBC: "2.34", GLIBCXX: "3.4.29", CXXABI: "1.3.13", GCC: "11.0" };

/** Throws if the file does not start on a machine that has only libc, libstdc++ and libgcc. */
export function expectOrdinaryLibraries(name: string, program: Buffer): void {
  const { libraries, versionNeeds } = readElf(program);
  const versions = versionNeeds.flatMap(({ library, versions }) =>
    versions.map((each) => `${each.name} of ${library}`),
  );
  const missing = [...libraries.filter((each) => !ordinary.test(each)), ...versions.filter((each) => !isOld(each))];
  if (missing.length > 0)
    throw new Error(
      `${name} needs ${missing.join(", ")}, which Linux systems do not have everywhere (docs/deploying.md)`,
    );
}

function isOld(version: string): boolean {
  const [, series = "", number = ""] = /^([A-Z]+)_([\d.]+) /.exec(version) ?? [];
  const limit = newest[series];
  return limit !== undefined && number.localeCompare(limit, "en", { numeric: true }) <= 0;
}
