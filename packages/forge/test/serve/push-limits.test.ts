/** What bounds a push: the room of a repository, the pace of a client, and its patience. */

import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { noCommit } from '@latchkey/protocol'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge } from './forge-world.ts'
import { clone } from './git-client.ts'

describe.skipIf(!isGitThere)('a push', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge({}, { bounds: { repositoryBytes: 200_000 } })
  })
  afterAll(() => world?.stopped())

  const partsIn = () =>
    readdirSync(join(world.data, 'repositories')).filter((name) => name.endsWith('.part'))

  test('that fills the repository beyond its bound is refused, and leaves nothing', async () => {
    await world.create('filled')
    const ada = await clone(world, 'filled', 'writer')
    await ada.commit({ 'a.bin': randomBytes(120_000) })
    await ada.git('push', 'origin', 'main')
    await ada.commit({ 'b.bin': randomBytes(120_000) })
    const { code, text } = await ada.tryGit('push', 'origin', 'main')
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(/remote: The repository has \d+ bytes in git, and may have 200000/),
    ])
    expect(partsIn()).toEqual([])
  })

  test('that breaks off leaves nothing, and the next one is served', async () => {
    await world.create('broken')
    const ada = await clone(world, 'broken', 'writer')
    const commit = await ada.commit({ 'a.bin': randomBytes(60_000) })
    await ada.git('branch', 'whole')
    const line = `${noCommit} ${commit} refs/heads/half\0report-status`
    const head = Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`)
    const pack = Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0, 0, 0, 3])])
    const sending = request(`${world.hub.url}/acme/broken.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.tokenOf('writer')}`,
        'content-type': 'application/x-git-receive-pack-request',
        'content-length': '100000',
      },
    })
    sending.on('error', () => {})
    sending.write(Buffer.concat([head, pack, Buffer.from([0x91, 0x01])]))
    await vi.waitFor(() => expect(partsIn()).toHaveLength(1), { timeout: 20_000 })
    sending.destroy()
    await vi.waitFor(() => expect(partsIn()).toEqual([]), { timeout: 20_000 })
    await ada.git('push', 'origin', 'whole')
    const refs = await world.ask('/api/models/acme/broken/refs', { as: 'owner' })
    expect(refs.json.branches.map(({ name }: { name: string }) => name)).toEqual(['main', 'whole'])
  })

  test('in parts, after a question without commands and compressed, is one push', async () => {
    await world.create('sent')
    const ada = await clone(world, 'sent', 'writer')
    await ada.commit({ 'a.bin': randomBytes(30_000) })
    const small = ['-c', 'http.postBuffer=8192', '-c', 'protocol.version=0']
    await ada.git(...small, 'push', 'origin', 'main')
    const answer = await fetch(`${world.hub.url}/acme/sent.git/info/refs?service=git-receive-pack`)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /)
  })
})
