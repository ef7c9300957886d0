/** The storage's own work, with some tasks that never end or kill their thread. */

import type { Doing, Work, WorkModule } from '../../src/threads/work.ts'
import type { Spoiled } from './spoil-tasks.ts'

export function openWork({ module, data, spoil }: Spoiled): Work<object, unknown, unknown> {
  const loaded: Promise<WorkModule<unknown, object, unknown, unknown>> = import(module)
  const opened = loaded.then(({ openWork }) => openWork(data))
  return async (task, doing) => {
    for (const { where, how } of spoil) {
      if (Object.entries(where).every(([key, value]) => Reflect.get(task, key) === value)) {
        return ways[how](doing)
      }
    }
    return (await opened)(task, doing)
  }
}

const ways: Readonly<Record<Spoiled['spoil'][number]['how'], (doing: Doing<unknown>) => unknown>> =
  {
    /** Its thread hears nothing any more, like one that computes for ever; the processor is left to other tests. */
    stuck({ tell }) {
      tell({ type: 'validating', verified: 0, total: 1 })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    },
    /** Until it is given up. */
    async waiting({ tell, signal }) {
      tell({ type: 'validating', verified: 0, total: 1 })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new Error('given up')
    },
    dying: () => process.exit(1),
  }
