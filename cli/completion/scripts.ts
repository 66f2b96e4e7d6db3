/** Completion scripts. Each calls the hidden command, and falls back to files. */

export type Shell = 'bash' | 'zsh' | 'fish';

/**
 * Bash splits words at colons, so the words are taken from the line itself, and what stands before
 * the last colon is removed from the candidates, as `__ltrim_colon_completions` does.
 */
const BASH = `# stowage completion for bash
_stowage() {
  local line=\${COMP_LINE:0:COMP_POINT} words current prefix
  read -ra words <<< "$line"
  [[ $line == *' ' ]] && words+=('')
  current=\${words[\${#words[@]}-1]}
  prefix=
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && prefix=\${current%:*}:
  local IFS=$'\\n'
  COMPREPLY=($(stowage __complete -- "\${words[@]:1}" 2>/dev/null))
  COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
  [[ \${COMPREPLY[0]} == *[:/] ]] && compopt -o nospace
  return 0
}
complete -o default -F _stowage stowage
`;

const ZSH = `#compdef stowage
# stowage completion for zsh
_stowage() {
  local -a found open
  local each
  for each in "\${(@f)$(stowage __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -z $each ]] && continue
    if [[ $each == *[:/] ]]; then open+=("$each"); else found+=("$each"); fi
  done
  (( $#found )) && compadd -Q -- "\${found[@]}"
  (( $#open )) && compadd -Q -S '' -- "\${open[@]}"
  (( $#found + $#open )) || _files
}
if [ "$funcstack[1]" = _stowage ]; then _stowage "$@"; else compdef _stowage stowage; fi
`;

const FISH = `# stowage completion for fish
function __stowage_complete
  set -l words (commandline -opc) (commandline -ct)
  stowage __complete -- $words[2..-1] 2>/dev/null
end
complete -c stowage -a '(__stowage_complete)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
