/** The process of a storage, found below the one that serves. */

import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { expect } from 'vitest'

/** The one child that there is. */
export function childOf(pid: number | undefined): number {
  const [child, ...more] = childrenOf(pid)
  expect(more).toEqual([])
  return child ?? 0
}
