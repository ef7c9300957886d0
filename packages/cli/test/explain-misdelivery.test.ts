import { IntegrityError, RangeFetchError } from '@latchkey/xet/download'
import { expect, it } from 'vitest'
import { explainMisdelivery } from '../src/transfer/explain-misdelivery.ts'

it('a certificate that is not trusted is told with the option that helps', () => {
  const error = new RangeFetchError(
    "the storage's own URL cannot be reached (SELF_SIGNED_CERT_IN_CHAIN)",
  )
  expect(explainMisdelivery(error)).toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(/^the storage's own URL .* with --ca-cert FILE$/),
  })
})

it.each([
  new RangeFetchError("the storage's own URL cannot be reached (ECONNREFUSED)"),
  new IntegrityError('the storage sent another file'),
])('$message', (error) => {
  expect(explainMisdelivery(error)).toMatchObject({ exitCode: 3, message: error.message })
})
