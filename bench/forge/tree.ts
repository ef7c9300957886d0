/** A tree of many files: how it is made, listed page by page, and changed. */

import { type Figure, measuredOf } from '../measure/figure.ts'
import { meanCpu } from './commits.ts'
import {
  ask,
  commit,
  create,
  fileLine,
  peakMegabytesOf,
  type Side,
  type Spent,
  spentOn,
} from './side.ts'

const inFolder = 1000
const inCommit = 50_000

export async function benchTree(side: Side, count: number): Promise<readonly Figure[]> {
  const api = await create(side, 'tree')
  await commit(side, api, [fileLine('first.txt', 'one file, many times')])
  const making: Spent[] = []
  for (let start = 0; start < count; start += inCommit) {
    const lines = Array.from({ length: Math.min(inCommit, count - start) }, (_, at) => {
      const number = start + at
      const path = `folder-${Math.floor(number / inFolder)}/file-${number}.txt`
      return { key: 'copyFile', value: { path, srcPath: 'first.txt' } }
    })
    making.push(await spentOn(side, () => commit(side, api, lines)))
  }
  const pages: Spent[] = []
  let listed = 0
  let largest = 0
  for (let next: string | undefined = `${api}/tree/main?recursive=true`; next !== undefined; ) {
    const page: string = next
    pages.push(
      await spentOn(side, async () => {
        const answer = await ask(side, page)
        const text = await answer.text()
        const entries = JSON.parse(text) as { readonly type: string }[]
        listed += entries.filter(({ type }) => type === 'file').length
        largest = Math.max(largest, entries.length)
        next = /<([^>]+)>; *rel="next"/
          .exec(answer.headers.get('link') ?? '')?.[1]
          ?.replace(/^https?:\/\/[^/]+/, '')
      }),
    )
  }
  if (listed < count) throw new Error(`${side.name} has listed ${listed} of ${count} files`)
  const once = async (path: string) => {
    const spent: Spent[] = []
    for (let round = 0; round < 5; round += 1) {
      spent.push(await spentOn(side, async () => (await ask(side, path)).text()))
    }
    return spent
  }
  const changing: Spent[] = []
  for (let round = 0; round < 10; round += 1) {
    const line = fileLine(`folder-${round}/changed.txt`, `changed ${round}`)
    changing.push(await spentOn(side, () => commit(side, api, [line])))
  }
  const row = (figure: string, spent: readonly Spent[], more = {}): Figure => ({
    figure: `${figure}, ${count} files`,
    anchor: side.name,
    result: measuredOf(
      spent.map(({ milliseconds }) => milliseconds),
      { unit: 'ms' },
    ),
    details: { 'CPU ms': meanCpu(spent), 'peak MB': peakMegabytesOf(side), ...more },
  })
  return [
    row(`a commit of ${inCommit} copies`, making),
    row('a page of the recursive listing', pages, { pages: pages.length, 'most entries': largest }),
    row('one folder of them', await once(`${api}/tree/main/folder-7`)),
    row('a commit of one file among them', changing),
  ]
}
