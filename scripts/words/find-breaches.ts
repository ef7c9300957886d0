/** Finds the breaches of every page and source file, by rule. */

import { type Breaches, checkPage } from './check-page.ts'
import { pages, textOf } from './pages.ts'
import { isHeadless, wordsToAvoid } from './patterns.ts'
import { headlessComments, isBareParticiple, messagesIn, sourceFiles, typeNames } from './source.ts'
import { bareVariables } from './variables.ts'

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
