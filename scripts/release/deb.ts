import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { newest } from "../build/system-libraries.ts";
import {
  architectures,
  deployed,
  description,
  folder,
  linuxPackage,
  summary,
  text,
  type LinuxPackage,
} from "./linux-package.ts";
import type { Release } from "./release.ts";
import { tarOf, type TarEntry } from "./tar.ts";

const maintainer = "authsvc maintainers <maintainers@authsvc.invalid>";
const documents = "/usr/share/doc/authsvc";

/** authsvc_VERSION_amd64.deb and _arm64.deb. No tool's version changes a byte of them. */
export async function makeDeb(release: Release): Promise<void> {
  for (const { platform, debian } of architectures) {
    const deb = linuxPackage(release, platform, [
      folder(documents),
      text(`${documents}/changelog.gz`, gzipSync(changelog(release), { level: 9 })),
      text(`${documents}/copyright`, deployed("packages/copyright")),
      text("/usr/share/lintian/overrides/authsvc", deployed("packages/lintian-overrides")),
      text(
        "/usr/share/zsh/vendor-completions/_authsvc",
        readFileSync(path.join(release.share, "completions/_authsvc")),
      ),
    ]);
    const { epoch } = release;
    const file = path.join(release.folder, `authsvc_${release.version}_${debian}.deb`);
    writeFileSync(
      file,
      ar(
        [
          ["debian-binary", Buffer.from("2.0\n")],
          ["control.tar.gz", gzipSync(await tarOf(controlFiles(deb, debian), epoch))],
          ["data.tar.gz", gzipSync(await tarOf(dataFiles(deb), epoch))],
        ],
        epoch,
      ),
    );
  }
}

/** The common format of static libraries, which deb uses: a line of 60 bytes before each file. */
function ar(members: [name: string, content: Buffer][], epoch: number): Buffer {
  const line = (name: string, size: number): string =>
    `${name.padEnd(16)}${String(epoch).padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}${"100644".padEnd(8)}${String(size).padEnd(10)}\`\n`;
  const parts = members.flatMap(([name, content]) => [
    Buffer.from(line(name, content.length)),
    content,
    Buffer.from(content.length % 2 === 0 ? "" : "\n"),
  ]);
  return Buffer.concat([Buffer.from("!<arch>\n"), ...parts]);
}

function controlFiles({ version, files }: LinuxPackage, architecture: string): TarEntry[] {
  const kilobytes = files.reduce((sum, { content }) => sum + Math.ceil((content?.length ?? 0) / 1024) + 1, 0);
  const control = `Package: authsvc
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${kilobytes}
Depends: libc6 (>= ${newest["GLIBC"]}), libgcc-s1 (>= 3.0), libstdc++6 (>= ${newest["GCC"]?.replace(".0", "")})
Section: net
Priority: optional
Description: ${summary}
${description.map((line) => ` ${line}\n`).join("")}`;
  const sums = files.map(({ path: at, content }) =>
    content === undefined ? "" : `${createHash("md5").update(content).digest("hex")}  ${at.slice(1)}\n`,
  );
  const settings = files.filter(({ isConfiguration }) => isConfiguration).map(({ path: at }) => `${at}\n`);
  const script = (name: string, file: string): TarEntry => ({
    name,
    mode: 0o755,
    content: deployed(`packages/${file}`),
  });
  return [
    { name: "./", mode: 0o755, isFolder: true },
    { name: "./conffiles", mode: 0o644, content: settings.join("") },
    { name: "./control", mode: 0o644, content: control },
    { name: "./md5sums", mode: 0o644, content: sums.join("") },
    script("./postinst", "after-install.sh"),
    script("./postrm", "after-removal.sh"),
    script("./prerm", "before-removal.sh"),
    { name: "./templates", mode: 0o644, content: deployed("packages/templates") },
  ];
}

/** dpkg needs an entry for each folder on the way to a file. */
function dataFiles({ files }: LinuxPackage): TarEntry[] {
  const known = new Set(files.filter(({ content }) => content === undefined).map(({ path: at }) => at));
  return [
    { name: "./", mode: 0o755, isFolder: true },
    ...files.flatMap(({ path: at, mode, content }): TarEntry[] => {
      const above = at.split("/").map((_, index, parts) => parts.slice(0, index).join("/"));
      const missing = above.filter((each) => each !== "" && !known.has(each));
      for (const each of missing) known.add(each);
      return [
        ...missing.map((each): TarEntry => ({ name: `.${each}/`, mode: 0o755, isFolder: true })),
        content === undefined ? { name: `.${at}/`, mode, isFolder: true } : { name: `.${at}`, mode, content },
      ];
    }),
  ];
}

/** Debian's own form. What changed is in CHANGELOG.md. */
function changelog({ version, epoch }: Release): string {
  const date = new Date(epoch * 1000).toUTCString().replace("GMT", "+0000");
  return `authsvc (${version.replace("-", "~")}) stable; urgency=medium

  * What is new in ${version} is in CHANGELOG.md of the sources.

 -- ${maintainer}  ${date}
`;
}
