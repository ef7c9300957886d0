/** Does a hub under load go on growing? The slope of its memory after the warm-up. */

import { connections, startHubSide, warmUpAll } from '../issue/sides.ts'
import { sqliteDirectory } from '../issue/sqlite-directory.ts'
import { ownMemoryOf } from '../machine.ts'
import { measuredOf } from '../measure/figure.ts'
import { load } from '../measure/load.ts'
import { type Point, slopeOf } from '../measure/statistics.ts'
import type { Part } from '../part.ts'

const repositories = 100_000
const sampleMs = 2000
/** Of the time of load: caches fill, and the heap finds its size. */
const warmUpShare = 0.2

export const slope: Part = {
  name: 'slope',
  async figures({ minutes, roundMs }) {
    const directory = await sqliteDirectory(repositories)
    try {
      const hub = await startHubSide(directory, 'uniform')
      await warmUpAll([hub], roundMs)
      const [pid = 0] = hub.pids
      const started = performance.now()
      const points: Point[] = []
      const passed = () => (performance.now() - started) / 60_000
      while (passed() < minutes) {
        await load(hub, connections, sampleMs)
        points.push({ x: passed(), y: ownMemoryOf(pid) })
      }
      const after = points.filter(({ x }) => x > minutes * warmUpShare)
      const growth = slopeOf(after)
      const megabytes = after.map(({ y }) => y)
      return [
        {
          figure: `memory of a hub, ${minutes} minutes of load`,
          anchor: '',
          result:
            growth === undefined
              ? { notMeasured: `${after.length} samples make no line; give more --minutes` }
              : measuredOf([growth], { unit: 'MB/min' }),
          details: { 'least MB': Math.min(...megabytes), 'most MB': Math.max(...megabytes) },
        },
      ]
    } finally {
      await directory.close()
    }
  },
}
