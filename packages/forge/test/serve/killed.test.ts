/** SIGKILL for a hub and its git at random moments of commits and pushes that clients send. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/machine/time'
import { printedChance, printSides, rounds } from '@latchkey/testing/chance'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { putNewDatabaseOf } from '@latchkey/testing/hub/new-database'
import { applied, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { type Serving, serve } from '@latchkey/testing/machine/command'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'
import { askGit } from '../git/world.ts'
import { isGitThere } from '../real-git.ts'
import { gitIn } from './git-client.ts'

/** With the kills of a commit by git alone, these are 20. */
const count = rounds(12, 400)

async function makeDirectory(data: string): Promise<string> {
  const settings = testSettings(data)
  await putNewDatabaseOf(settings)
  const store = await openStore(settings, { create: false })
  const tokens = await applied<string>(verbRunner({ ...store, data }, systemClock), {
    accounts: [{ name: 'ada' }],
    namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
    hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
  })
  await store.close()
  return tokens['ada/laptop'] ?? ''
}

function start(data: string): Promise<Serving> {
  const casUrl = 'https://cas.example/r/{repo}/{ref}'
  const words = ['--forge', '--no-storage', '--data', data, '--cas-url', casUrl]
  return serve(words, { cwd: data })
}

interface Acknowledged {
  readonly ref: string
  readonly hash: string
}

type ShownRefs = Readonly<
  Record<'branches' | 'tags', readonly { readonly ref: string; readonly targetCommit: string }[]>
>

const isPush = (round: number) => round % 2 === 0
const headOf = (round: number) => `refs/heads/${isPush(round) ? 'moving' : 'main'}`

function inApi({ branches, tags }: ShownRefs): Readonly<Record<string, string>> {
  const all = [...branches, ...tags]
  return Object.fromEntries(all.map(({ ref, targetCommit }) => [ref, targetCommit]))
}

/** Of tags the commits that they lead to. */
function inGit(place: string): Readonly<Record<string, string>> {
  const format = '--format=%(refname) %(objectname) %(*objectname)'
  const lines = askGit(place, ['for-each-ref', format, 'refs/heads', 'refs/tags']).toString()
  return Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => {
        const [ref = '', object = '', peeled] = line.split(' ')
        return [ref, peeled || object]
      }),
  )
}

/** Both at once, as when the machine stops: nobody can tidy up after another. */
async function killAll({ child, ended }: Serving): Promise<void> {
  child.kill('SIGSTOP')
  for (const pid of childrenOf(child.pid)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
  child.kill('SIGKILL')
  await ended
}

// conformance: Forge / A kill leaves git and the hub's database consistent
test.skipIf(!isGitThere)(
  `after ${count} kills in the middle of commits and pushes git and the directory agree, and nothing acknowledged is lost`,
  async () => {
    const data = temporaryFolder()
    const token = await makeDirectory(data)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const post = (hub: Serving, path: string, body: string) =>
      fetch(hub.url + path, { method: 'POST', headers, body })
    const api = '/api/models/acme/killed'
    /** The commit that was acknowledged; undefined where there was no answer. */
    const commit = async (hub: Serving, name: string): Promise<string | undefined> => {
      const lines = [
        { key: 'header', value: { summary: name } },
        { key: 'file', value: { path: `folder/${name}`, content: name.repeat(2000) } },
        { key: 'file', value: { path: 'same.txt', content: name } },
      ]
      const body = lines.map((line) => JSON.stringify(line)).join('\n')
      try {
        const answer = await post(hub, `${api}/commit/main`, body)
        if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
        return ((await answer.json()) as { commitOid: string }).commitOid
      } catch (error) {
        if (error instanceof TypeError) return undefined
        throw error
      }
    }

    const client = await gitIn()
    /** The refs that were acknowledged, and their commit. */
    const push = async (hub: Serving, name: string): Promise<readonly Acknowledged[]> => {
      const address = `${hub.url.replace('//', `//git:${token}@`)}/acme/killed`
      const refs = ['refs/heads/moving', `refs/heads/new-${name}`, `refs/tags/tag-${name}`]
      const specs = [`HEAD:${refs[0]}`, `HEAD:${refs[1]}`, `tag-${name}:${refs[2]}`]
      const { text } = await client.tryGit('push', '--porcelain', address, ...specs)
      const hash = await client.git('rev-parse', 'HEAD')
      return refs
        .filter((ref) => new RegExp(`^[*+ ]\\t\\S+:${ref}\\t`, 'm').test(text))
        .map((ref) => ({ ref, hash }))
    }

    let hub = await start(data)
    try {
      const made = await post(
        hub,
        '/api/repos/create',
        JSON.stringify({ name: 'killed', organization: 'acme' }),
      )
      expect(made.status).toBe(200)
      const [folder = ''] = readdirSync(join(data, 'repositories')).filter((name) =>
        name.endsWith('.git'),
      )
      const place = join(data, 'repositories', folder)
      await commit(hub, 'warm')
      // Node keeps what it has compiled for the next starts, but not where it is killed.
      await hub.end()
      hub = await start(data)
      await commit(hub, 'warm again')
      const begun = performance.now()
      const first = await commit(hub, 'measured')
      let course = performance.now() - begun
      await client.git('init', '--quiet', '.')
      await client.commit({ 'pushed.txt': 'first' })
      await client.git('tag', '-a', 'tag-0', '-m', 'first')
      const beganPush = performance.now()
      const pushed = [...(await push(hub, '0'))]
      expect(pushed).toHaveLength(3)
      let pushCourse = performance.now() - beganPush

      const chance = printedChance('a commit or a push')
      const sides = { before: 0, after: 0 }
      const acknowledged = [first]
      let left = 0
      for (let round = 1; round <= count; round += 1) {
        const before = readFileSync(join(place, headOf(round)), 'utf8').trim()
        if (isPush(round)) {
          await client.commit({ 'pushed.txt': `${round}`, [`file-${round}`]: `${round}` })
          await client.git('tag', '-a', `tag-${round}`, '-m', `${round}`)
          const answer = push(hub, `${round}`)
          await sleep(pushCourse * (0.3 + chance.next()))
          await killAll(hub)
          const done = await answer
          pushed.push(...done)
          pushCourse *= done.length === 3 ? 0.7 : done.length === 0 ? 1.3 : 1
        } else {
          const answers = Promise.all([commit(hub, `${round}-a`), commit(hub, `${round}-b`)])
          await sleep(chance.next() * course * 2)
          await killAll(hub)
          const done = (await answers).filter((oid) => oid !== undefined)
          acknowledged.push(...done)
          // The machine may be faster or slower than when the course was measured.
          course *= done.length === 2 ? 0.7 : done.length === 0 ? 1.2 : 1
        }
        left += readdirSync(join(data, 'forge', 'pending')).length

        hub = await start(data)
        const info = await fetch(hub.url + api, { headers })
        const { sha } = (await info.json()) as { sha: string }
        const head = readFileSync(join(place, headOf(round)), 'utf8').trim()
        expect(readFileSync(join(place, 'refs/heads/main'), 'utf8').trim()).toBe(sha)
        const refs = await fetch(`${hub.url}${api}/refs`, { headers })
        expect(inGit(place)).toEqual(inApi((await refs.json()) as ShownRefs))
        const folders = readdirSync(join(data, 'repositories'))
        expect(folders.filter((name) => name.endsWith('.part'))).toEqual([])
        const files = readdirSync(place, { recursive: true }).map(String)
        expect(files.filter((file) => file.endsWith('.lock'))).toEqual([])
        expect(readdirSync(join(data, 'forge', 'pending'))).toEqual([])
        sides[head === before ? 'before' : 'after'] += 1
      }
      const history = askGit(place, ['rev-list', 'refs/heads/main']).toString().split('\n')
      expect(acknowledged.filter((oid) => !history.includes(oid ?? ''))).toEqual([])
      const now = inGit(place)
      const moving = askGit(place, ['rev-list', 'refs/heads/moving']).toString().split('\n')
      const isThere = ({ ref, hash }: Acknowledged) =>
        ref === 'refs/heads/moving' ? moving.includes(hash) : now[ref] === hash
      expect(pushed.filter((one) => !isThere(one))).toEqual([])
      askGit(place, ['fsck', '--strict', '--no-dangling'])
      expect(await commit(hub, 'last')).toBeDefined()
      printSides('a commit or a push', sides)
      process.stdout.write(
        `a commit or a push: ${left} times a marker was left, ${acknowledged.length + pushed.length} were acknowledged\n`,
      )
    } finally {
      await killAll(hub)
    }
  },
  count * 20_000,
)
