/** How does issuing grow from a thousand repositories to ten million? */

import type { Part } from '../part.ts'
import { issueFigures } from './issue.ts'

export const growth: Part = {
  name: 'growth',
  figures: (options) => {
    const sizes = [1e3, 1e4, 1e5, 1e6, 1e7]
    const { repositories: most = Math.max(...sizes) } = options
    return issueFigures(
      sizes.filter((size) => size <= most),
      options,
    )
  },
}
