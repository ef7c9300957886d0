/** `npm run words -- PATH...` lists the breaches in these files; without a path those of all files. */

import { findBreaches } from './find-breaches.ts'

const paths = process.argv.slice(2)
for (const [file, rules] of Object.entries(findBreaches())) {
  if (paths.length > 0 && !paths.some((path) => file.startsWith(path))) continue
  for (const [rule, list] of Object.entries(rules)) {
    for (const one of list) console.log(`${file}: ${rule}: ${one.slice(0, 120)}`)
  }
}
