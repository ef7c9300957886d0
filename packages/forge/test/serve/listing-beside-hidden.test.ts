/** Lists and searches tell about repositories that the caller may read, and about no others. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { rounds } from '../rounds.ts'
import { type ForgeWorld, publicUrl, startForge, type Who } from './forge-world.ts'

/** More than a hub looks through for one request. */
const hiddenCount = 4200

const callers: readonly (Who | undefined)[] = ['reader', 'stranger', 'ci-bot', undefined]
const limits = rounds(0, 1) === 0 ? [1, 5] : [1, 2, 5]
const paths = limits.flatMap((limit) => [
  `/api/models?limit=${limit}`,
  `/api/models?limit=${limit}&search=a`,
  `/api/models?limit=${limit}&search=no-such-name`,
  `/api/models?limit=${limit}&author=acme`,
  `/api/models?limit=${limit}&author=hidden`,
  `/api/models?limit=${limit}&author=mixed`,
  `/api/organizations/hidden/settings/repositories?limit=${limit}`,
])

/** Each page with its status, body and Link. Cursors differ from each other: only their length is kept. */
async function pagesOf(world: ForgeWorld, path: string, as: Who | undefined): Promise<string[]> {
  const pages: string[] = []
  for (let next = path; next !== '' && pages.length < 20; ) {
    const { status, text, headers } = await world.ask(next, { as })
    const link = headers.get('link') ?? ''
    const shown = link.replace(/cursor=[^&>]+/, ({ length }) => `cursor of ${length}`)
    pages.push(`${status} ${text.replace(/"requestId":"\w+"/, '')} ${shown}`)
    next = link.slice(1, Math.max(1, link.indexOf('>'))).replace(publicUrl, '')
  }
  return pages
}

describe.skipIf(!isGitThere)('a list of repositories beside hidden ones', () => {
  let world: ForgeWorld
  const before = new Map<string, readonly string[]>()
  const asked = callers.flatMap((as) => paths.map((path) => [as, path] as const))

  beforeAll(async () => {
    world = await startForge({ anonymousPublicRead: true })
    await world.apply({
      namespaces: ['mixed', 'hidden'].map((name) => ({ name, members: { owner: 'admin' } })),
      repositories: [
        ...['a', 'b', 'z'].map((name) => ({ type: 'model', id: `acme/${name}` })),
        { type: 'model', id: 'mixed/open-a', visibility: 'public' },
        { type: 'model', id: 'mixed/shared-a', collaborators: { reader: 'read' } },
        { type: 'model', id: 'other/open-z', visibility: 'public' },
      ],
    })
    for (const [as, path] of asked) before.set(`${as} ${path}`, await pagesOf(world, path, as))
    await world.apply({
      // The account reads them. Its hub token does not.
      namespaces: [{ name: 'hidden', members: { owner: 'admin', 'ci-bot': 'read' } }],
      repositories: Array.from({ length: hiddenCount }, (_, at) => ({
        type: 'model',
        id: `${at % 2 === 0 ? 'hidden' : 'mixed'}/secret-a-${at}`,
      })),
    })
  }, 60_000)
  afterAll(() => world?.stopped())

  test('has the bytes that it has without them, for every caller and limit', async () => {
    for (const [as, path] of asked) {
      expect(await pagesOf(world, path, as), `${as} ${path}`).toEqual(before.get(`${as} ${path}`))
    }
  })

  test('has cursors of one length, whatever the length of the name in them', () => {
    const pages = [...before.values()].flat()
    const lengths = pages.flatMap((page) => /cursor of \d+/.exec(page)?.[0] ?? [])
    expect(lengths.length).toBeGreaterThan(10)
    expect(new Set(lengths).size).toBe(1)
  })
})
