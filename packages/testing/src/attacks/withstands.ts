/** Runs the table of attacks through one form of the gate. */

import { expect, test } from 'vitest'
import type { Answered, Asking } from '../http/ask.ts'
import {
  type Attack,
  askingOf,
  attacks,
  misleadingValue,
  type Setting,
  type Way,
} from './attacks.ts'

export interface Attempt {
  readonly answer: Pick<Answered, 'status'>
  /** What came through to whoever serves admitted requests. */
  readonly reached: readonly unknown[]
}

export function withstands(
  way: Way,
  setting: () => Setting,
  attempt: (asking: Asking) => Promise<Attempt>,
): void {
  // conformance: Attacks by form of the gate / The tests send every request of the table
  test.each(attacks.map((attack) => [attack.what, attack.endings[way], attack] as const))(
    'it withstands that %s: %s',
    async (_what, ending, attack: Attack) => {
      const { answer, reached } = await attempt(askingOf(attack, setting()))
      if (typeof ending === 'number') {
        expect({ status: answer.status, reached }).toEqual({ status: ending, reached: [] })
        return
      }
      expect(answer.status).toBe(200)
      expect(reached).toHaveLength(1)
      if (ending === 'harmless') expect(JSON.stringify(reached)).not.toContain(misleadingValue)
    },
  )
}
