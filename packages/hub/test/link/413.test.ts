import { expect, test } from 'vitest'
import { askLink, startLinked } from './ask-link.ts'

test.each(['epochs', 'places'])(
  '%s reads no body that is longer than a question can be',
  async (what) => {
    const body = `{"uids":["${'x'.repeat(128 * 1024)}"]}`
    const { status, json } = await askLink(await startLinked(), what, { body })
    expect([status, json['code']]).toEqual([413, 'body_too_large'])
  },
)
