/** Writes the glossary from `docs/words.json`, the list that the word check reads too. */

import words from '../../docs/words.json' with { type: 'json' }

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** `goes? on` and its like as people read them. */
function readable(pattern: string): string {
  return pattern
    .replaceAll(/(\w)\?/g, '($1)')
    .replaceAll(/\(\?:([^)]*)\)\(?\??\)?/g, '($1)')
    .replaceAll('|', ', ')
}

export function glossaryPage(): string {
  return [
    '# Glossary',
    '',
    'This page is written from `docs/words.json` by `npm run docs:reference`.',
    '',
    '## Terms',
    '',
    row(['term', 'meaning']),
    row(['---', '---']),
    ...words.terms.toSorted(([a = ''], [b = '']) => a.localeCompare(b)).map(row),
    '',
    '## Words to avoid',
    '',
    'A test counts these words in documentation, messages and help.',
    '',
    row(['instead of', 'write']),
    row(['---', '---']),
    ...words.avoid.map(([pattern = '', instead = '']) => row([readable(pattern), instead])),
    '',
  ].join('\n')
}
