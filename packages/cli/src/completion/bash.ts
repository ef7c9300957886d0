/** A completion script for bash, from 3.2 on. */

import { shellWord } from '@latchkey/service/text'
import { type CompletionPlace, type KnownValue, knownValues } from './places.ts'

export function bashScript(places: readonly CompletionPlace[]): string {
  return `# Completes latchkey in bash: source <(latchkey completion bash)

_latchkey() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at='' flag='' position=0 index word
  local below flags valued IFS=$' \\t\\n'
  COMPREPLY=()
  _latchkey_at
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    # bash takes --flag=value apart at the equals sign.
    if [[ $word == '=' ]]; then :
    elif [[ -n $flag ]]; then flag=''
    elif [[ $valued == *" $word "* ]]; then flag=$word
    elif [[ $word == -* ]]; then :
    elif [[ $below == *" $word "* ]]; then at="$at\${at:+ }$word"; _latchkey_at
    else position=$((position + 1)); fi
  done
  [[ $cur == '=' ]] && cur=''
  if [[ -n $flag ]]; then _latchkey_value "$at $flag"
  elif [[ $cur == -* ]]; then _latchkey_words "$flags"
  elif [[ -n $below ]]; then _latchkey_words "$below"
  else _latchkey_value "$at $position"; fi
}

# An empty answer lets bash complete files, unless it is told not to.
_latchkey_words() {
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_latchkey_at() {
  below='' flags='' valued=''
  case $at in
${places.map(branch).join('\n')}
  esac
}

_latchkey_value() {
  case $1 in
${knownValues(places).map(valueBranch).join('\n')}
    *) _latchkey_words '' ;;
  esac
}

complete -o default -F _latchkey latchkey
`
}

/** Spaces at both ends, so that a whole word is found by a pattern. */
function branch({ path, commands, flags }: CompletionPlace): string {
  const sets = {
    below: commands.map(({ name }) => name),
    flags: flags.flatMap(({ names }) => names),
    valued: flags.filter(({ value }) => value !== undefined).flatMap(({ names }) => names),
  }
  const assigned = Object.entries(sets)
    .filter(([, words]) => words.length > 0)
    .map(([name, words]) => `${name}=${shellWord(` ${words.join(' ')} `)}`)
  return `    ${shellWord(path)}) ${assigned.join(' ')} ;;`
}

function valueBranch([at, value]: [string, KnownValue]): string {
  const offer = value === 'file' ? ':' : `_latchkey_words ${shellWord(value.join(' '))}`
  return `    ${shellWord(at)}) ${offer} ;;`
}
