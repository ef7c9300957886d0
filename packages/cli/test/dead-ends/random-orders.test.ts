/** Whatever is typed first in an empty directory, every refusal names a command that leads on and destroys nothing that was not to be destroyed. */

import { verbs } from '@latchkey/admin-api'
import { rounds } from '@latchkey/testing/chance'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../run-latchkey.ts'
import { drawCommand, drawFrom, forms } from './commands.ts'
import { finalReasons } from './final-reasons.ts'
import { follow } from './follow.ts'

const orders = rounds(5, 2000)
const perOrder = 6
const seconds = 1000

/** They need files of two storages, take a secret, or explain instead of doing something. */
const leftOut = ['repo move-storage', 'revoke token', 'explain', 'explain sign-in']

it('the orders have every verb of the directory', () => {
  const missing = verbs.filter(({ words }) => !forms.some((form) => form.startsWith(words)))
  expect(missing.map(({ words }) => words)).toEqual(leftOut)
})

const contradiction = JSON.stringify({
  namespaces: [{ name: 'other' }],
  repositories: [{ type: 'model', id: 'acme/bert' }],
})

it.each(finalReasons)('a refusal is final only because $why', async ({ why, example }) => {
  const met = new Set<string>()
  const place = { cwd: temporaryDirectory(), met, newName: () => 'new' }
  for (const command of example.slice(0, -1)) {
    await follow(place, { words: command.split(' '), input: '' })
    expect([...met]).toEqual([])
  }
  await follow(place, { words: (example.at(-1) ?? '').split(' '), input: contradiction })
  expect([...met]).toEqual([why])
})

it(
  `${orders} random orders of the verbs from an empty directory end in no dead end, and no refusal names a command that destroys unless the refused one does`,
  async () => {
    const met = new Set<string>()
    for (let order = 0; order < orders; order += 1) {
      const draw = drawFrom(order)
      const cwd = temporaryDirectory()
      let names = 0
      const newName = () => {
        names += 1
        return `n${names}`
      }
      for (let count = 0; count < perOrder; count += 1) {
        await follow({ cwd, met, newName }, drawCommand(draw))
      }
    }
    // A new form changes all draws, so the number of reasons that they meet varies.
    expect(met.size).toBeGreaterThan(2)
  },
  orders * 20 * seconds,
)
