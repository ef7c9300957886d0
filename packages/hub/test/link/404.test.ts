import { expect, test } from 'vitest'
import { askLink, startLinked } from './ask-link.ts'

test('other paths below the link are answered as to everybody, whatever the credential', async () => {
  const world = await startLinked()
  for (const path of ['', 'keys', 'changes/', 'changes/1', 'Changes', '%63hanges', 'epochs/all']) {
    const ours = await askLink(world, path)
    const theirs = await askLink(world, path, { as: undefined })
    expect([path, ours.status, ours.json['code']]).toEqual([path, 404, 'not_found'])
    expect([theirs.status, theirs.json['detail']]).toEqual([404, ours.json['detail']])
  }
})
