/** What a token names of the journal is remembered, unless it is no moment of today. */

import { asRefUid, type JournalNumber, journalNumber } from '@latchkey/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'
import { raiseKnown, readLinkState } from '../../src/catalog/link-state.ts'
import { askOnce } from '../../src/following/ask-hub.ts'
import { hearing } from '../../src/following/known-number.ts'
import { main, openFollowingWorld, repository } from './following-world.ts'

const origin = asRefUid('origin')
const dayMs = 24 * 3600 * 1000

async function listening() {
  const { database, clock } = await openFollowingWorld()
  const hear = hearing({ database, clock, knownNumber: journalNumber(0) })
  const nowMs = clock() * 1000
  return {
    nowMs,
    known: async () => (await database.read(readLinkState)).knownNumber,
    hear: (before: number) => {
      const inherited = { uid: origin, before: journalNumber(before) }
      return hear({
        repositoryUid: repository,
        refs: [{ uid: main, before: undefined }, inherited],
      })
    },
  }
}

test('a number of today is the stamp of what is written next', async () => {
  const { nowMs, known, hear } = await listening()
  const { refs } = await hear(nowMs + dayMs)
  expect(refs?.map(({ uid }) => uid)).toEqual([main, origin])
  expect(await known()).toBe(nowMs + dayMs)
})

test('a number of a hub whose clock was far ahead hides no later content, and shows nothing', async () => {
  const { nowMs, known, hear } = await listening()
  const { refs } = await hear(nowMs + dayMs + 1)
  expect(refs?.map(({ uid }) => uid)).toEqual([main])
  expect(await known()).toBe(0)
  await hear(Number.MAX_SAFE_INTEGER)
  expect(await known()).toBe(0)
})

test('the storage sends the highest number that it knows while it has not followed the journal so far', async () => {
  const { database, clock, link } = await openFollowingWorld()
  const nowMs = clock() * 1000
  const asked = vi.spyOn(link, 'changes')
  const latest = vi.spyOn(link.revocations, 'latest').mockReturnValue(undefined)
  onTestFinished(() => latest.mockRestore())
  const hearHead = (seq: JournalNumber) =>
    latest.mockReturnValue({
      ...{ seq, list: new Map(), state: () => 'current' },
      ...{ ageSeconds: () => 0, secondsLeft: () => 60 },
    })
  const ask = () => askOnce({ database, clock, link })
  await ask()
  const [followed, heard] = [link.head(), journalNumber(nowMs + 1000)]
  await database.change((tables) => raiseKnown(tables, heard))
  await ask()
  const signed = journalNumber(nowMs + 2000)
  hearHead(signed)
  await ask()
  // No hub signs it: the link of a test without revocations has it.
  hearHead(journalNumber(nowMs + dayMs + 1))
  await ask()
  expect(asked.mock.calls.map(([question]) => question)).toEqual([
    {},
    { after: followed, known: heard },
    { after: followed, known: signed },
    { after: followed, known: heard },
  ])
})

test('a view of a whole repository names no number', async () => {
  const { database, clock } = await openFollowingWorld()
  const whole = { repositoryUid: repository, refs: undefined }
  expect(await hearing({ database, clock, knownNumber: journalNumber(0) })(whole)).toEqual(whole)
})
