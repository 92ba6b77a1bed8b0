import { posixTables, posixWord } from "./posix-tables.ts";
import type { CompletableCommand } from "./tree.ts";

/**
 * Completion for zsh: a file _authsvc in a folder of $fpath, or a line in .zshrc that evaluates it.
 */
export function zshCompletion(commands: CompletableCommand[]): string {
  return `#compdef authsvc
# zsh completion for authsvc; made by: authsvc completion zsh
${posixTables(commands)}
_authsvc() {
  local at='' word flag='' kind cur=$PREFIX i position=1
  local -a given rows
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
${posixWord}  done
  if [[ -z $flag && $cur == --*=* ]]; then
    flag=\${cur%%=*}
    compset -P '--*='
    cur=$PREFIX
  fi
  if [[ -n $flag ]]; then kind=$(_authsvc_value "$at" "$flag")
  elif [[ $cur == -* ]]; then _authsvc_describe flag "$(_authsvc_flags "$at")"; return
  else
    rows=("\${(@f)$(_authsvc_commands "$at")}")
    if [[ -n \${rows[1]} ]]; then _authsvc_describe command "\${(F)rows}"; return; fi
    kind=$(_authsvc_arguments "$at" | sed -n "\${position}p")
  fi
  case $kind in
    words\\ *) compadd -- \${(s: :)kind#words } ;;
    files) _files ;;
    folders) _files -/ ;;
    apps | clients | groups | users | emails) _authsvc_describe "$kind" "$(_call_program authsvc "\${(q)words[1]}" completion-values "$kind" "\${(q)cur}" "\${(@q)given}" 2>/dev/null)" ;;
  esac
}

# Lines of a name, a tab and what it is for. An id is also offered for the address that it belongs to.
_authsvc_describe() {
  local -a names shown
  local line
  for line in "\${(@f)2}"; do
    [[ -z $line ]] && continue
    names+=("\${line%%$'\\t'*}")
    shown+=("\${line//$'\\t'/  }")
  done
  (( \${#names} )) || return 1
  if [[ $1 == users ]]; then compadd -U -l -d shown -- "\${names[@]}"
  else compadd -l -d shown -- "\${names[@]}"; fi
}

if [[ $funcstack[1] == _authsvc ]]; then _authsvc "$@"; else compdef _authsvc authsvc; fi
`;
}
