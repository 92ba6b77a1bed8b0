import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import { platforms, type Release } from "./release.ts";
import { sha256 } from "./sums.ts";

/** The formula of Homebrew. Without an address it takes the archives from its own folder. */
export async function makeFormula({ version, folder, url = "file://#{__dir__}" }: Release): Promise<void> {
  const archive = (platform: keyof typeof platforms): string => {
    const name = `authsvc-${version}-${platforms[platform]}.tar.gz`;
    return `url "${url}/${name}"
      sha256 "${sha256(readFileSync(path.join(folder, name)))}"`;
  };
  writeFileSync(
    path.join(folder, "authsvc.rb"),
    `class Authsvc < Formula
  desc "${packageFile.description.replace(/\.$/u, "")}"
  version "${version}"
  license "${packageFile.license}"

  on_macos do
    depends_on arch: :arm64
    on_arm do
      ${archive("darwin-arm64")}
    end
  end

  on_linux do
    on_intel do
      ${archive("linux-x64")}
    end
    on_arm do
      ${archive("linux-arm64")}
    end
  end

  def install
    bin.install "authsvc"
    man1.install "authsvc.1"
    bash_completion.install "completions/authsvc.bash" => "authsvc"
    zsh_completion.install "completions/_authsvc"
    fish_completion.install "completions/authsvc.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/authsvc version")
  end
end
`,
  );
}
