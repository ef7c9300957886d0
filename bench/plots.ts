/** Plots of the results, as images for the documents: `npm run bench:plots`, or with the files of other results. */

import { plotFrom, plots } from './drawing/plots.ts'
import { writeImage } from './drawing/write-image.ts'
import { readResults } from './measure/read-results.ts'

const results = readResults(process.argv.slice(2))
for (const plot of plots) {
  const svg = plotFrom(results, plot)
  if (svg !== undefined) console.log(`written to ${writeImage(plot.name, svg)}`)
  else {
    console.error(`${plot.name} is not drawn: the results have no points of the part ${plot.part}`)
    process.exitCode = 1
  }
}
