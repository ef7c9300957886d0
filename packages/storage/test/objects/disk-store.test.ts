/** The disk store does what every object store does. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { placeOf } from '../../src/objects/disk/places.ts'
import { diskObjects } from '../../src/objects/open-objects.ts'
import { testObjectStore } from './contract.ts'

testObjectStore(() => {
  const place = { kind: 'disk', folder: join(temporaryFolder(), 'objects') } as const
  return {
    place,
    open: (options) => diskObjects(place, options),
    // A folder is listed whole.
    ...{ manyObjects: 30, manyReaders: 100, hasAtomicWrites: true },
    lengthOf: ({ bytes }) => bytes.length,
    async spoil(key, change) {
      const { file } = placeOf(place.folder, key)
      await writeFile(file, change(await readFile(file)))
    },
  }
})
