/** A tree of any size is listed in pages, and one page takes what one page needs. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { rounds } from '../rounds.ts'
import { type ForgeWorld, publicUrl, startForge } from './forge-world.ts'

const files = rounds(1500, 100_000)

/** So many files, half of them in one folder, and the others by hundreds. */
function pathOf(index: number): string {
  return index % 2 === 0 ? `flat/${index}.txt` : `deep/${Math.floor(index / 200)}/${index}.txt`
}

describe.skipIf(!isGitThere)(`a tree of ${files} files`, () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge()
    await world.create('tree')
    const { json } = await world.ask('/api/models/acme/tree', { as: 'owner' })
    const cwd = join(world.data, 'repositories', `${json._id}.git`)
    const names = Array.from({ length: files }, (_, index) => `M 644 :1 ${pathOf(index)}`)
    const input = [
      ...['blob', 'mark :1', 'data 2', 'x', '', 'commit refs/heads/many', 'mark :2'],
      ...['committer A <a@b.example> 1800000000 +0000', 'data 4', 'many', ...names, ''],
    ]
    spawnSync('git', ['fast-import', '--quiet', '--force'], { cwd, input: input.join('\n') })
    const { stdout } = spawnSync('git', ['rev-parse', 'refs/heads/many'], { cwd, encoding: 'utf8' })
    const commit = stdout.trim()
    await world.done('ref set', { repository: 'models/acme/tree', ref: 'many', commit })
  }, 120_000)
  afterAll(() => world?.stopped())

  test('is listed once and whole, a thousand at a time', { timeout: 300_000 }, async () => {
    const seen = new Set<string>()
    let [next, pages, most] = ['/api/models/acme/tree/tree/many?recursive=1', 0, 0]
    const [began, spent] = [performance.now(), process.cpuUsage()]
    while (next !== '') {
      const { status, json, headers } = await world.ask(next, { as: 'reader' })
      expect([status, json.length <= 1000]).toEqual([200, true])
      for (const { path, type } of json) if (type === 'file') seen.add(path)
      const link = headers.get('link') ?? ''
      next = link.slice(1, Math.max(1, link.indexOf('>'))).replace(publicUrl, '')
      pages += 1
      most = Math.max(most, process.memoryUsage.rss())
    }
    expect(seen.size).toBe(files)
    const { user, system } = process.cpuUsage(spent)
    const cpu = Math.round((user + system) / 1000 / pages)
    const wall = Math.round((performance.now() - began) / pages)
    if (files > 1500) {
      console.log(`${pages} pages, ${wall} ms and ${cpu} ms of CPU each, ${most >> 20} MiB at most`)
    }
  })

  test('is told of without a list where one would be too long', async () => {
    const { json } = await world.ask('/api/models/acme/tree/revision/many', { as: 'reader' })
    expect(json.siblings.length).toBe(files <= 20_000 ? files : 0)
  })
})
