import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runConform } from '../../src/command/run-conform.ts'
import { hubTokenNames } from '../../src/hub/world.ts'

async function printed(flag: string): Promise<string> {
  let text = ''
  const print = (part: string) => {
    text += part
  }
  expect(await runConform({ [flag]: true }, { print, tell: () => {} })).toBe(0)
  return text
}

test('the printed world is the one of the vectors', async () => {
  const file = new URL('../../../../vectors/world.json', import.meta.url)
  expect(await printed('printWorld')).toBe(readFileSync(file, 'utf8'))
})

test('the printed steps name every repository, branch and hub token of the world', async () => {
  const [text, world] = [await printed('printSetup'), JSON.parse(await printed('printWorld'))]
  const names = world.repositories.flatMap((row: { id: string; branches: object }) => [
    row.id,
    ...Object.keys(row.branches).map((name) => `branch ${JSON.stringify(name)}`),
  ])
  const missing = [...names, ...hubTokenNames].filter((name) => !text.includes(name))
  expect(missing).toEqual([])
})
