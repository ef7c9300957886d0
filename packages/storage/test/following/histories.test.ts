/** Whatever is delayed, lost or restarted: a commit or fork shows what came before it, and nothing that came after. */

import { setImmediate as turn } from 'node:timers/promises'
import { isRefusal, type JournalNumber, journalNumber, type RefUid } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { onPostgres } from '../catalog/test-catalog.ts'
import { type Line, type ModelStorage, modelHub, modelStorage, newUid } from './model.ts'

type Step =
  | { readonly does: 'write'; readonly on: number; readonly word: number; readonly turns: number }
  | { readonly does: 'commit or fork'; readonly on: number; readonly jump: number }
  | { readonly does: 'delete'; readonly on: number }
  | { readonly does: 'hold' | 'release' | 'restart storage' | 'restart hub' | 'look' }
  | { readonly does: 'lose'; readonly answers: number }

const words = ['a', 'b', 'c', 'd']
const on = fc.nat(5)
const simple = fc.constantFrom('hold', 'release', 'restart storage', 'restart hub', 'look')
const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        does: fc.constant('write'),
        on,
        word: fc.nat(words.length - 1),
        turns: fc.nat(12),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ does: fc.constant('commit or fork'), on, jump: fc.nat(3) }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('delete'), on }) },
    { weight: 4, arbitrary: fc.record({ does: simple }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('lose'), answers: fc.nat(2) }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 4, maxLength: 24 },
)

interface Write {
  readonly word: string
  readonly sentAt: number
  ackedAt: number
}

interface ModelLine extends Line {
  /** For every entry of `sees`, when the entry of the journal was made. */
  readonly entriesAt: readonly number[]
  readonly writes: Write[]
  goneAt: number
}

const never = Number.POSITIVE_INFINITY

/** True: it must be seen. False: it must not. Undefined: either. `isFollowed`: deletions have reached the storage. */
function expected(
  lines: ReadonlyMap<RefUid, ModelLine>,
  line: ModelLine,
  { word, isFollowed }: { readonly word: string; readonly isFollowed: boolean },
): boolean | undefined {
  const ways = [{ uid: line.uid, entryAt: never }]
  for (const [index, { uid }] of line.sees.entries()) {
    ways.push({ uid, entryAt: line.entriesAt[index] ?? 0 })
  }
  let isPossible = false
  for (const { uid, entryAt } of ways) {
    const owner = lines.get(uid)
    const writes = owner?.writes.filter((write) => write.word === word) ?? []
    const isGone = owner?.goneAt !== never
    if (isGone && isFollowed) continue
    if (!isGone && writes.some(({ ackedAt }) => ackedAt < entryAt)) return true
    if (writes.some(({ sentAt }) => sentAt < entryAt)) isPossible = true
  }
  return isPossible ? undefined : false
}

async function play(history: readonly Step[]): Promise<void> {
  const hub = modelHub()
  const storage = await modelStorage(hub.link)
  const main: ModelLine = {
    ...{ uid: newUid(0), sees: [], entriesAt: [], writes: [] },
    goneAt: never,
  }
  const lines = new Map([[main.uid, main]])
  const pending = new Set<Promise<void>>()
  let now = 0
  const write = (line: ModelLine, word: string) => {
    now += 1
    const sent: Write = { word, sentAt: now, ackedAt: never }
    line.writes.push(sent)
    const wasGone = line.goneAt !== never
    const done = storage.write(line, word).then(
      (answer) => {
        now += 1
        if (wasGone) expect(answer).toMatchObject({ code: 'not_found' })
        if (!isRefusal(answer)) sent.ackedAt = now
      },
      // The storage was restarted under it: its client does not know whether it was stored.
      () => {},
    )
    pending.add(done)
    void done.finally(() => pending.delete(done))
  }
  const look = async (isFollowed: boolean) => {
    for (const line of lines.values()) {
      for (const word of words) {
        const wanted = expected(lines, line, { word, isFollowed })
        const seen = await storage.isVisible(line, word)
        if (wanted !== undefined) expect(seen, `${word} in ${line.uid}`).toBe(wanted)
      }
    }
  }
  try {
    for (const step of history) {
      const all = [...lines.values()]
      const line = all['on' in step ? step.on % all.length : 0] ?? main
      now += 1
      switch (step.does) {
        case 'write':
          write(line, words[step.word] ?? '')
          for (let turns = 0; turns < step.turns; turns += 1) await turn()
          break
        case 'commit or fork': {
          if (line.goneAt !== never) break
          const before = hub.append(1 + step.jump)
          const made: ModelLine = {
            uid: newUid(lines.size),
            sees: [{ uid: line.uid, before }, ...line.sees].slice(0, 8),
            entriesAt: [now, ...line.entriesAt],
            writes: [],
            goneAt: never,
          }
          lines.set(made.uid, made)
          break
        }
        case 'delete':
          if (line === main) break
          hub.remove(line.uid)
          line.goneAt = Math.min(line.goneAt, now)
          break
        case 'hold':
        case 'release':
          hub[step.does]()
          break
        case 'lose':
          hub.loseAnswers(step.answers)
          break
        case 'restart hub':
          hub.append()
          hub.loseAnswers(1)
          break
        case 'restart storage':
          storage.restart()
          break
        case 'look':
          await look(false)
      }
    }
    hub.release()
    await Promise.all(pending)
    await storage.follow()
    await look(true)
    await expectConstant(storage, lines)
    for (const { uid, goneAt } of lines.values()) {
      if (goneAt !== never) expect(await storage.rowsOf(uid)).toBe(0)
    }
  } finally {
    hub.release()
    await Promise.all(pending)
    await storage.close()
  }
}

/** What neither rule decides stays as it is. */
async function expectConstant(
  storage: ModelStorage,
  lines: ReadonlyMap<RefUid, ModelLine>,
): Promise<void> {
  const seen = async () => {
    const all: boolean[] = []
    for (const line of lines.values()) {
      for (const word of words) all.push(await storage.isVisible(line, word))
    }
    return all
  }
  const before = await seen()
  storage.restart()
  await storage.follow()
  expect(await seen()).toEqual(before)
}

// conformance: Guarantees / A commit shows exactly the content that was acknowledged before it
test('random histories with delays, losses and restarts agree with the rule', async () => {
  await fc.assert(fc.asyncProperty(steps, play), {
    numRuns: rounds(onPostgres ? 15 : 80, 100_000),
  })
}, 7_200_000)

describe('by name', () => {
  test('a hub answer delayed on the wire, a commit, then a write: invisible to that commit', async () => {
    const { hub, storage } = await open()
    hub.hold()
    const early = storage.write(main, 'early')
    await turns()
    const commit = lineFrom(main, hub.append())
    const late = storage.write(main, 'late')
    await turns()
    hub.release()
    expect(await Promise.all([early, late])).toEqual([true, true])
    expect(await storage.isVisible(commit, 'late')).toBe(false)
    expect(await storage.isVisible(main, 'late')).toBe(true)
  })

  test('a deletion between the question of a writer and its insert leaves no row', async () => {
    const { hub, storage } = await open()
    const fork = lineFrom(main, hub.append())
    hub.hold()
    const writing = storage.write(fork, 'a')
    await turns()
    hub.remove(fork.uid)
    hub.release()
    // The answer was made before the deletion, so the write may have been taken.
    await writing
    await storage.follow()
    expect(await storage.rowsOf(fork.uid)).toBe(0)
  })

  test('a deletion that is applied between the answer to a writer and its insert refuses the write', async () => {
    const { hub, storage } = await open()
    const fork = lineFrom(main, hub.append())
    const writing = storage.write(fork, 'a', async () => {
      hub.remove(fork.uid)
      await storage.apply()
    })
    expect(await writing).toMatchObject({ code: 'not_found' })
    expect(await storage.rowsOf(fork.uid)).toBe(0)
  })

  test('rows of a deleted ref are not found before they are swept', async () => {
    const { hub, storage } = await open()
    const fork = lineFrom(main, hub.append())
    await storage.write(fork, 'a')
    const commit = lineFrom(fork, hub.append())
    hub.remove(fork.uid)
    await storage.apply()
    expect(await storage.rowsOf(fork.uid)).toBe(1)
    for (const line of [fork, commit]) expect(await storage.isVisible(line, 'a')).toBe(false)
  })

  test('what is written after a token was seen has no stamp below what the token names', async () => {
    const { hub, storage } = await open()
    await storage.follow()
    // A token of a hub that is ahead of the one which answers.
    const ahead = lineFrom(main, journalNumber(hub.append() + 1000))
    expect(await storage.isVisible(ahead, 'a')).toBe(false)
    await storage.write(main, 'a')
    expect(await storage.isVisible(ahead, 'a')).toBe(false)
  })
})

const main: Line = { uid: newUid(0), sees: [] }

function lineFrom({ uid, sees }: Line, before: JournalNumber): Line {
  return { uid: newUid(before), sees: [{ uid, before }, ...sees] }
}

async function open() {
  const hub = modelHub()
  const storage = await modelStorage(hub.link)
  onTestFinished(storage.close)
  return { hub, storage }
}

/** Until everything that can happen has happened. */
async function turns(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await turn()
}
