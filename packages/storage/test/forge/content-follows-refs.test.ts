/** Large files belong to refs: whatever is made, moved and deleted, what a ref or a commit on record names can be read. */

import { isRefusal } from '@latchkey/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collect } from '../../src/maintenance/collect.ts'
import { type ForgeStage, isGitThere, largeOf, openForgeStage } from './forge-stage.ts'

let stage: ForgeStage
beforeAll(async () => {
  if (isGitThere) stage = await openForgeStage()
})
afterAll(() => stage?.close())

const address = (model: string, rest: string) => `/api/models/acme/${model}/${rest}`
const zeros = '0'.repeat(40)
const made = (status: number) => expect(status).toBe(200)

const branch = async (model: string, name: string, body: object = {}) =>
  stage.api(address(model, `branch/${encodeURIComponent(name)}`), { body })
const removed = async (model: string, what: string, as: 'writer' | 'ci-bot' = 'writer') =>
  stage.api(address(model, what), { method: 'DELETE', as })
const gc = async () => {
  stage.world.passSeconds(25 * 3600)
  const collected = await collect(stage.maintenance, { now: stage.world.now(), isDryRun: false })
  expect(isRefusal(collected)).toBe(false)
}

// conformance: Forge / Content follows refs
test.skipIf(!isGitThere)(
  'written through dev, taken over by main, tagged, dev deleted: main and the tag read everything, and nothing else stays',
  async () => {
    await stage.newModel('followed')
    made((await branch('followed', 'dev')).status)
    const [kept, unused] = [largeOf('kept'), largeOf('unused')]
    const { json, status } = await stage.commitLarge('followed', { revision: 'dev', large: kept })
    made(status)
    const writer = await stage.callerAt(address('followed', 'xet-write-token/dev'))
    await writer.upload(unused.xorb)
    await writer.register([unused.file], [unused.xorb])

    const overwrite = { startingPoint: 'dev', overwrite: true }
    made((await branch('followed', 'main', overwrite)).status)
    const tag = { tag: 'v1', message: 'the first' }
    made((await stage.api(address('followed', 'tag/main'), { body: tag })).status)
    made((await removed('followed', 'branch/dev')).status)
    await gc()

    expect(await stage.refs('followed')).toEqual({
      'refs/heads/main': json.commitOid,
      'refs/tags/v1': json.commitOid,
    })
    for (const revision of ['main', 'v1', json.commitOid]) {
      expect(await stage.reads('followed', revision, kept), revision).toBe(true)
      expect(await stage.reads('followed', revision, unused), revision).toBe(false)
    }
    expect(stage.objects()).toHaveLength(1)
    made((await stage.api(address('followed', 'tag/v1'), { method: 'DELETE' })).status)
    await stage.world.done('repo delete', { repository: 'models/acme/followed' })
    await gc()
    expect(stage.objects()).toHaveLength(0)
  },
)

test.skipIf(!isGitThere)(
  'a commit on record reads its content after the only branch that had it is deleted',
  async () => {
    await stage.newModel('recorded')
    made((await branch('recorded', 'dev')).status)
    const [first, second] = [largeOf('first'), largeOf('second')]
    const commits: string[] = []
    for (const large of [first, second]) {
      const told = await stage.commitLarge('recorded', { revision: 'dev', large })
      commits.push(told.json.commitOid)
    }
    made((await removed('recorded', 'branch/dev')).status)
    await gc()
    const [one = '', two = ''] = commits
    expect(await stage.reads('recorded', one, first)).toBe(true)
    expect(await stage.reads('recorded', two, second)).toBe(true)
    expect(await stage.reads('recorded', one, second)).toBe(false)
  },
)

// conformance: Forge / Content follows refs
test.skipIf(!isGitThere)(
  'what main took over stays readable, whatever command of the hub is asked to delete the branch it came from',
  async () => {
    await stage.newModel('kept-by-hand')
    made((await branch('kept-by-hand', 'dev')).status)
    const large = largeOf('kept by hand')
    const told = await stage.commitLarge('kept-by-hand', { revision: 'dev', large })
    const { commitOid: commit } = told.json
    const repository = 'models/acme/kept-by-hand'
    await stage.world.done('ref set', { repository, ref: 'main', commit })
    const deletions: readonly (readonly [words: string, input: object])[] = [
      ['ref delete', { repository, ref: 'dev' }],
      ['ref update', { repository, updates: [{ ref: 'refs/heads/dev', old: commit, new: zeros }] }],
      [
        'apply',
        {
          file: {
            repositories: [{ type: 'model', id: 'acme/kept-by-hand', branches: { main: commit } }],
          },
        },
      ],
    ]
    for (const [words, input] of deletions) {
      await expect(stage.world.done(words, input), words).rejects.toThrow('would lose content')
    }
    made((await removed('kept-by-hand', 'branch/dev')).status)
    await gc()
    for (const revision of ['main', commit]) {
      expect(await stage.reads('kept-by-hand', revision, large), revision).toBe(true)
    }
  },
)

test.skipIf(!isGitThere)(
  'content goes with a branch that the hub is told to delete all the same',
  async () => {
    await stage.newModel('lost-by-hand')
    made((await branch('lost-by-hand', 'dev')).status)
    const large = largeOf('lost by hand')
    const told = await stage.commitLarge('lost-by-hand', { revision: 'dev', large })
    const repository = 'models/acme/lost-by-hand'
    await stage.world.done('ref delete', { repository, ref: 'dev', loseContent: true })
    expect(await stage.reads('lost-by-hand', told.json.commitOid, large)).toBe(false)
  },
)

test.skipIf(!isGitThere)(
  'a branch is not deleted by one who may not save what another branch needs of it',
  async () => {
    await stage.newModel('needed')
    made((await branch('needed', 'dev')).status)
    const large = largeOf('needed')
    const told = await stage.commitLarge('needed', { revision: 'dev', large, as: 'ci-bot' })
    made(told.status)
    const repository = 'models/acme/needed'
    await stage.world.done('ref set', { repository, ref: 'main', commit: told.json.commitOid })
    const refused = await removed('needed', 'branch/dev', 'ci-bot')
    expect([refused.status, refused.json.code]).toEqual([403, 'permission_denied'])
    expect(await stage.reads('needed', 'dev', large)).toBe(true)
  },
)

// conformance: Forge / A SHA-256 gives no access to another repository
test.skipIf(!isGitThere)(
  'a commit that names the content of another repository, or of a ref that its caller may not read, is refused',
  async () => {
    await stage.newModel('one')
    await stage.newModel('two')
    const large = largeOf('of another')
    made((await stage.commitLarge('one', { large })).status)
    const told = await stage.commitLarge('two', { large, isUploaded: true })
    expect([told.status, told.json.code]).toEqual([400, 'bad_request'])
    made((await branch('one', 'dev', { emptyBranch: true })).status)
    const hidden = await stage.commitLarge('one', {
      ...{ revision: 'dev', large, isUploaded: true, as: 'ci-bot' },
    })
    expect(hidden.status).toBe(400)
  },
)

test.skipIf(!isGitThere)(
  'a branch that does not come to be leaves nothing in the storage',
  async () => {
    await stage.newModel('refused')
    made((await stage.commitLarge('refused', { large: largeOf('refused') })).status)
    made((await branch('refused', 'dev')).status)
    const before = await stage.rows()
    expect((await branch('refused', 'dev/below')).status).toBe(409)
    await stage.follow()
    expect(await stage.rows()).toEqual(before)
  },
)

test.skipIf(!isGitThere)(
  'a large file is copied by its hash from a ref that the caller may read, and from no other',
  async () => {
    await stage.newModel('copied')
    made((await branch('copied', 'dev')).status)
    const large = largeOf('copied')
    made((await stage.commitLarge('copied', { revision: 'dev', large, as: 'ci-bot' })).status)
    const copy = (revision: string, as: 'writer' | 'ci-bot') =>
      stage.api(address('copied', `commit/${revision}`), {
        as,
        body: [
          { key: 'header', value: { summary: 'copies' } },
          { key: 'lfsFile', value: { path: 'copy.bin', algo: 'sha256', oid: large.oid } },
        ],
      })
    const told = await copy('main', 'writer')
    made(told.status)
    made((await removed('copied', 'branch/dev')).status)
    made((await branch('copied', 'dev', { emptyBranch: true })).status)
    expect((await copy('dev', 'ci-bot')).status).toBe(400)
    await gc()
    for (const revision of ['main', told.json.commitOid]) {
      expect(await stage.reads('copied', revision, large), revision).toBe(true)
    }
  },
)
