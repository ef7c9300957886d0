import type { CompletionPlace, FlagWord, Value, Word } from './places.ts'

export function fishScript(places: readonly CompletionPlace[]): string {
  return `# Completes latchkey in fish: latchkey completion fish | source

# Whether the words so far are this command, with so many arguments if a number is given.
function __latchkey_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l at ''
    set -l position 0
    set -l flag ''
    for word in $words
        if test -n "$flag"
            set flag ''
        else if contains -- $word (__latchkey_valued "$at")
            set flag $word
        else if string match -q -- '-*' $word
            continue
        else if contains -- $word (__latchkey_below "$at")
            set at (string trim -- "$at $word")
        else
            set position (math $position + 1)
        end
    end
    test "$at" = "$argv[1]"; and contains -- "$argv[2]" '' $position
end

function __latchkey_below
    switch $argv[1]
${places.flatMap(below).join('\n')}
    end
end

function __latchkey_valued
    switch $argv[1]
${places.flatMap(valued).join('\n')}
    end
end

complete -c latchkey -f
${places.flatMap(completions).join('\n')}
`
}

function below({ path, commands }: CompletionPlace): string[] {
  return branch(
    path,
    commands.map(({ name }) => name),
  )
}

function valued({ path, flags }: CompletionPlace): string[] {
  return branch(
    path,
    flags.filter(({ value }) => value !== undefined).flatMap(({ names }) => names),
  )
}

function branch(path: string, words: readonly string[]): string[] {
  if (words.length === 0) return []
  return [`        case ${quoted(path)}`, `            printf '%s\\n' ${words.join(' ')}`]
}

function completions({ path, commands, flags, positions }: CompletionPlace): string[] {
  const here = `complete -c latchkey -n ${quoted(`__latchkey_at ${quoted(path)}`)}`
  return [
    ...commands.map(({ name, about }: Word) => `${here} -a ${name} -d ${quoted(about)}`),
    ...flags.map((flag) => `${here} ${flagWords(flag)}`),
    ...positions.map((value, index) => {
      const there = quoted(`__latchkey_at ${quoted(path)} ${index}`)
      return `complete -c latchkey -n ${there} ${offer(value)}`.trimEnd()
    }),
  ]
}

function flagWords({ names, about, value }: FlagWord): string {
  const words = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  )
  const takes = value === undefined ? [] : [value === 'file' ? '-r -F' : `-x ${offer(value)}`]
  return [...words, ...takes.map((text) => text.trimEnd()), `-d ${quoted(about)}`].join(' ')
}

function offer(value: Value): string {
  if (value === 'file') return '-F'
  return value === 'anything' ? '' : `-a ${quoted(value.join(' '))}`
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
