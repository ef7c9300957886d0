/** The index of the decisions, by area, from the lines below the title of each page. */

import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { opening, table } from './markdown.ts'

const folder = resolve(import.meta.dirname, '../../docs/internals/decisions')

const areas = [
  'tokens and permission',
  'revocation and keys',
  'content visibility',
  'storage and transfer',
  'databases and scale',
  'gate and proxies',
  'forge',
  'packaging and tests',
]

interface Decision {
  readonly file: string
  readonly status: string
  readonly area: string
  readonly sentence: string
}

/** Throws where a page lacks one of its four lines, or names an unknown area. */
export function readDecision(file: string, text: string): Decision {
  const line = (name: string, pattern: string) => {
    const [, value] = new RegExp(`^- \\*\\*${name}:\\*\\* (${pattern})$`, 'm').exec(text) ?? []
    if (value === undefined) throw new Error(`${file} has no valid line "${name}"`)
    return value
  }
  line('Date', '\\d{4}-\\d{2}-\\d{2}')
  return {
    file,
    status: line('Status', 'accepted|(?:superseded by|folded into) .+'),
    area: line('Area', areas.join('|')),
    sentence: line('In one sentence', '.+(?:\\n {2}\\S.*)*'),
  }
}

const introduction = `
One short page per decision that someone might question. A page states the decision, the
alternatives and the consequences. [Explanations](../../explain/security-model.md) describe the
resulting design.

A page marked as folded is a stub: its fact is documented elsewhere. The decisions 0051, 0073 and
0075 were deleted with the features that they described, and the number 0085 was never used.

A new page has at most 300 words, the four lines of the other pages, and the headings Context,
Decision, Alternatives and Consequences.
`

export function decisionsPage(): string {
  const pages = globSync('0*.md', { cwd: folder }).toSorted()
  const decisions = pages.map((file) =>
    readDecision(file, readFileSync(join(folder, file), 'utf8')),
  )
  const sections = areas.map((area) => {
    const rows = decisions.filter((one) => one.area === area).map(rowOf)
    const [first = ''] = area
    const title = first.toUpperCase() + area.slice(1)
    return `\n## ${title}\n\n${table(['page', 'decision', 'status'], rows)}`
  })
  return opening('Decisions', 'the pages', introduction) + sections.join('')
}

function rowOf({ file, status, sentence }: Decision): readonly string[] {
  const [word = ''] = status.split(' ')
  return [`[${basename(file).slice(0, 4)}](${file})`, sentence, word]
}
