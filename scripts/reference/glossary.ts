/** The glossary, from the list of words that the word check reads too. */

import words from '../../docs/words.json' with { type: 'json' }
import { opening, table } from './markdown.ts'

/** `goes? on` and its like as people read them. */
function readable(pattern: string): string {
  return pattern
    .replaceAll(/\(\?:([^)]*)\)\??/g, '($1)')
    .replaceAll(/(\w)\?/g, '($1)')
    .replaceAll('|', ', ')
}

export function glossaryPage(): string {
  const terms = words.terms.toSorted(([a = ''], [b = '']) => a.localeCompare(b))
  const avoid = words.avoid.map(([pattern = '', instead = '']) => [readable(pattern), instead])
  return `${opening('Glossary', 'docs/words.json', 'The terms of this documentation, and the words that it avoids.')}
## Terms

${table(['term', 'meaning'], terms)}
## Words to avoid

A test counts these words in documentation, messages and comments.

${table(['instead of', 'write'], avoid)}`
}
