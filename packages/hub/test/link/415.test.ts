import { expect, test } from 'vitest'
import { askLink, startLinked } from './ask-link.ts'

test.each(['epochs', 'places'])('%s takes JSON alone', async (what) => {
  const headers = { 'content-type': 'text/plain' }
  const { status, json } = await askLink(await startLinked(), what, { body: '{}', headers })
  expect([status, json['code']]).toEqual([415, 'unsupported_media_type'])
})
