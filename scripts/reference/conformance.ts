/** docs/reference/conformance.md: each clause with its tests, from the tags above the tests. */

import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { clauseNames, clauses } from '@latchkey/conform/clauses'
import { attackTable } from '@latchkey/testing/attacks/attacks'
import { opening, prose, table } from './markdown.ts'
import { testNameAt } from './test-name.ts'

const root = resolve(import.meta.dirname, '../..')

interface TaggedTest {
  /** The section and the clause, as the tag has them. */
  readonly tag: string
  readonly file: string
  readonly name: string
}

const tagLine = /^( *)\/\/ conformance: (.+)$/gm

let tagged: readonly TaggedTest[] | undefined

/** Every tag of the project, in the order of files and lines. */
function taggedTests(): readonly TaggedTest[] {
  tagged ??= findTagged()
  return tagged
}

function findTagged(): readonly TaggedTest[] {
  const files = globSync(
    ['packages/*/test/**/*.ts', 'packages/testing/src/**/*.ts', 'scripts/**/test/*.ts'],
    {
      cwd: root,
      exclude: ['**/node_modules'],
    },
  )
  return files.toSorted().flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    if (!text.includes('// conformance: ')) return []
    return Array.from(text.matchAll(tagLine), ({ 0: line, 2: tag = '', index }) => {
      const name = nameBelow(text, index + line.length)
      if (name === undefined) throw new Error(`${file}: no test below "// conformance: ${tag}"`)
      return { tag, file, name }
    })
  })
}

/** The name of the test below a tag, after the names of the groups around it. Further comments may stand between. */
function nameBelow(text: string, tagEnd: number): string | undefined {
  const start = /(?:\n *\/\/.*)*\n( *)(?=[a-z])/y
  start.lastIndex = tagEnd
  const [, indent = ''] = start.exec(text) ?? []
  const name = testNameAt(text, start.lastIndex)
  return name === undefined ? undefined : [...groupsAround(text, tagEnd, indent), name].join(' › ')
}

function groupsAround(text: string, end: number, indent: string): readonly string[] {
  const groups = Array.from(text.slice(0, end).matchAll(/^( *)(?=describe\b)/gm))
  const names: string[] = []
  let inner = indent.length
  for (const { 1: space = '', index } of groups.toReversed()) {
    const name = testNameAt(text, index + space.length)
    if (space.length >= inner || name === undefined) continue
    names.unshift(name)
    inner = space.length
  }
  return names
}

const known: readonly string[] = clauseNames

export function unknownTags(): readonly string[] {
  return taggedTests()
    .filter(({ tag }) => !known.includes(tag))
    .map(({ tag, file }) => `${file}: ${tag}`)
}

export function clausesWithoutTest(): readonly string[] {
  const tags = new Set(taggedTests().map(({ tag }) => tag))
  return known.filter((clause) => !tags.has(clause))
}

export function conformancePage(): string {
  const tests = taggedTests()
  return [
    opening('Conformance', 'the comments "conformance" above the tests', introduction),
    ...clauses.map(([section, names]) => {
      const rows = names.flatMap((name) => rowsOf(name, section, tests))
      return [
        `## ${section}\n`,
        ...(section === attackForms ? [prose(aboutAttacks), `${attackTable()}\n`] : []),
        table(['clause', 'test', 'file'], rows),
      ].join('\n')
    }),
  ].join('\n')
}

const introduction = `
Each clause names a property of Latchkey and the tests that fail without it. The sections from
Resources to Limits follow the specification of the token service. A comment above each test names
the clause, for example \`// conformance: Lifetime / 1. A token is valid until exp\`.
`

const attackForms = 'Attacks by form of the gate'

const aboutAttacks = `
The tests send [one table of requests](../../packages/testing/src/attacks/attacks.ts) through every form
of the gate. A number is the status of the rejection; the storage then receives no request.
\`harmless\`: the gate admits the request, and the storage does not receive or does not use the misleading
part. \`app\`: the application receives the request as it came, because the application decides which
headers and hosts it trusts. nginx supports no statuses but 401 and 403. A fetch \`Request\` has a
normalized URL before the gate checks it, and Traefik decodes letters first.
`

function rowsOf(
  clause: string,
  section: string,
  tests: readonly TaggedTest[],
): readonly (readonly string[])[] {
  const own = tests.filter(({ tag }) => tag === `${section} / ${clause}`)
  return own.map(({ name, file }, at) => [at === 0 ? clause : '', span(name), link(file)])
}

/** Code may contain a backtick. */
function span(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

function link(file: string): string {
  const [, name = '', rest = ''] =
    /^(?:packages\/)?([\w-]+)\/(.*?)(?:\.test)?\.ts$/.exec(file) ?? []
  const short = rest.replace(/(?:^|\/)(?:test|src)(?=\/)/, '').replace(/^\//, '')
  return `[${name}/${short}](${join('../..', dirname(file), file.split('/').at(-1) ?? '')})`
}
