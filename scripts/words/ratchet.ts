/** Counts that may only fall: breaches by file and rule. A file that is not listed has none. */

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Breaches, checkPage } from './check-page.ts'
import { pages, textOf } from './pages.ts'
import { isHeadless, wordsToAvoid } from './patterns.ts'
import { headlessComments, isBareParticiple, messagesIn, sourceFiles, typeNames } from './source.ts'
import { bareVariables } from './variables.ts'

export type Ratchet = Readonly<Record<string, Readonly<Record<string, number>>>>

const file = resolve(import.meta.dirname, 'ratchet.json')

export function readRatchet(): Ratchet {
  return JSON.parse(readFileSync(file, 'utf8'))
}

export function writeRatchet(ratchet: Ratchet): void {
  writeFileSync(file, `${JSON.stringify(ratchet, null, 2)}\n`)
}

export function findBreaches(): Readonly<Record<string, Breaches>> {
  const sources = sourceFiles()
  const declaredOften = Array.from(typeNames(sources)).filter(([, places]) => places.length > 2)
  const oftenIn = (place: string) =>
    declaredOften.flatMap(([name, places]) => (places.includes(place) ? [name] : []))
  return Object.fromEntries([
    ...pages.map((page) => [page, checkPage(page, textOf(page))] as const),
    ...sources.map(({ file, text }) => [
      file,
      {
        'comment without an actor': headlessComments(text),
        'message without an actor': messagesIn(text).filter(isHeadless),
        'message with a word to avoid': messagesIn(text).flatMap(wordsToAvoid),
        'type declared in more than two files': oftenIn(file),
        'exported bare participle': exportedIn(text).filter(isBareParticiple),
        'variable that is a bare participle': bareVariables(text),
      },
    ]),
  ])
}

function exportedIn(text: string): readonly string[] {
  const names = text.matchAll(/^export (?:interface|type|class) (\w+)/gm)
  return Array.from(names, ([, name = '']) => name)
}

export function countBreaches(found: Readonly<Record<string, Breaches>>): Ratchet {
  const counted = Object.entries(found).map(([place, rules]) => {
    const counts = Object.entries(rules).map(([rule, list]) => [rule, list.length] as const)
    return [place, Object.fromEntries(counts.filter(([, count]) => count > 0))] as const
  })
  return Object.fromEntries(counted.filter(([, rules]) => Object.keys(rules).length > 0))
}
