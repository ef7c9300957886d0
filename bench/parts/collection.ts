/** How long does garbage collection take, and how much memory? A million rows beside a hundred thousand, and a bucket. */

import { findVersitygw } from '@latchkey/testing/tools/s3-stores'
import { collectOnce } from '../collection/collect.ts'
import { type Figure, measuredOf } from '../measure/figure.ts'
import { missing, type Part } from '../part.ts'

const [few, many, inBucket] = [100_000, 1_000_000, 10_000]

export const collection: Part = {
  name: 'collection',
  async figures() {
    // What the first one compiles and keeps is no cost of a row.
    await collectOnce({ count: inBucket })
    const small = await collectOnce({ count: few })
    const large = await collectOnce({ count: many })
    const perRow = large.cpuMs / many / (small.cpuMs / few)
    const figures: Figure[] = [
      {
        figure: 'garbage collection of 1 000 000 rows, memory in use',
        anchor: '100 000 rows',
        result: measuredOf([large.liveBytes / small.liveBytes]),
        goal: { atMost: 1.5 },
        details: {
          'MiB in use': large.liveBytes / 2 ** 20,
          seconds: large.milliseconds / 1000,
          'CPU seconds': large.cpuMs / 1000,
          'anchor seconds': small.milliseconds / 1000,
          'anchor CPU seconds': small.cpuMs / 1000,
          'objects deleted': large.objects,
        },
      },
      {
        figure: 'garbage collection of 1 000 000 rows, CPU per row',
        anchor: '100 000 rows',
        result: measuredOf([perRow]),
      },
      {
        figure: 'garbage collection of 1 000 000 rows, peak RSS',
        anchor: '',
        result: measuredOf([large.peakBytes / 2 ** 20], { unit: 'MiB' }),
      },
    ]
    if (findVersitygw() === undefined) {
      return [
        ...figures,
        missing('garbage collection in a bucket', '', 'versitygw', 'npm run tools brings it'),
      ]
    }
    const { collectInBucket } = await import('../collection/in-bucket.ts')
    const stored = await collectInBucket(inBucket)
    return [
      ...figures,
      {
        figure: 'garbage collection of 10 000 rows, versitygw',
        anchor: '',
        result: measuredOf([stored.milliseconds / 1000], { unit: 's' }),
        details: {
          'objects deleted': stored.objects,
          'MiB at the peak': stored.peakBytes / 2 ** 20,
        },
      },
    ]
  },
}
