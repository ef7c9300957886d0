/** Whether the doctor sees that a bucket keeps objects. */

import { type LocalS3Store, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examine, place } from './installation.ts'

describe.skipIf(isVersitygwMissing('the doctor looks at no bucket'))('a bucket', () => {
  let store: LocalS3Store
  beforeAll(async () => {
    store = await sharedVersitygw()
  })
  afterAll(() => store?.kill())

  async function findingsOf(changed: Readonly<Record<string, string>> = {}) {
    const { bucket, endpoint, credentials } = store.newPlace()
    const { findings } = await examine(await place(), [], {
      LATCHKEY_OBJECTS: `s3://${bucket}/content`,
      LATCHKEY_OBJECTS_ENDPOINT: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      ...changed,
    })
    return findings.filter(({ check }) => check === 'bucket')
  }

  test('that works is told as one', async () => {
    const found = expect.stringMatching(/^s3:\/\/test-\w+\/content\/ at http:\S+ keeps objects/)
    expect(await findingsOf()).toEqual([{ check: 'bucket', result: 'good', found }])
  })

  test.each([
    ['does not exist', { LATCHKEY_OBJECTS: 's3://not-there/content' }],
    ['rejects the credentials', { AWS_SECRET_ACCESS_KEY: 'another-secret' }],
  ])('that %s is wrong', async (_, changed) => {
    const [finding, ...others] = await findingsOf(changed)
    expect(others).toEqual([])
    expect(finding).toMatchObject({ result: 'wrong', todo: expect.stringMatching(/./) })
    expect(JSON.stringify(finding)).not.toContain('another-secret')
  })
})
