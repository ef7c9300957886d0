import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const documents = globSync(
  ['*.md', 'docs/**/*.md', '{clients,packages}/*/README.md', '{examples,outside}/**/README.md'],
  { cwd: root, exclude: ['**/node_modules'] },
)

interface Link {
  readonly file: string
  readonly heading: string
}

/** Links of a document that lead to a file of the project. */
function localLinks(document: string): readonly Link[] {
  const links = read(document).matchAll(/\]\(([^)#\s]*)(?:#([^)]*))?\)/g)
  return Array.from(links, ([, file = '', heading = '']) => ({ file, heading })).filter(
    ({ file }) => !/^[a-z]+:/.test(file),
  )
}

/** The anchors that a document has, as GitHub makes them of its headings. */
function anchorsIn(document: string): readonly string[] {
  const headings = read(document).matchAll(/^#+ (.*)$/gm)
  return Array.from(headings, ([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe.each(documents)('%s', (document) => {
  test('links only to files and headings that exist', () => {
    const broken = localLinks(document).filter(({ file, heading }) => {
      const target = file === '' ? document : join(dirname(document), file)
      if (!existsSync(join(root, target))) return true
      return heading !== '' && !anchorsIn(target).includes(heading)
    })
    expect(broken).toEqual([])
  })
})

test('the page about the architecture names the steps of a token request as the code does, in their order', () => {
  const [, section = ''] = read('docs/internals/architecture.md').split('\n## A token request\n')
  const [flow = ''] = section.split('\n## ')
  const namesIn = (text: string, pattern: RegExp) =>
    Array.from(text.matchAll(pattern), ([, name]) => name)
  const [parsed, ...steps] = namesIn(flow, /^\| `(\w+)` \|/gm)
  expect(read('packages/hub/src/http/serve-token-request.ts')).toContain(`${parsed}(`)
  const [, job = ''] = read('packages/hub/src/issue/issue-token.ts').split('function issueToken(')
  const [body = ''] = job.split('\n}\n')
  expect(namesIn(body, /^ {2}const \w+ = (?:await )?(\w+)\(/gm)).toEqual(steps)
  expect(body.split('\n').length).toBeLessThan(50)
  const files = globSync('packages/{hub,protocol}/src/**/*.ts', { cwd: root })
  const made = new Set(files.flatMap((file) => namesIn(read(file), /function (\w+)/g)))
  expect(namesIn(flow, /`([a-z]\w*[A-Z]\w*)`/g).filter((name) => !made.has(name))).toEqual([])
})
