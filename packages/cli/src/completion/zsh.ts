/** A completion script for zsh. */

import { shellWord } from '@latchkey/service/text'
import { type CompletionPlace, type KnownValue, knownValues, type Word } from './places.ts'

export function zshScript(places: readonly CompletionPlace[]): string {
  return `#compdef latchkey
# Completes latchkey in zsh: source <(latchkey completion zsh), or this file as _latchkey in $fpath

_latchkey() {
  local at='' flag='' position=0 index word
  local -a below flags valued
  _latchkey_at
  for ((index = 2; index < CURRENT; index++)); do
    word=$words[index]
    if [[ -n $flag ]]; then flag=''
    elif (( $valued[(Ie)$word] )); then flag=$word
    elif [[ $word == -* ]]; then :
    elif [[ -n \${(M)below:#$word:*} ]]; then at="$at\${at:+ }$word"; _latchkey_at
    else (( position += 1 )); fi
  done
  if [[ -z $flag && $PREFIX == --*=* ]]; then flag=\${PREFIX%%=*}; compset -P '*='; fi
  if [[ -n $flag ]]; then _latchkey_value "$at $flag"
  elif [[ $PREFIX == -* ]]; then _describe -o option flags
  elif (( $#below )); then _describe command below
  else _latchkey_value "$at $position"; fi
}

_latchkey_at() {
  below=() flags=() valued=()
  case $at in
${places.map(branch).join('\n')}
  esac
}

_latchkey_value() {
  case $1 in
${knownValues(places).map(valueBranch).join('\n')}
  esac
}

if [[ $funcstack[1] == _latchkey ]]; then _latchkey "$@"; else compdef _latchkey latchkey; fi
`
}

function branch({ path, commands, flags }: CompletionPlace): string {
  const named = flags.flatMap(({ names, about }) => names.map((name) => ({ name, about })))
  const valued = flags.filter(({ value }) => value !== undefined).flatMap(({ names }) => names)
  return [
    `    ${shellWord(path)})`,
    `      below=(${commands.map(described).join(' ')})`,
    `      flags=(${named.map(described).join(' ')})`,
    `      valued=(${valued.join(' ')}) ;;`,
  ].join('\n')
}

/** `name:about`, where colons of the name's own would count. */
function described({ name, about }: Word): string {
  return shellWord(`${name}:${about}`)
}

function valueBranch([at, value]: [string, KnownValue]): string {
  const offer = value === 'file' ? '_files' : `compadd -- ${value.join(' ')}`
  return `    ${shellWord(at)}) ${offer} ;;`
}
