import { asRepositoryUid } from '@latchkey/protocol'
import { newId, pooledRandom } from '@latchkey/service/machine/random'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, bearer, claimsOf, type Told } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { writeTables } from '@latchkey/testing/hub/write-tables'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf } from './compare.ts'

const repository = 'models/acme/bert'
const longHash = 'ab'.repeat(32)
const longest = `l${'é'.repeat(127)}`

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
  await world.done('commit record', { repository, hash: longHash, on: ['main'] })
  await world.done('ref set', { repository, ref: longest, commit: commit('4') })
})
afterAll(() => world.close())

/** `encoded` stands in the path as it is. */
function get(encoded: string, as = 'writer/write'): Promise<Told> {
  const target = `/api/models/acme/bert/storage-read-token/${encoded}`
  return askExactly(world, target, { headers: ['Authorization', bearer(world, as)] })
}

async function expectNotFound(...encoded: readonly string[]): Promise<void> {
  for (const revision of encoded) {
    expect(codeOf(await get(revision)), revision).toEqual([404, 'revision_not_found'])
  }
}

async function expectRef(encoded: string, name: string, hash: string): Promise<void> {
  const told = await get(encoded)
  expect(told.status, `${encoded}: ${told.text}`).toBe(200)
  expect(claimsOf(told), encoded).toMatchObject({ ref: { name }, commit: hash })
}

/** Puts a ref into the database past the rules, as an import from elsewhere might. */
async function importRef(name: string, hash: string): Promise<void> {
  const { uid } = await world.done('repo show', { repository })
  await writeTables(world.store.directory, (tables) =>
    tables
      .insertInto('refs')
      .values({
        uid: newId(pooledRandom()),
        repository_uid: asRepositoryUid(String(uid)),
        name,
        commit_hash: hash,
        from_name: null,
        from_uid: null,
        forked_at: null,
        created_at: world.now(),
      })
      .execute(),
  )
}

// conformance: Revisions / A name that no ref can have is not found
test('a revision that git would refuse as a name is not found', async () => {
  await expectNotFound(
    '..',
    'a..b',
    'main..dev',
    '.lock',
    'x.lock',
    'a.lock%2Fb',
    '@%7B',
    'main@%7B1%7D',
  )
  await expectNotFound(
    '.hidden',
    'a%2F.b',
    'main.',
    'main%2F',
    '%2Fmain',
    'a%2F%2Fb',
    'main/',
    '-main',
  )
  await expectNotFound(
    'main~1',
    'main%5E',
    'a%3Ab',
    'a%3Fb',
    'a%2Ab',
    'a%5Bb',
    'a%5Cb',
    'main%5E%7B%7D',
  )
})

// conformance: Malformed requests / The hub rejects an impossible revision
test('a revision with a NUL, a space or another control in it is not found', async () => {
  await expectNotFound('%00', 'main%00', 'ma%00in', '%20', 'main%20', '%20main', 'a%20b')
  await expectNotFound('main%0A', 'main%0D%0A', '%09main', 'main%7F', 'main%1B%5B31m')
})

// conformance: Malformed requests / The hub rejects an impossible revision
test('a revision of 300 characters is not found', async () => {
  await expectNotFound('m'.repeat(300), `refs%2Fheads%2F${'m'.repeat(300)}`)
})

// conformance: Revisions / The hub compares revisions byte for byte, up to 255 bytes
test('a revision has at most 255 bytes, however few characters they are', async () => {
  await expectRef(encodeURIComponent(longest), `refs/heads/${longest}`, commit('4'))
  await expectNotFound(encodeURIComponent(`${longest}x`), encodeURIComponent('é'.repeat(128)))
})

// conformance: Revisions / A full hash is always a commit
test('a hash with a digit too few or too many is not found', async () => {
  await expectNotFound('a'.repeat(39), 'a'.repeat(41), 'ab'.repeat(32).slice(1), `${longHash}a`)
  await expectNotFound('a'.repeat(7), 'a'.repeat(8))
})

// conformance: Revisions / A commit exists after it was recorded for this repository
test('a commit that exists in another repository is not found', async () => {
  await expectNotFound(commit('1'), commit('2'))
})

// conformance: Revisions / The hub decodes a revision once, from one segment or several
test('a revision is decoded once, so a double encoding is not found', async () => {
  await expectNotFound('%256Dain', 'm%2561in', 'release%252F1')
})

// conformance: Revisions / The hub compares revisions byte for byte, up to 255 bytes
test('a revision is compared byte for byte, without folding of case or accents', async () => {
  await expectNotFound('Main', 'MAIN', 'V1.0', encodeURIComponent('feature/x#1%2F+e\u0301'))
})

// conformance: Revisions / The hub decodes a revision once, from one segment or several
test('a plus sign in a revision is a plus sign', async () => {
  await expectNotFound(encodeURIComponent('feature/x#1%2F é'))
})

// conformance: Revisions / Branches, tags and other refs have separate folders
test('refs/ alone and names outside its folders are not found', async () => {
  await expectNotFound(
    'refs',
    'refs%2F',
    'refs%2Fheads',
    'refs%2Fheads%2F',
    'refs%2Fmain',
    'heads%2Fmain',
  )
  await expectNotFound('refs%2Fremotes%2Forigin%2Fmain', 'refs%2FHEADS%2Fmain')
})

// conformance: Revisions / A name that no ref can have is not found
test('names with a meaning of their own are not found even where an import has put them', async () => {
  const names = ['HEAD', '@', 'None', 'refs/heads/main', 'a..b', commit('7'), '-x', 'x.lock']
  for (const name of names) {
    await importRef(`refs/heads/${name}`, commit('8'))
    await expectNotFound(
      encodeURIComponent(name === 'refs/heads/main' ? `refs/heads/${name}` : name),
    )
    await expectNotFound(encodeURIComponent(`refs/heads/${name}`))
  }
})

// conformance: Revisions / A full hash is always a commit
test('a text of 40 or 64 hex digits is a commit, even where an import has a branch of that name', async () => {
  const hash = 'c0ffee'.padEnd(40, '0')
  await importRef(`refs/heads/${hash}`, commit('8'))
  await expectNotFound(hash)
  await world.done('commit record', { repository, hash, on: ['main'] })
  await expectRef(hash, hash, hash)
})

// conformance: Revisions / A tag wins over a branch of the same name
test('where an import has a branch and a tag of one name, the name means the tag', async () => {
  await importRef('refs/heads/twin', commit('b'))
  await importRef('refs/tags/twin', commit('c'))
  await expectRef('twin', 'refs/tags/twin', commit('c'))
  await expectRef('refs%2Fheads%2Ftwin', 'refs/heads/twin', commit('b'))
  await expectRef('refs%2Ftags%2Ftwin', 'refs/tags/twin', commit('c'))
})

// conformance: Resources / revision is a branch, a tag or a commit hash
test('a bare name is a branch or a tag', async () => {
  await expectRef('main', 'refs/heads/main', commit('a'))
  await expectRef('v1.0', 'refs/tags/v1.0', commit('a'))
})

// conformance: Resources / revision is a branch, a tag or a commit hash
test('a full name is a branch, a tag or another ref', async () => {
  await expectRef('refs%2Fheads%2Fmain', 'refs/heads/main', commit('a'))
  await expectRef('refs%2Ftags%2Fv1.0', 'refs/tags/v1.0', commit('a'))
  await expectRef('refs%2Fpr%2F1', 'refs/pr/1', commit('e'))
})

// conformance: Revisions / Branches, tags and other refs have separate folders
test('a branch is not found under the folder of tags, nor a tag under that of branches', async () => {
  await expectNotFound('refs%2Ftags%2Fmain', 'refs%2Fheads%2Fv1.0')
})

// conformance: Revisions / The hub decodes a revision once, from one segment or several
test('a slash in a revision is served encoded and as it is', async () => {
  await expectRef('release%2F1', 'refs/heads/release/1', commit('b'))
  await expectRef('release/1', 'refs/heads/release/1', commit('b'))
  await expectRef('refs/pr/1', 'refs/pr/1', commit('e'))
  await expectRef('refs/heads%2Frelease/1', 'refs/heads/release/1', commit('b'))
})

// conformance: Revisions / The hub decodes a revision once, from one segment or several
test('a revision with reserved and non-ASCII characters is served in its encoding', async () => {
  const name = 'feature/x#1%2F+é'
  await expectRef('feature%2Fx%231%252F%2B%C3%A9', `refs/heads/${name}`, commit('d'))
  await expectRef('feature/x%231%252F+%c3%a9', `refs/heads/${name}`, commit('d'))
})

// conformance: Resources / revision is a branch, a tag or a commit hash
test('a full hash is a commit, of 40 or 64 digits, in either case', async () => {
  await expectRef(commit('a'), commit('a'), commit('a'))
  await expectRef(commit('A'), commit('a'), commit('a'))
  await expectRef(longHash, longHash, longHash)
  await expectRef(longHash.toUpperCase(), longHash, longHash)
})

// conformance: Revisions / A commit exists after it was recorded for this repository
test('a commit that was put on record is found though no ref points to it', async () => {
  await expectRef(commit('f'), commit('f'), commit('f'))
})

// conformance: Revisions / A commit exists after it was recorded for this repository
test('a commit stays found after the branch has moved on', async () => {
  await world.done('ref set', { repository, ref: 'dev', commit: commit('6') })
  await expectRef('dev', 'refs/heads/dev', commit('6'))
  await expectRef(commit('c'), commit('c'), commit('c'))
})

// conformance: Revisions / A commit exists after it was recorded for this repository
test('a commit stays found after its branch is gone', async () => {
  await world.done('ref set', { repository, ref: 'brief', commit: commit('5') })
  await world.done('ref delete', { repository, ref: 'brief' })
  await expectNotFound('brief')
  await expectRef(commit('5'), commit('5'), commit('5'))
})

// conformance: Revisions / The hub ignores unknown query parameters
test('query parameters change nothing', async () => {
  for (const query of ['?', '?1700000000', '?create_pr=1', '?revision=dev&x=%ZZ', '?a?b/c']) {
    await expectRef(`main${query}`, 'refs/heads/main', commit('a'))
  }
  await expectNotFound('nowhere?revision=main')
})

// conformance: Authentication / 5. A token is valid for one repository and one ref
test('a write token is for the ref that was named, not for the branch behind it', async () => {
  for (const revision of ['v1.0', commit('a')]) {
    const told = await ask(world, `write models/acme/bert@${revision}`, { as: 'writer/write' })
    const main = await ask(world, 'write models/acme/bert@main', { as: 'writer/write' })
    const [own, branch] = [claimsOf(told), claimsOf(main)] as { ref: { uid: string } }[]
    expect(own?.ref.uid, revision).not.toBe(branch?.ref.uid)
    expect(own, revision).toMatchObject({ scope: 'write' })
  }
})
