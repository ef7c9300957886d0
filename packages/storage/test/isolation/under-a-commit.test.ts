/** What is written under a commit or tag is not opened by refs that come, go or move later. */

import { Secret } from '@latchkey/protocol'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { contentOf, everything, lookFor, nothing, put } from './content.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const secret = commit('5')

/** A hub token of the writer that is limited to these refs, by the name to ask with. */
async function limitedTo(repository: string, refs: readonly string[]): Promise<string> {
  const name = `only-${refs.join('-').replaceAll('/', '-')}-${repository.split('/').at(-1)}`
  const { token } = await stage.world.done('hub-token create', {
    account: 'writer',
    name,
    kind: 'fine-grained',
    grants: [{ on: repository, contents: 'write', refs }],
  })
  const made = new Secret('hub-token', String(token))
  Object.assign(stage.world.tokens, { [`writer/${name}`]: made })
  return `writer/${name}`
}

/** A repository with the branches `main`, `secret` (which holds the secret commit) and `pub`. */
async function withSecret(): Promise<string> {
  const repository = await stage.newRepository()
  await stage.world.done('ref set', { repository, ref: 'secret', commit: secret })
  await stage.newBranch(repository, 'pub')
  return repository
}

const reader = (repository: string, revision: string, as?: string): Promise<Caller> =>
  stage.caller(`read ${repository}@${revision}`, as)

async function putUnder(repository: string, revision: string) {
  const content = contentOf(`under ${repository}@${revision}`)
  const writer = await stage.caller(`write ${repository}@${revision}`)
  await put(writer, content)
  return { content, writer }
}

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('who may read only one of the branches that hold a commit reads nothing of what was written under it', async () => {
  const repository = await withSecret()
  const { content } = await putUnder(repository, secret)
  const as = await limitedTo(repository, ['pub'])
  await stage.world.done('ref set', { repository, ref: 'pub', commit: secret })
  expect(await lookFor(await reader(repository, secret, as), content)).toEqual(nothing(content))
  expect(await lookFor(await reader(repository, secret), content)).toEqual(everything(content))
})

describe('what was written under a commit stays closed', () => {
  /** Each takes away the branch that closed the commit. */
  const removals: Readonly<Record<string, (repository: string) => Promise<unknown>>> = {
    'is deleted': (repository) => stage.world.done('ref delete', { repository, ref: 'secret' }),
    'is left out of an applied file': (repository) =>
      stage.world.apply({
        repositories: [
          {
            type: 'model',
            id: repository.replace('models/', ''),
            branches: { main: commit('a'), pub: secret },
          },
        ],
      }),
    'is moved away': (repository) =>
      stage.world.done('ref set', { repository, ref: 'secret', commit: commit('6') }),
    'is deleted and made again elsewhere': async (repository) => {
      await stage.world.done('ref delete', { repository, ref: 'secret' })
      await stage.world.done('ref set', { repository, ref: 'secret', commit: commit('6') })
    },
  }

  // conformance: Guarantees / Content of a commit or tag stays closed after changes of refs
  // conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
  test.each(Object.keys(removals))('when the branch that closed it %s', async (removal) => {
    const repository = await withSecret()
    const { content } = await putUnder(repository, secret)
    const [pub, both] = [
      await limitedTo(repository, ['pub']),
      await limitedTo(repository, ['pub', 'secret']),
    ]
    await stage.world.done('ref set', { repository, ref: 'pub', commit: secret })
    await removals[removal]?.(repository)
    expect(await lookFor(await reader(repository, secret, pub), content)).toEqual(nothing(content))
    await expect(stage.caller(`write ${repository}@${secret}`, pub)).rejects.toThrow('403')
    for (const as of [both, undefined]) {
      const whole = await reader(repository, secret, as)
      expect(await lookFor(whole, content)).toEqual(everything(content))
    }
  })

  // conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
  test('when no branch held it then, and one comes to hold it later', async () => {
    const repository = await stage.newRepository()
    await stage.world.done('commit record', { repository, hash: secret })
    const { content } = await putUnder(repository, secret)
    stage.world.passSeconds(1)
    await stage.world.done('ref set', { repository, ref: 'pub', commit: secret })
    const pub = await limitedTo(repository, ['pub'])
    expect(await lookFor(await reader(repository, secret, pub), content)).toEqual(nothing(content))
    expect(await lookFor(await reader(repository, secret), content)).toEqual(everything(content))
  })

  // conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
  test('and what its readable branches have stays open', async () => {
    const repository = await withSecret()
    const { content } = await putUnder(repository, 'pub')
    stage.world.passSeconds(1)
    await stage.world.done('ref set', { repository, ref: 'pub', commit: secret })
    await stage.world.done('ref delete', { repository, ref: 'secret' })
    const limited = await reader(repository, secret, await limitedTo(repository, ['pub']))
    expect(await lookFor(limited, content)).toEqual(everything(content))
  })
})

describe('a tag that is moved', () => {
  const tag = 'refs/tags/v1'

  async function withTag() {
    const repository = await withSecret()
    await stage.world.done('ref set', { repository, ref: tag, commit: secret })
    return { repository, ...(await putUnder(repository, tag)) }
  }

  /** Each points the tag at the commit of `pub`. */
  const moves: Readonly<Record<string, (repository: string) => Promise<unknown>>> = {
    'by a verb': (repository) =>
      stage.world.done('ref set', { repository, ref: tag, commit: commit('a') }),
    'by a file': (repository) =>
      stage.world.apply({
        repositories: [
          { type: 'model', id: repository.replace('models/', ''), tags: { v1: commit('a') } },
        ],
      }),
  }

  // conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
  test.each(Object.keys(moves))('%s leaves what was written under it behind', async (move) => {
    const { repository, content } = await withTag()
    const rows = await stage.rows()
    const before = await reader(repository, 'v1')
    expect(await lookFor(before, content)).toEqual(everything(content))
    await moves[move]?.(repository)
    for (const as of [undefined, await limitedTo(repository, ['pub', 'main'])]) {
      expect(await lookFor(await reader(repository, 'v1', as), content)).toEqual(nothing(content))
    }
    expect(await lookFor(before, content)).toEqual(nothing(content))
    expect(await stage.rows()).not.toEqual(rows)
  })

  // conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
  test('takes nothing more from tokens that were made for it before', async () => {
    const { repository, writer } = await withTag()
    await stage.world.done('ref set', { repository, ref: tag, commit: commit('a') })
    const rows = await stage.rows()
    const { xorb } = contentOf('too late')
    expect(await writer.upload(xorb)).toMatchObject({ status: 404 })
    expect(await stage.rows()).toEqual(rows)
  })

  test('to the commit that it names already keeps everything', async () => {
    const { repository, content } = await withTag()
    await stage.world.done('ref set', { repository, ref: tag, commit: secret })
    expect(await lookFor(await reader(repository, 'v1'), content)).toEqual(everything(content))
  })
})
