/** What a storage relies on, whatever carries its questions. */

import { type ChangesQuestion, HubLinkError } from '@latchkey/gate/hub-link'
import { asRefUid, asRepositoryUid, type JournalNumber, journalNumber } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { type FollowedHub, inMemory, overHttp } from './followed-hubs.ts'

describe.each([
  ['in memory', inMemory],
  ['over HTTP', overHttp],
])('a hub-link %s', (_, open) => {
  async function headOf({ link }: FollowedHub): Promise<JournalNumber> {
    let answer = await link.changes({})
    while (answer.kind === 'changes' && !answer.isComplete) {
      answer = await link.changes({ after: answer.number })
    }
    return answer.number
  }

  test('tells the last number and what was removed lately where no number is named', async () => {
    const hub = await open()
    const repository = await hub.addRepository('bert')
    await hub.removeRepository('bert')
    const number = await headOf(hub)
    expect(await hub.link.changes({ waitSeconds: 60 })).toEqual({
      kind: 'changes',
      number,
      removed: [repository],
      isComplete: true,
    })
    await hub.advance()
    expect(await headOf(hub)).toBeGreaterThan(number)
  })

  test('tells removals after a number in their order, each once', async () => {
    const hub = await open()
    const repository = await hub.addRepository('bert')
    const [dev, main] = [await hub.addRef('bert', 'dev'), await hub.addRef('bert', 'main')]
    const other = await hub.addRepository('other')
    const before = await headOf(hub)
    await hub.removeRef('bert', 'main')
    await hub.advance()
    await hub.removeRepository('other')
    const middle = await headOf(hub)
    await hub.removeRef('bert', 'dev')
    await hub.removeRepository('bert')
    const number = await headOf(hub)
    const told = { kind: 'changes', number, isComplete: true }
    const ask = (after: JournalNumber) => hub.link.changes({ after })
    expect(await ask(before)).toEqual({ ...told, removed: [main, other, dev, repository] })
    expect(await ask(middle)).toEqual({ ...told, removed: [dev, repository] })
    expect(await ask(number)).toEqual({ ...told, removed: [] })
  })

  test('tells a deleted repository, which stands for its refs', async () => {
    const hub = await open()
    const repository = await hub.addRepository('bert')
    await hub.addRef('bert', 'main')
    const after = await headOf(hub)
    await hub.removeRepository('bert')
    expect(await hub.link.changes({ after })).toMatchObject({ removed: [repository] })
  })

  test('answers with no more than it can, and goes on from there', async () => {
    const hub = await open()
    const last = await hub.addRepository('last')
    const after = await headOf(hub)
    await hub.advance(1001)
    await hub.removeRepository('last')
    let answer = await hub.link.changes({ after })
    expect(answer).toMatchObject({ isComplete: false })
    while (answer.kind === 'changes' && !answer.isComplete) {
      expect(answer.removed).toEqual([])
      answer = await hub.link.changes({ after: answer.number })
    }
    expect(answer).toMatchObject({ removed: [last], number: await headOf(hub) })
  })

  test('knows no number that is not in the journal, and tells the last', async () => {
    const hub = await open()
    const before = await headOf(hub)
    await hub.lose()
    const number = await headOf(hub)
    // A hub appends an entry when it hears of a number that it has lost.
    const expectUnknown = async (question: ChangesQuestion) => {
      const unknown = { kind: 'unknown cursor', number: await headOf(hub) }
      expect(await hub.link.changes(question)).toEqual(unknown)
    }
    for (const after of [before, journalNumber(1), journalNumber(number + 1000)]) {
      await expectUnknown({ after })
      await expectUnknown({ after, waitSeconds: 60 })
    }
    const last = await headOf(hub)
    expect(await hub.link.changes({ after: number })).toMatchObject({
      kind: 'changes',
      number: last,
    })
  })

  test('answers a question that waits with the next entry', async () => {
    const hub = await open()
    const uid = await hub.addRepository('bert')
    const after = await headOf(hub)
    const waiting = hub.link.changes({ after, waitSeconds: 60 })
    await hub.removeRepository('bert')
    expect(await waiting).toMatchObject({ removed: [uid], number: await headOf(hub) })
    const again = hub.link.changes({ after: await headOf(hub), waitSeconds: 60 })
    await hub.advance()
    expect(await again).toMatchObject({ removed: [], number: await headOf(hub) })
  })

  test('answers at once where there are entries already, however long it may wait', async () => {
    const hub = await open()
    const after = await headOf(hub)
    await hub.advance()
    const number = await headOf(hub)
    expect(await hub.link.changes({ after, waitSeconds: 60 })).toMatchObject({ number })
  })

  test('lets a question be given up', async () => {
    const hub = await open()
    const leaving = new AbortController()
    const { signal } = leaving
    const waiting = hub.link.changes({ after: await headOf(hub), waitSeconds: 60, signal })
    leaving.abort()
    await expect(waiting).rejects.toThrow(HubLinkError)
    await expect(hub.link.changes({ signal })).rejects.toThrow(HubLinkError)
  })

  test('raises epochs with an entry for each repository that there is', async () => {
    const hub = await open()
    const uids = [await hub.addRepository('bert'), await hub.addRepository('other')]
    const before = await headOf(hub)
    await hub.link.raiseEpochs([])
    await hub.link.raiseEpochs([asRepositoryUid('nobody')])
    expect(await headOf(hub)).toBe(before)
    const never = Array.from({ length: 1500 }, (__, index) => asRepositoryUid(`u${index}`))
    await hub.link.raiseEpochs([...never, ...uids, ...uids])
    expect(await headOf(hub)).toBeGreaterThanOrEqual(before + 2)
    expect(await hub.link.changes({ after: before })).toMatchObject({ removed: [] })
  })

  test('finds which places are unknown, also among thousands', async () => {
    const hub = await open()
    const repository = await hub.addRepository('bert')
    const main = await hub.addRef('bert', 'main')
    const gone = await hub.addRef('bert', 'gone')
    await hub.removeRef('bert', 'gone')
    const never = Array.from({ length: 2500 }, (__, index) => asRefUid(`u${index}`))
    const unknown = await hub.link.findUnknown([main, ...never, repository, gone, main])
    expect(unknown).toEqual(new Set([...never, gone]))
    await hub.removeRepository('bert')
    expect(await hub.link.findUnknown([repository, main])).toEqual(new Set([repository, main]))
    expect(await hub.link.findUnknown([])).toEqual(new Set())
  })

  test('has the keys of the hub', async () => {
    const { link } = await open()
    await link.keys.refresh()
    expect(link.keys.known()?.size).toBe(1)
  })
})
