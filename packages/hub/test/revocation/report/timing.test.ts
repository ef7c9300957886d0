/** When a report is answered does not tell whether anything was taken back. */

import { expect, test } from 'vitest'
import { movedWindows } from './moved-windows.ts'

test('live, dead and invented tokens wait for the same two windows', async () => {
  const { send, timer, committed, commits, rows } = await movedWindows()
  for (const [index, token] of ['live one', 'live one', 'invented'].entries()) {
    const sent = send([token])
    await timer.waits(1)
    expect(sent.answer).toBeUndefined()
    timer.tick()
    await committed.reaches(index + 1)
    await timer.waits(1)
    await new Promise(setImmediate)
    expect(sent.answer).toBeUndefined()
    timer.tick()
    await sent.over
    expect(sent.answer).toMatchObject({ statusCode: 202, body: '{"status":"accepted"}' })
  }
  // Also where nothing was to be written, so that a busy database delays all alike.
  expect(commits).toEqual([1, 1, 1])
  expect(await rows()).toEqual([{ id: 'live one' }])
})

test('an answer never comes before the commit, nor between two ticks of the timer', async () => {
  const begun = Promise.withResolvers<void>()
  const slow = Promise.withResolvers<void>()
  const { send, timer, committed, rows } = await movedWindows((commit) => async (posts) => {
    begun.resolve()
    await slow.promise
    await commit(posts)
  })
  const sent = send(['live one'])
  await timer.waits(1)
  timer.tick()
  await begun.promise
  await timer.waits(1)
  timer.tick()
  await timer.waits(1)
  expect(sent.answer).toBeUndefined()
  slow.resolve()
  await committed.reaches(1)
  await new Promise(setImmediate)
  expect(sent.answer).toBeUndefined()
  expect(await rows()).toHaveLength(1)
  timer.tick()
  await sent.over
  expect(sent.answer?.statusCode).toBe(202)
})

test('all reports of a window are one transaction, and have one entry', async () => {
  const { send, joined, untilAnswered, commits, directory } = await movedWindows()
  const sent = ['live a', 'live b', 'invented', 'live a'].map((token, index) =>
    send([token], `192.0.2.${index}`),
  )
  await joined.reaches(4)
  await untilAnswered(...sent)
  expect(commits).toEqual([4])
  const entries = await directory.read((tables) =>
    tables.selectFrom('journal').select(['verb', 'detail']).where('verb', '=', 'revoke').execute(),
  )
  expect(entries).toHaveLength(1)
  expect(JSON.parse(entries[0]?.detail ?? '').after.cuts).toHaveLength(2)
})

test('while a commit is under way the next window stays open', async () => {
  const slow = Promise.withResolvers<void>()
  const { send, timer, untilAnswered, commits } = await movedWindows((commit) => async (posts) => {
    await slow.promise
    await commit(posts)
  })
  const first = send(['live a'])
  await timer.waits(1)
  timer.tick()
  await timer.waits(1)
  const second = send(['live b'], '192.0.2.2')
  await timer.waits(2)
  for (let ticks = 0; ticks < 5; ticks += 1) {
    timer.tick()
    await timer.waits(1)
  }
  expect(commits).toEqual([1])
  slow.resolve()
  await untilAnswered(first, second)
  expect(commits).toEqual([1, 1])
  expect([first.answer?.statusCode, second.answer?.statusCode]).toEqual([202, 202])
})
