/** The link in memory keeps the rule that the real one has: computed when the question arrives, delivered later. */

import { HubLinkError } from '@latchkey/gate/hub-link'
import { asRefUid, asRepositoryUid } from '@latchkey/protocol'
import { memoryLink } from '@latchkey/testing/gate/memory-link'
import { expect, test } from 'vitest'

const [bert, main, dev] = [asRepositoryUid('bert'), asRefUid('main'), asRefUid('dev')]

/** Whether a promise has settled when everything else that can run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const still = Symbol('still waiting')
  const after = new Promise((resolve) => setImmediate(resolve, still))
  return (await Promise.race([promise, after])) !== still
}

test('an answer on the wire knows nothing that happened after its question arrived', async () => {
  const link = memoryLink()
  const after = link.head()
  link.remove(main)
  link.hold()
  const early = link.changes({ after })
  link.remove(dev)
  const late = link.changes({ after })
  expect(await isSettled(Promise.race([early, late]))).toBe(false)
  expect(link.deliver()).toBe(true)
  expect(await early).toMatchObject({ removed: [main] })
  expect(await isSettled(late)).toBe(false)
  link.release()
  expect(await late).toMatchObject({ removed: [main, dev] })
  expect(link.deliver()).toBe(false)
})

test('a question that waits is computed when the entry is made', async () => {
  const link = memoryLink()
  link.hold()
  const waiting = link.changes({ after: link.head(), waitSeconds: 60 })
  expect(link.deliver()).toBe(false)
  const number = link.remove(main)
  link.remove(dev)
  link.release()
  expect(await waiting).toMatchObject({ removed: [main], number })
})

test('a question whose time is over is answered without news', async () => {
  const link = memoryLink()
  const number = link.head()
  const waiting = link.changes({ after: number, waitSeconds: 60 })
  expect(await isSettled(waiting)).toBe(false)
  link.endWaits()
  expect(await waiting).toEqual({ kind: 'changes', number, removed: [], isComplete: true })
})

test('a question that was given up leaves nothing on the wire', async () => {
  const link = memoryLink()
  const leaving = new AbortController()
  const { signal } = leaving
  const waiting = link.changes({ after: link.head(), waitSeconds: 60, signal })
  link.hold()
  leaving.abort()
  await expect(waiting).rejects.toThrow(HubLinkError)
  link.advance()
  expect(link.deliver()).toBe(false)
})

test('a question that fails changes nothing, and the one after it arrives', async () => {
  const link = memoryLink()
  const before = link.add(bert)
  link.fail(2)
  await expect(link.raiseEpochs([bert])).rejects.toThrow(HubLinkError)
  await expect(link.findUnknown([main])).rejects.toThrow(HubLinkError)
  expect([link.raised, link.head()]).toEqual([[], before])
  await link.raiseEpochs([bert])
  expect([link.raised, link.head()]).toEqual([[bert], before + 1])
})

test('what is done is done, also while its answer is on the wire', async () => {
  const link = memoryLink()
  link.add(bert)
  link.hold()
  const raising = link.raiseEpochs([bert])
  expect(link.raised).toEqual([bert])
  expect(await isSettled(raising)).toBe(false)
  link.release()
  await raising
})

test('a hub that was restored knows neither old numbers nor what came after its backup', async () => {
  const link = memoryLink()
  link.add(bert)
  const after = link.add(main, bert)
  const number = link.lose([main])
  expect(number).toBeGreaterThan(after)
  expect(await link.changes({ after })).toEqual({ kind: 'unknown cursor', number })
  expect(await link.findUnknown([bert, main])).toEqual(new Set([main]))
})

test('a small limit of entries shows what a large journal does', async () => {
  const link = memoryLink({ maxEntries: 2 })
  const after = link.head()
  link.remove(main)
  const second = link.advance()
  const last = link.remove(dev)
  expect(await link.changes({ after })).toMatchObject({
    ...{ removed: [main], number: second },
    isComplete: false,
  })
  expect(await link.changes({ after: second })).toMatchObject({
    ...{ removed: [dev], number: last },
    isComplete: true,
  })
})
