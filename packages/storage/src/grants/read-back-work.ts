/** Reads objects back from the store and checks every hash, on a thread. */

import type { FormatError } from '@latchkey/xet/format'
import type { CheckedXorb } from '../checking/xorb-checker.ts'
import { checkXorbDraft } from '../checking/xorb-work.ts'
import type { ObjectsPlace } from '../objects/object-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import type { Work } from '../threads/work.ts'
import type { ReadBackTask } from './read-back.ts'

export async function openWork(
  place: ObjectsPlace,
): Promise<Work<ReadBackTask, never, CheckedXorb | FormatError>> {
  const objects = await openObjects(place)
  return async ({ key, bytes, expected, draft }, { signal }) => {
    const writer = objects.createDraft(draft)
    try {
      for await (const part of objects.read(key, 0, bytes - 1)) {
        signal.throwIfAborted()
        writer.write(part)
      }
    } finally {
      writer.close()
    }
    return checkXorbDraft(objects.openDraft(draft), expected)
  }
}
