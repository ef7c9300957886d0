/** The store in a bucket does what every object store does, in two stores that others have written. */

import { rounds } from '@latchkey/testing/chance'
import {
  type LocalS3Store,
  ownStore,
  sharedVersitygw,
  startS3Proxy,
} from '@latchkey/testing/s3/stores'
import { isS3ProxyMissing, isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, describe } from 'vitest'
import { testObjectStore } from './contract.ts'
import { s3ContractStore } from './s3-world.ts'

const isMissing = {
  versitygw: isVersitygwMissing('content in it is not tested'),
  S3Proxy: isS3ProxyMissing('content in it is not tested'),
}

const usual = { manyObjects: 20, hasAtomicWrites: true }

describe.skipIf(isMissing.versitygw)('in versitygw', () => {
  // In a soak more than a list has on one page.
  testStore(sharedVersitygw, { ...usual, manyObjects: rounds(20, 1010) })
})

describe.skipIf(isMissing.S3Proxy)('in S3Proxy', () => {
  testStore(startS3Proxy, { ...usual, hasAtomicWrites: false })
})

const own = ownStore()
describe.skipIf(own === undefined)('in the store of LATCHKEY_TEST_S3', () => {
  if (own !== undefined) testObjectStore(() => s3ContractStore(own, usual))
})

function testStore(start: () => Promise<LocalS3Store>, traits: typeof usual): void {
  let store: LocalS3Store
  beforeAll(async () => {
    store = await start()
  })
  afterAll(() => store?.kill())
  testObjectStore(() => s3ContractStore(store, traits))
}
