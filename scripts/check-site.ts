/** Checks website/dist in a real browser: links, origins, narrow windows, accessibility, search. */

import { checkSite } from './site/check/check-site.ts'

const { pages, faults } = await checkSite(process.argv[2], ({ path, faults }) =>
  console.log([path, ...faults].join('\n  ')),
)
for (const fault of faults) console.error(fault)
console.log(`${pages} pages, ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
