/** The habits of language that the word check counts. `docs/words.json` adds the words to avoid. */

import words from '../../docs/words.json' with { type: 'json' }
import { headingsIn, proseOf, sentencesIn, withoutCode, wordsIn } from './prose.ts'

const headless = /^(?:What|Who|Whoever|Whatever|Those|Of|Nothing|Nobody|None|Everything|Neither)\b/

export const maxSentenceWords = 30
export const maxColumns = 100
export const maxCellLength = 160

export function isHeadless(sentence: string): boolean {
  return headless.test(sentence) && !/\?["”*)]*$/.test(sentence)
}

/** Sentences that start with a pronoun or a relative clause in place of the actor. */
export function headlessIn(markdown: string): readonly string[] {
  return sentencesIn(proseOf(markdown)).filter(isHeadless)
}

export function longSentences(markdown: string): readonly string[] {
  return sentencesIn(proseOf(markdown)).filter((one) => wordsIn(one) > maxSentenceWords)
}

/** `what` and its like as a noun: `what was sent`, but not `what to do`. */
export function clausesAsNouns(markdown: string): number {
  return countOf(/\b(?:what|whoever|whatever)\b(?! to\b)(?![^.!?]*\?)/gi, proseOf(markdown))
}

export function indefinitePronouns(markdown: string): number {
  return countOf(/\b(?:nobody|nothing|somebody|everybody|anybody)\b/gi, proseOf(markdown))
}

export function addressesReader(markdown: string): number {
  return countOf(/\b(?:you|your|yours)\b/gi, proseOf(markdown))
}

const avoided = words.avoid.map(([pattern = '', instead = '']) => ({
  pattern: new RegExp(`\\b(?:${pattern})\\b`, 'gi'),
  instead,
}))

/** Each as `found: write this`. */
export function wordsToAvoid(text: string): readonly string[] {
  return avoided.flatMap(({ pattern, instead }) =>
    Array.from(text.matchAll(pattern), ([found]) => `${found}: ${instead}`),
  )
}

export function hardHeadings(markdown: string): readonly string[] {
  const isHard = (heading: string) =>
    /^(?:What|Who|When|Where|First|One|Its)\b/.test(heading) || /^How\b(?!.* works$)/.test(heading)
  return headingsIn(markdown).filter(isHard)
}

/** Lines of prose beyond the width; those that a long address fills cannot be broken. */
export function wideLines(markdown: string): readonly string[] {
  return withoutCode(markdown)
    .split('\n')
    .filter((line) => line.length > maxColumns && !/^ *[|!]/.test(line) && !/\S{60,}/.test(line))
}

export function longCells(markdown: string): readonly string[] {
  const rows = withoutCode(markdown).matchAll(/^ *\|.*$/gm)
  return Array.from(rows, ([row]) => row.replaceAll(/\]\([^)]*\)/g, ']').split(/(?<!\\)\|/))
    .flat()
    .filter((cell) => cell.trim().length > maxCellLength)
}

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0
}
