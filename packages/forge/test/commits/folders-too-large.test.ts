import { noCommit, unixSeconds } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { type Writing, writeOnto } from '../../src/commits/make-commit.ts'
import { GitFailed, type Repository } from '../../src/git/index.ts'

test('a commit of folders that are too large together is refused with the limit', async () => {
  const changeTree = async () => {
    throw new GitFailed('too-large', 'reads at most so many bytes')
  }
  const header = {
    kind: 'header',
    summary: 'much',
    description: '',
    parentCommit: undefined,
  } as const
  const refused = await writeOnto(
    noCommit,
    { header, edits: [], large: [], attributes: '' },
    {
      ...{ repository: { changeTree } as unknown as Repository, account: 'ada' },
      ...{ publicUrl: 'https://hub.example', clock: () => unixSeconds(1) },
      ...{ git: {} as Writing['git'], signal: new AbortController().signal },
    },
  )
  expect(refused).toMatchObject({ code: 'bad_request' })
  expect(refused).toHaveProperty('detail', expect.stringMatching(/67108864 bytes.*Split it/))
})
