/** Uploads write to the hub's own database file; the hub must not look anything up again for it. */

import { ask } from '@latchkey/testing/hub/ask'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { expect, test } from 'vitest'
import { contentOf } from '../isolation/content.ts'
import { openStage } from '../stage.ts'
import { bundledThreads } from '../threads/bundled-threads.ts'

test('uploads beside token requests cause not one lookup more in the hub', async () => {
  const stage = await openStage({ openPool: bundledThreads })
  try {
    const repository = await stage.newRepository()
    const writer = await stage.caller(`write ${repository}@main`)
    const issue = async () => {
      const { status } = await ask(stage.world, `read ${repository}@main`, { as: 'writer/read' })
      expect(status).toBe(200)
    }
    await issue()
    for (const word of ['one', 'two', 'three']) {
      expect((await writer.upload(contentOf(word).xorb)).json).toEqual({ was_inserted: true })
      expect(await statementsDuring(issue)).toEqual([])
    }
    await stage.world.done('account set', { account: 'third', disabled: true })
    expect(await statementsDuring(issue)).not.toEqual([])
  } finally {
    await stage.close()
  }
})
