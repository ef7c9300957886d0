/** One account never has all git processes that stream, or all places of pushes, however many hub tokens it has. */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  blobOf,
  commitText,
  noObject,
  objectOf,
  packOf,
  pushBody,
  treeOf,
} from '@latchkey/testing/git/packs'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge } from './forge-world.ts'

const gitBounds = { maxServing: 8, maxServingOfAccount: 3 }
const names = ['one', 'two', 'three', 'four']
const run = promisify(execFile)

describe.skipIf(!isGitThere)('slow fetches by four hub tokens of one account', () => {
  let world: ForgeWorld
  let commit: string
  beforeAll(async () => {
    world = await startForge({}, { gitBounds })
    await world.apply({
      hubTokens: names.flatMap((name) => [
        { account: 'writer', name, kind: 'read' },
        { account: 'writer', name: `${name}-writing`, kind: 'write' },
      ]),
    })
    await world.create('large')
    // More than the buffers of a connection take: a client that does not read holds its process.
    const content = randomBytes(9 * 1024 * 1024).toString('base64')
    const { json } = await world.ask('/api/models/acme/large/commit/main', {
      as: 'writer',
      body: [
        { key: 'header', value: { summary: 'large' } },
        { key: 'file', value: { path: 'large.bin', content, encoding: 'base64' } },
      ],
    })
    commit = json.commitOid
    await world.create('small')
  })

  /** Asks for the whole repository, and reads nothing of it. */
  function fetchSlowly(token: string) {
    const sent = httpRequest(`${world.hub.url}/acme/large.git/git-upload-pack`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Basic ${Buffer.from(`git:${token}`).toString('base64')}`,
        'content-type': 'application/x-git-upload-pack-request',
      },
    })
    const state = { sent, isAnswered: false, isOver: false }
    sent.on('response', (response: IncomingMessage) => {
      state.isAnswered = true
      response.on('error', () => {})
    })
    sent.on('error', () => {})
    sent.on('close', () => {
      state.isOver = true
    })
    sent.end(`0032want ${commit}\n00000009done\n`)
    return state
  }

  async function clone(token: string) {
    const address = new URL('/acme/small.git', world.hub.url)
    address.username = 'git'
    address.password = token
    const env = { PATH: process.env['PATH'] ?? '', HOME: '/dev/null', GIT_TERMINAL_PROMPT: '0' }
    await run('git', ['clone', '-q', address.href, join(temporaryFolder(), 'clone')], { env })
  }

  // conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
  test('take the share of one account, and leave the rest to other accounts at once', async () => {
    const tokens = names.map((name) => world.tokens[`writer/${name}`]?.reveal() ?? '')
    const slow = [...tokens, ...tokens, ...tokens].map(fetchSlowly)
    const answered = () => slow.filter(({ isAnswered }) => isAnswered).length
    await expect.poll(answered).toBeGreaterThanOrEqual(3)
    await clone(world.tokenOf('reader'))
    // The hub cuts a connection that is not read for 30 s: until then, the others have held what they have.
    expect(slow.some(({ isOver }) => isOver)).toBe(false)
    expect(answered()).toBe(gitBounds.maxServingOfAccount)
    // A client that leaves gives its process to the next one of its account.
    slow.find(({ isAnswered }) => isAnswered)?.sent.destroy()
    await expect.poll(answered).toBe(gitBounds.maxServingOfAccount + 1)
    for (const { sent } of slow) sent.destroy()
  })

  // conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
  test('and pushes that stop in the middle of a pack keep no push of another account waiting', async () => {
    const pack = packOf([blobOf(randomBytes(100_000))], 2)
    const line = `${noObject} ${'a'.repeat(40)} refs/heads/slow`
    const slow = names.flatMap((name) =>
      [1, 2, 3].map(() => {
        const sent = httpRequest(`${world.hub.url}/acme/large.git/git-receive-pack`, {
          method: 'POST',
          agent: false,
          headers: {
            authorization: `Bearer ${world.tokens[`writer/${name}-writing`]?.reveal()}`,
            'content-type': 'application/x-git-receive-pack-request',
          },
        })
        sent.on('error', () => {})
        sent.write(pushBody([line], pack.subarray(0, 60_000)))
        return sent
      }),
    )
    const parts = () =>
      readdirSync(join(world.data, 'repositories')).filter((name) => name.endsWith('.part'))
    await expect.poll(() => parts().length, { timeout: 60_000 }).toBeGreaterThan(1)
    const own = objectOf('commit', commitText(treeOf().hash))
    const pushed = await fetch(`${world.hub.url}/acme/small.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.tokenOf('owner')}`,
        'content-type': 'application/x-git-receive-pack-request',
      },
      body: pushBody([`${noObject} ${own.hash} refs/heads/beside`], packOf([treeOf(), own])),
    })
    expect(await pushed.text()).toContain('ok refs/heads/beside')
    expect(parts().length).toBeLessThan(slow.length)
    for (const sent of slow) sent.destroy()
    await expect.poll(parts, { timeout: 60_000 }).toEqual([])
  })

  test('leave no listeners behind: Node warns of none when the hub stops beside them', async () => {
    const warnings: string[] = []
    const note = ({ message }: Error) => warnings.push(message)
    process.on('warning', note)
    const slow = fetchSlowly(world.tokens['writer/one']?.reveal() ?? '')
    await expect.poll(() => slow.isAnswered, { timeout: 60_000 }).toBe(true)
    const stopped = world.stopped()
    slow.sent.destroy()
    await stopped
    process.off('warning', note)
    expect(warnings).toEqual([])
  })
})
