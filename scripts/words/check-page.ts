/** The rules of a page of documentation, each as the list of its breaches. */

import {
  addressesReader,
  hardHeadings,
  headlessIn,
  longCells,
  longSentences,
  wideLines,
  wordsToAvoid,
} from './patterns.ts'
import { allWords, proseOf, sentencesIn, withoutCode, wordsIn } from './prose.ts'

export const maxPageWords = 1500
const maxMeanWords = 16
const minYouPerThousand = 10

export type Breaches = Readonly<Record<string, readonly string[]>>

/** Generated pages begin with a note for editors. */
export function isGenerated(text: string): boolean {
  return text.startsWith('<!-- `npm run docs:reference` writes this page')
}

export function isDecision(page: string): boolean {
  return page.startsWith('docs/internals/decisions/')
}

/** Their source is code: what they say is checked, how they are laid out is not. */
function wordsOf(text: string): Breaches {
  return {
    'sentence without an actor': headlessIn(text),
    'heading that is no noun or task': hardHeadings(text),
  }
}

/** Cells of tables are sentences too. */
function everyCell(text: string): string {
  return withoutCode(text)
    .replaceAll(/`[^`]*`/g, 'x')
    .replaceAll(/\]\([^)]*\)/g, ']')
}

export function checkPage(page: string, text: string): Breaches {
  if (isGenerated(text)) {
    const isList = /glossary|conformance/.test(page)
    // Help texts stand in blocks of code.
    const withHelp = text.replaceAll(/^ *```.*$/gm, '\n')
    return {
      ...wordsOf(text),
      'sentence without an actor': headlessIn(withHelp),
      'word to avoid': isList ? [] : wordsToAvoid(everyCell(text)),
    }
  }
  const sentences = sentencesIn(proseOf(text))
  const mean = sentences.reduce((sum, one) => sum + wordsIn(one), 0) / Math.max(1, sentences.length)
  const words = allWords(text)
  const you = (addressesReader(text) * 1000) / Math.max(1, wordsIn(proseOf(text)))
  const isForReader = /^docs\/(?:start|guides)\//.test(page)
  const titles = withoutCode(text).match(/^# /gm)?.length ?? 0
  return {
    ...wordsOf(text),
    'long sentence': longSentences(text),
    'word to avoid': wordsToAvoid(proseOf(text)),
    'wide line': wideLines(text),
    'long cell': longCells(text),
    'long page': words > maxPageWords ? [`${words} words, at most ${maxPageWords}`] : [],
    'long sentences on average': mean > maxMeanWords ? [`${mean.toFixed(1)} words`] : [],
    'reader not addressed': isForReader && you < minYouPerThousand ? [`${you.toFixed(1)} you`] : [],
    'titles other than one': titles === 1 ? [] : [`${titles} titles`],
  }
}
