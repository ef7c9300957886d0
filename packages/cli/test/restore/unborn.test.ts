/** A branch without a commit comes back from a backup as it was, and gets its first commit there. */

import { expect, it } from 'vitest'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { temporaryDirectory } from '../run-latchkey.ts'

const bert = 'models/acme/bert'

it('a branch without a commit is restored with its uid, and gets its first commit', async () => {
  const cwd = temporaryDirectory()
  const run = async (words: string) => {
    const told = await latchkey(words.split(' '), { cwd })
    expect(told, words).toMatchObject({ code: 0 })
    return told.stdout
  }
  await run('namespace create acme')
  await run(`repo create ${bert}`)
  const before = JSON.parse(await run(`ref show ${bert} main --json`))
  expect(before.commit).toBe('0'.repeat(40))
  await run('backup copy')
  await run('restore copy --data restored')
  expect(JSON.parse(await run(`ref show ${bert} main --json --data restored`))).toEqual(before)
  const commit = '1'.repeat(40)
  const after = JSON.parse(await run(`ref set ${bert} main ${commit} --json --data restored`))
  expect(after).toEqual({ ...before, commit })
})
