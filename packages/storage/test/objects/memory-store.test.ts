/** What benchmarks have in place of a store does what every object store does, but for what it carries. */

import { testObjectStore } from './contract.ts'
import { memoryPlace, memoryStore } from './memory-store.ts'

testObjectStore(() => {
  const place = memoryPlace()
  return {
    place: undefined,
    open: (options) => memoryStore(place, options),
    ...{ manyObjects: 30, manyReaders: 100, hasAtomicWrites: true },
    lengthOf: ({ bytes }) => bytes.length,
    async spoil(key, change) {
      const object = place.objects.get(key)
      if (object !== undefined) object.bytes = change(object.bytes)
    },
  }
})
