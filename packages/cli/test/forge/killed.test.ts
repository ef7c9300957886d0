/** SIGKILL for a hub, its forge and their git at random moments of commits, pushes and uploads that clients send. */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { printedChance, printSides, rounds } from '@latchkey/testing/chance'
import { hasProc } from '@latchkey/testing/machine/child-processes'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { expect, test, vi } from 'vitest'
import { gitClient } from './git-client.ts'
import { openKilledSite, type Victim, victims } from './killed-site.ts'

const isTested = findProgram('git') !== undefined && hasProc
if (!isTested) console.warn('SKIPPED: kills of a forge need git and /proc')

/** With the kills of a commit by git alone, these are 20. */
const count = rounds(12, 400)

const activities = ['push', 'commit', 'upload'] as const
type Activity = (typeof activities)[number]

interface Acknowledged {
  readonly ref: string
  readonly hash: string
}

type ShownRefs = Readonly<
  Record<'branches' | 'tags', readonly { readonly ref: string; readonly targetCommit: string }[]>
>

function inApi({ branches, tags }: ShownRefs): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...branches, ...tags].map(({ ref, targetCommit }) => [ref, targetCommit]),
  )
}

const askGit = (place: string, ...words: readonly string[]) =>
  execFileSync('git', ['-C', place, ...words], { encoding: 'utf8', maxBuffer: 2 ** 26 }).trim()

/** Tags count as the commits that they lead to. */
function inGit(place: string): Readonly<Record<string, string>> {
  const format = '--format=%(refname) %(objectname) %(*objectname)'
  const lines = askGit(place, 'for-each-ref', format, 'refs/heads', 'refs/tags').split('\n')
  return Object.fromEntries(
    lines.map((line) => {
      const [ref = '', object = '', peeled] = line.split(' ')
      return [ref, peeled || object]
    }),
  )
}

const oidOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')

// conformance: Forge / A kill leaves git and the hub's database consistent
test.skipIf(!isTested)(
  `after ${count} kills of hub, forge and git in the middle of commits, pushes and uploads git and the directory agree, and nothing acknowledged is lost`,
  async () => {
    const cwd = temporaryFolder()
    const site = await openKilledSite(cwd)
    const { url, token, data } = site
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const api = `${url}/api/models/acme/killed`
    /** Undefined where the victim did not respond, or another says that it does not. */
    const post = async (address: string, body: string, more: RequestInit = {}) => {
      const answer = await fetch(address, { method: 'POST', headers, body, ...more }).catch(
        () => {},
      )
      if (answer === undefined || answer.status >= 500) return undefined
      const text = await answer.text().catch(() => undefined)
      if (text === undefined) return undefined
      expect([answer.status, text]).toEqual([200, expect.anything()])
      return text
    }
    /** The commit that was acknowledged. */
    const commit = async (lines: readonly object[]): Promise<string | undefined> => {
      const all = [{ key: 'header', value: { summary: 'a commit' } }, ...lines]
      const body = all.map((line) => JSON.stringify(line)).join('\n')
      const text = await post(`${api}/commit/main`, body)
      return text === undefined ? undefined : JSON.parse(text).commitOid
    }
    const commitText = (name: string) =>
      commit([
        { key: 'file', value: { path: `folder/${name}`, content: name.repeat(2000) } },
        { key: 'file', value: { path: 'same.txt', content: name } },
      ])
    const nameLarge = (content: Buffer) => {
      const [oid, size] = [oidOf(content), content.length]
      return { key: 'lfsFile', value: { path: `${oid}.bin`, algo: 'sha256', oid, size } }
    }
    /** Whether the upload was acknowledged. */
    const upload = async (content: Buffer): Promise<boolean> => {
      const object = { oid: oidOf(content), size: content.length }
      const batch = { operation: 'upload', transfers: ['basic'], objects: [object] }
      const more = { headers: { ...headers, 'content-type': 'application/vnd.git-lfs+json' } }
      const text = await post(
        `${url}/acme/killed.git/info/lfs/objects/batch`,
        JSON.stringify({ ...batch, ref: { name: 'refs/heads/main' } }),
        more,
      )
      if (text === undefined) return false
      const [{ actions, error }] = JSON.parse(text).objects
      if (error?.code >= 500) return false
      const { href, header } = actions.upload
      const sent = { method: 'PUT', headers: header, body: new Uint8Array(content) }
      return (await post(href, '', sent)) !== undefined
    }

    const { git, tryGit } = gitClient(() => cwd)
    const prepareCommit = async (name: string) => {
      writeFileSync(join(cwd, 'clone', 'pushed.txt'), name)
      writeFileSync(join(cwd, 'clone', `file-${name}`), name)
      await git('clone', 'add', '.')
      await git('clone', 'commit', '--quiet', '--message', name)
      await git('clone', 'tag', '--annotate', `tag-${name}`, '--message', name)
    }
    /** The refs that were acknowledged, and their commit. */
    const push = async (name: string): Promise<readonly Acknowledged[]> => {
      const address = `${url.replace('//', `//git:${token}@`)}/acme/killed`
      const refs = ['refs/heads/moving', `refs/heads/new-${name}`, `refs/tags/tag-${name}`]
      const specs = [`HEAD:${refs[0]}`, `HEAD:${refs[1]}`, `tag-${name}:${refs[2]}`]
      const { text } = await tryGit('clone', 'push', '--porcelain', address, ...specs)
      const hash = await git('clone', 'rev-parse', 'HEAD')
      return refs
        .filter((ref) => new RegExp(`^[*+ ]\\t\\S+:${ref}\\t`, 'm').test(text))
        .map((ref) => ({ ref, hash }))
    }

    const chance = printedChance('a kill')
    const acknowledged = {
      commits: [] as string[],
      refs: [] as Acknowledged[],
      uploads: [] as Buffer[],
    }
    /** Says which part of the work was acknowledged. */
    const work: Record<Activity, (name: string) => Promise<number>> = {
      async push(name) {
        const refs = await push(name)
        acknowledged.refs.push(...refs)
        return refs.length / 3
      },
      async commit(name) {
        const made = await Promise.all([commitText(`${name}-a`), commitText(`${name}-b`)])
        const hashes = made.filter((hash) => hash !== undefined)
        acknowledged.commits.push(...hashes)
        return hashes.length / 2
      },
      async upload(name) {
        const contents = ['a', 'b', 'c'].map((part) => Buffer.from(`${name}${part}`.repeat(50_000)))
        const done = await Promise.all(contents.map(upload))
        const kept = contents.filter((_, at) => done[at])
        acknowledged.uploads.push(...kept)
        if (kept.length < 3) return kept.length / 4
        const made = await commit(contents.map(nameLarge))
        if (made !== undefined) acknowledged.commits.push(made)
        return made === undefined ? 3 / 4 : 1
      },
    }

    try {
      const made = { name: 'killed', organization: 'acme' }
      expect(await post(`${url}/api/repos/create`, JSON.stringify(made))).toBeDefined()
      const folders = () => readdirSync(join(data, 'repositories'))
      const place = join(
        data,
        'repositories',
        folders().find((name) => name.endsWith('.git')) ?? '',
      )
      mkdirSync(join(cwd, 'clone'))
      await git('clone', 'init', '--quiet')
      // Node keeps what it has compiled for the next starts, but not where it is killed.
      await site.restart()
      await site.recover()
      const course = { push: 0, commit: 0, upload: 0 }
      await prepareCommit('first')
      await work.commit('warm')
      for (const activity of activities) {
        const begun = performance.now()
        expect(await work[activity]('first')).toBe(1)
        course[activity] = performance.now() - begun
      }

      const sides = { before: 0, after: 0 }
      const inside = new Map<Victim, number>()
      const left = () => readdirSync(join(data, 'forge', 'pending'))
      let markers = 0
      for (let round = 1; round <= count; round += 1) {
        const activity = activities[round % activities.length] ?? 'push'
        const victim = victims[round % victims.length] ?? 'machine'
        if (activity === 'push') await prepareCommit(`${round}`)
        const working = work[activity](`${round}`)
        await sleep(course[activity] * (0.1 + chance.next()))
        await site.kill(victim)
        const done = await working
        markers += left().length
        sides[done === 1 ? 'after' : 'before'] += 1
        if (done < 1) inside.set(victim, (inside.get(victim) ?? 0) + 1)
        // The machine may be faster or slower than when the course was measured.
        course[activity] *= done === 1 ? 0.7 : done === 0 ? 1.3 : 1

        await site.recover()
        // A forge that lives on tidies up after its git in a moment.
        await vi.waitFor(async () => {
          expect(left()).toEqual([])
          const { sha } = (await (await fetch(api, { headers })).json()) as { sha: string }
          expect(readFileSync(join(place, 'refs/heads/main'), 'utf8').trim()).toBe(sha)
          const refs = await fetch(`${api}/refs`, { headers })
          expect(inGit(place)).toEqual(inApi((await refs.json()) as ShownRefs))
          // What a push brought before it was checked.
          expect(folders().filter((name) => name.endsWith('.part'))).toEqual([])
          const files = readdirSync(place, { recursive: true }).map(String)
          expect(files.filter((file) => file.endsWith('.lock'))).toEqual([])
        }, 30_000)
      }

      const historyOf = (ref: string) => new Set(askGit(place, 'rev-list', ref).split('\n'))
      const history = historyOf('refs/heads/main')
      expect(acknowledged.commits.filter((hash) => !history.has(hash))).toEqual([])
      const [now, moving] = [inGit(place), historyOf('refs/heads/moving')]
      const isThere = ({ ref, hash }: Acknowledged) =>
        ref === 'refs/heads/moving' ? moving.has(hash) : now[ref] === hash
      expect(acknowledged.refs.filter((one) => !isThere(one))).toEqual([])
      askGit(place, 'fsck', '--strict', '--no-dangling')
      expect(await commit(acknowledged.uploads.map(nameLarge))).toBeDefined()
      for (const content of acknowledged.uploads) {
        const read = await fetch(`${url}/acme/killed/resolve/main/${oidOf(content)}.bin`, {
          headers,
        })
        expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true)
      }
      printSides('a kill', sides)
      const parts = [...inside].map(([victim, times]) => `${victim} ${times}`).join(', ')
      const { commits, refs, uploads } = acknowledged
      process.stdout.write(
        `a kill: in the middle: ${parts}; ${markers} times a marker was left; acknowledged: ${commits.length} commits, ${refs.length} refs, ${uploads.length} uploads\n`,
      )
    } finally {
      await site.close()
    }
  },
  count * 20_000,
)
