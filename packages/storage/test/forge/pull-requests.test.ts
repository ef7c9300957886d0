/** Pull requests with large files: uploaded into a ref of the caller's own, and adopted by the ref of the pull request. */

import { isRefusal } from '@latchkey/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect } from '../../src/maintenance/collect.ts'
import { type ForgeStage, isGitThere, largeOf, openForgeStage } from './forge-stage.ts'

let stage: ForgeStage
beforeAll(async () => {
  if (isGitThere) stage = await openForgeStage({ quota: { bytes: undefined, objects: 24 } })
})
afterAll(() => stage?.close())

const address = (model: string, rest: string) => `/api/models/acme/${model}/${rest}`
const refOf = (url: string) => `refs/pr/${url.split('/').at(-1)}`

// conformance: Forge / A reader can open a pull request, and no more
test.skipIf(!isGitThere)(
  'one who may only read proposes a large file, and commits once more; the branch stays as it was',
  async () => {
    await stage.newModel('proposed')
    const main = (await stage.refs('proposed'))['refs/heads/main']
    const [first, second] = [largeOf('pr 1'), largeOf('pr 2')]
    const wish = { as: 'reader', createsPullRequest: true } as const
    const told = await stage.commitLarge('proposed', { ...wish, large: first })
    expect([told.status, told.json.pullRequestUrl]).toEqual([
      200,
      'https://hub.example/acme/proposed/discussions/1',
    ])
    // Clients go on uploading as for a new pull request.
    const files = [{ path: 'second.bin', size: 800, sample: '' }]
    await stage.api(address('proposed', 'preupload/main?create_pr=1'), {
      as: 'reader',
      body: { files },
    })
    const caller = await stage.callerAt(
      address('proposed', 'xet-write-token/main?create_pr=1'),
      'reader',
    )
    await caller.upload(second.xorb)
    await caller.register([second.file], [second.xorb])
    const more = await stage.commitLarge('proposed', {
      ...{
        as: 'reader',
        revision: 'refs/pr/1',
        path: 'second.bin',
        large: second,
        isUploaded: true,
      },
    })
    expect(more.status).toBe(200)
    expect(await stage.refs('proposed')).toEqual({
      'refs/heads/main': main,
      'refs/pr/1': more.json.commitOid,
    })
    for (const revision of ['refs/pr/1', more.json.commitOid]) {
      expect(await stage.reads('proposed', revision, first)).toBe(true)
      expect(await stage.reads('proposed', revision, second)).toBe(true)
    }
    expect(await stage.reads('proposed', 'main', first)).toBe(false)
  },
)

test.skipIf(!isGitThere)(
  'a pull request is written by its account and by writers, and by nobody else',
  async () => {
    await stage.newModel('owned', { private: false })
    const large = largeOf('owned')
    const told = await stage.commitLarge('owned', {
      ...{ as: 'stranger', createsPullRequest: true, large },
    })
    expect(told.status).toBe(200)
    const text = [
      { key: 'header', value: { summary: 'more' } },
      { key: 'file', value: { path: 'a.txt', content: 'a', encoding: 'utf-8' } },
    ]
    const at = address('owned', 'commit/refs%2Fpr%2F1')
    expect((await stage.api(at, { as: 'reader', body: text })).status).toBe(403)
    expect((await stage.api(at, { as: 'stranger', body: text })).status).toBe(200)
    const other = [text[0] ?? {}, { key: 'deletedFile', value: { path: 'a.txt' } }]
    expect((await stage.api(at, { as: 'writer', body: other })).status).toBe(200)
  },
)

test.skipIf(!isGitThere)(
  'a ref rule for pull requests closes them for readers, and hidden repositories are not proposed to',
  async () => {
    await stage.newModel('ruled')
    const repository = 'models/acme/ruled'
    await stage.world.done('ref-rule set', { repository, pattern: 'refs/pr/*', write: 'write' })
    const wish = { createsPullRequest: true, large: largeOf('ruled') }
    expect((await stage.commitLarge('ruled', { ...wish, as: 'reader' })).status).toBe(403)
    const hidden = await stage.commitLarge('ruled', { ...wish, as: 'stranger' })
    const absent = await stage.commitLarge('absent', { ...wish, as: 'stranger' })
    expect([hidden.status, hidden.json.code]).toEqual([absent.status, absent.json.code])
    expect((await stage.commitLarge('ruled', { ...wish, as: 'writer' })).status).toBe(200)
  },
)

test.skipIf(!isGitThere)(
  'numbers are never used twice, and a commit that is sent again gives the pull request that is there',
  async () => {
    await stage.newModel('numbered')
    const propose = (name: string) =>
      stage.api(address('numbered', 'commit/main?create_pr=1'), {
        body: [
          { key: 'header', value: { summary: name } },
          { key: 'file', value: { path: name, content: name, encoding: 'utf-8' } },
        ],
      })
    const [one, again] = [await propose('a'), await propose('a')]
    expect(again.json).toEqual(one.json)
    expect(refOf((await propose('b')).json.pullRequestUrl)).toBe('refs/pr/2')
    await stage.world.done('ref delete', {
      repository: 'models/acme/numbered',
      ref: 'refs/pr/2',
      loseContent: true,
    })
    expect(refOf((await propose('c')).json.pullRequestUrl)).toBe('refs/pr/3')
  },
)

// conformance: Forge / A reader can open a pull request, and no more
test.skipIf(!isGitThere)(
  'the upload ref of an account is reached by nobody, and what was left in it goes when it is over',
  async () => {
    await stage.newModel('uploads')
    const before = stage.objects().length
    const large = largeOf('left behind')
    const files = [{ path: 'x', size: 1, sample: '' }]
    const at = address('uploads', 'preupload/main?create_pr=1')
    expect((await stage.api(at, { as: 'reader', body: { files } })).status).toBe(200)
    const uploadAt = address('uploads', 'xet-write-token/None?create_pr=1')
    const caller = await stage.callerAt(uploadAt, 'reader')
    await caller.upload(large.xorb)
    await caller.register([large.file], [large.xorb])
    const { items } = (await stage.world.done('ref list', {
      ...{ repository: 'models/acme/uploads', limit: 10 },
    })) as { items: { name: string }[] }
    const own = items.find(({ name }) => name.startsWith('refs/latchkey/upload/'))?.name ?? ''
    expect(own).not.toBe('')
    for (const scope of ['read', 'write']) {
      const token = address('uploads', `xet-${scope}-token/${encodeURIComponent(own)}`)
      for (const as of ['owner', 'reader'] as const) {
        const told = await stage.api(token, { as })
        expect(told.status).toBe(scope === 'write' && as === 'reader' ? 403 : 404)
      }
    }
    expect(await stage.reads('uploads', 'main', large, 'reader')).toBe(false)
    // A writer who proposes nothing writes to the branch, as ever.
    expect(
      (await stage.api(address('uploads', 'xet-write-token/main'), { as: 'reader' })).status,
    ).toBe(403)
    stage.world.passSeconds(15 * 24 * 3600)
    expect(await stage.expireUploads()).toBeGreaterThan(0)
    await stage.follow()
    stage.world.passSeconds(25 * 3600)
    const collected = await collect(stage.maintenance, { now: stage.world.now(), isDryRun: false })
    expect(isRefusal(collected)).toBe(false)
    expect(stage.objects()).toHaveLength(before)
  },
)

test.skipIf(!isGitThere)(
  'a pull request that is opened first shows the default branch, and is filled by commits',
  async () => {
    await stage.newModel('opened')
    const kept = largeOf('kept by main')
    expect((await stage.commitLarge('opened', { large: kept })).status).toBe(200)
    const body = { title: 'a proposal', description: 'what for', pullRequest: true }
    const at = address('opened', 'discussions')
    expect((await stage.api(at, { as: 'stranger', body })).status).toBe(404)
    const told = await stage.api(at, { as: 'reader', body })
    expect([told.status, told.json.num]).toEqual([200, 1])
    const shown = await stage.api(`${at}/1?diff=1`, { as: 'writer' })
    expect(shown.json).toMatchObject({
      ...{ num: 1, title: 'a proposal', status: 'open', isPullRequest: true, events: [] },
      ...{ author: { name: 'reader' }, repo: { name: 'acme/opened', type: 'model' } },
      ...{ changes: { base: 'refs/heads/main' }, filesWithConflicts: [] },
    })
    expect(await stage.reads('opened', 'refs/pr/1', kept)).toBe(true)
    const lines = [
      { key: 'header', value: { summary: 'fills it' } },
      { key: 'file', value: { path: 'a.txt', content: 'a', encoding: 'utf-8' } },
    ]
    const commit = address('opened', 'commit/refs%2Fpr%2F1')
    expect((await stage.api(commit, { as: 'reader', body: lines })).status).toBe(200)
    expect((await stage.api(`${at}/2`, { as: 'writer' })).status).toBe(404)
    const talk = { title: 'a talk', pullRequest: false }
    expect((await stage.api(at, { as: 'reader', body: talk })).status).toBe(501)
  },
)

// conformance: Forge / A reader can open a pull request, and no more
test.skipIf(!isGitThere)(
  'what readers upload and propose takes half of the quota together, and writers go on',
  async () => {
    await stage.newModel('shared', { private: false })
    for (const path of ['first.bin', 'second.bin']) {
      const told = await stage.commitLarge('shared', { path, large: largeOf(path) })
      expect(told.status).toBe(200)
    }
    // Each pull request holds two xorbs and two files, of 24.
    const open = (as: 'reader' | 'writer') =>
      stage.api(address('shared', 'discussions'), {
        ...{ as, body: { title: 'again', description: '', pullRequest: true } },
      })
    const statuses: number[] = []
    for (let opened = 0; opened < 3; opened += 1) statuses.push((await open('reader')).status)
    expect(statuses).toEqual(Array(3).fill(200))
    const refused = await open('reader')
    expect([refused.status, refused.json.code]).toEqual([413, 'quota_exceeded'])
    // A reader who has brought nothing so far finds the half taken, too.
    const files = [{ path: 'x', size: 1, sample: '' }]
    const preupload = address('shared', 'preupload/main?create_pr=1')
    expect((await stage.api(preupload, { as: 'stranger', body: { files } })).status).toBe(200)
    const uploadAt = address('shared', 'xet-write-token/main?create_pr=1')
    const stranger = await stage.callerAt(uploadAt, 'stranger')
    const told = await stranger.upload(largeOf('of a stranger').xorb)
    expect([told.status, told.code]).toEqual([413, 'quota_exceeded'])
    expect(told.text).toContain('Ask its owners to delete pull requests')

    expect((await open('writer')).status).toBe(200)
    const wish = { large: largeOf('of the writer'), path: 'third.bin' }
    expect((await stage.commitLarge('shared', wish)).status).toBe(200)
  },
)

test.skipIf(!isGitThere)(
  'uploads for pull requests take a quarter of the quota, and no more',
  async () => {
    await stage.newModel('bounded')
    const files = [{ path: 'x', size: 1, sample: '' }]
    const at = address('bounded', 'preupload/main?create_pr=1')
    await stage.api(at, { as: 'reader', body: { files } })
    const uploadAt = address('bounded', 'xet-write-token/main?create_pr=1')
    const caller = await stage.callerAt(uploadAt, 'reader')
    const statuses: number[] = []
    for (let number = 0; number < 7; number += 1) {
      statuses.push((await caller.upload(largeOf(`bounded ${number}`).xorb)).status)
    }
    expect(statuses).toEqual([...Array(6).fill(200), 413])
    const writer = await stage.callerAt(address('bounded', 'xet-write-token/main'))
    expect((await writer.upload(largeOf('of a writer').xorb)).status).toBe(200)
  },
)
