import { posixTables, posixWord } from "./posix-tables.ts";
import type { CompletableCommand } from "./tree.ts";

/** Completion for bash (3.2 and later), without the package bash-completion. */
export function bashCompletion(commands: CompletableCommand[]): string {
  return `# bash completion for authsvc; made by: authsvc completion bash
${posixTables(commands)}
_authsvc() {
  local line typed cur at='' given=() word kind flag='' position=0 i
  # By spaces, not by COMP_WORDS: bash also breaks words at = : and @, which occur in flags and addresses.
  line=\${COMP_LINE:0:COMP_POINT}
  typed=\${line##*[[:space:]]}
  cur=$typed
  set -f
  # shellcheck disable=SC2206
  local words=(\${line%"$typed"})
  set +f
  for ((i = 1; i < \${#words[@]}; i++)); do
    word=\${words[i]}
${posixWord}  done
  if [[ -z $flag && $cur == --*=* ]]; then flag=\${cur%%=*}; cur=\${cur#*=}; fi
  COMPREPLY=()
  if [[ -n $flag ]]; then kind=$(_authsvc_value "$at" "$flag")
  elif [[ $cur == -* ]]; then _authsvc_reply "$(_authsvc_flags "$at" | cut -f 1)"; return
  else
    _authsvc_reply "$(_authsvc_commands "$at" | cut -f 1)"
    [[ \${#COMPREPLY[@]} -gt 0 ]] && return
    kind=$(_authsvc_arguments "$at" | sed -n "$((position + 1))p")
  fi
  case $kind in
    words\\ *) _authsvc_reply "$(printf '%s\\n' \${kind#words })" ;;
    files) _authsvc_paths -f ;;
    folders) _authsvc_paths -d ;;
    apps | clients | groups | users | emails) _authsvc_values ;;
  esac
}

# With "filenames" readline quotes what it inserts; bash 3.2 cannot be told so.
_authsvc_paths() {
  local quoting=%s
  compopt -o filenames 2>/dev/null || quoting=%q
  while IFS= read -r word; do COMPREPLY+=("$(printf "$quoting" "$word")"); done < <(compgen "$1" -- "$cur")
}

# Values of the database are quoted, because strangers chose them: bash would run what an address contains.
_authsvc_values() {
  local bare=\${cur//\\\\?/} value quoted=()
  # Within quotes other characters are special, so nothing is offered there.
  case $bare in *[\\"\\'\\$\\\`]*) return ;; esac
  while IFS= read -r value; do
    if [[ -n $value ]]; then quoted+=("$(printf %q "$value")"); fi
  done < <("\${words[0]}" completion-values "$kind" "\${cur//\\\\/}" \${given[@]+"\${given[@]}"} 2>/dev/null | cut -f 1)
  if [[ \${#quoted[@]} -gt 0 ]]; then _authsvc_reply "$(printf '%s\\n' "\${quoted[@]}")" any; fi
}

# The lines that begin like the current word ("any": all of them when only one is left), without what bash keeps of that word.
_authsvc_reply() {
  local word kept='' broken=$cur last=\${COMP_WORDS[COMP_CWORD]}
  [[ $last == = ]] && last=''
  [[ -n $last && $cur == *"$last" ]] && kept=\${cur%"$last"}
  [[ -z $last ]] && kept=$cur
  while IFS= read -r word; do
    if [[ -n $word && $word == "$broken"* ]]; then COMPREPLY+=("\${word#"$kept"}"); fi
  done <<<"$1"
  if [[ $2 == any && \${#COMPREPLY[@]} -eq 0 && -n $1 && $1 != *$'\\n'* ]]; then COMPREPLY=("$1"); fi
}

complete -F _authsvc authsvc
`;
}
