/** The attacks that every form of the gate withstands, on the storage that has it inside. */

import type { Setting } from '@latchkey/testing/attacks/attacks'
import { withstands } from '@latchkey/testing/attacks/withstands'
import { ask } from '@latchkey/testing/http/ask'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { openStage, type Stage } from '../stage.ts'

let stage: Stage
let setting: Setting
beforeAll(async () => {
  stage = await openStage()
  const [own, other] = [await stage.newRepository(), await stage.newRepository()]
  await stage.newBranch(own, 'dev')
  const reader = await stage.caller(`read ${own}@main`)
  const writer = await stage.caller(`write ${own}@main`)
  const prefixes = {
    own: new URL(reader.url).pathname,
    'other repository': new URL((await stage.caller(`read ${other}@main`)).url).pathname,
    'other ref': new URL((await stage.caller(`read ${own}@dev`)).url).pathname,
  }
  const tokens = {
    read: reader.token,
    write: writer.token,
    forged: `${writer.token.slice(0, -8)}AAAAAAAA`,
    none: undefined,
  }
  setting = {
    prefix: (place) => prefixes[place],
    bearer: (token) => tokens[token] && `Bearer ${tokens[token]}`,
  }
})
afterAll(() => stage.close())

/** What the storage has worked on, as its log has it. */
function served(lines: readonly string[]): readonly unknown[] {
  return lines.map((line) => JSON.parse(line)).filter(({ outcome }) => outcome === 'served')
}

describe('the embedded storage', () => {
  withstands(
    'storage',
    () => setting,
    async (asking) => {
      const before = stage.lines.length
      const answer = await ask(stage.url, asking)
      // What the listener refuses is not logged; everything else is, once its answer is out.
      if (answer.status !== 421) await expect.poll(() => stage.lines.length).toBeGreaterThan(before)
      return { answer, reached: served(stage.lines.slice(before)) }
    },
  )
})
