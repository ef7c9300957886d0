/** Codes that are guessed at once, at a hub whose database answers later: each guess counts before the next is looked up. */

import { acme } from '@latchkey/testing/hub/acme'
import { startWorld } from '@latchkey/testing/hub/world'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, onTestFinished, test } from 'vitest'
import { csrfOf, signIn, submit } from '../sign-in/browser.ts'
import { settingsOf } from '../stores/postgres/open-hub.ts'

const isMissing = isPostgresMissing('no codes are guessed at a hub on it')

// conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
test.skipIf(isMissing)('of many codes that are guessed at once, five are looked up', async () => {
  const { url } = await ownDatabase()
  const world = await startWorld(acme, { database: settingsOf(url) })
  onTestFinished(() => world.close())
  const cookie = await signIn(world, 'writer/write')
  const csrf = await csrfOf(world, cookie)
  const guess = (last: string) =>
    submit(world, '/device', { csrf, user_code: `BBBB-BBB${last}` }, { cookie })
  const answers = await Promise.all([...'BCDFGHJKLMNPQRSTVWXZ'].map(guess))
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(5)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
})
