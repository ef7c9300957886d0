/** `npm run words -- FILE...` lists the breaches in these files; `-- --lower` writes the counts after they fell. */

import { countBreaches, findBreaches, readRatchet, writeRatchet } from './ratchet.ts'

const [first, ...rest] = process.argv.slice(2)
const found = findBreaches()
if (first === '--lower') {
  const now = countBreaches(found)
  const before = readRatchet()
  const isFirst = Object.keys(before).length === 0
  const lowered = Object.entries(now).map(([file, rules]) => {
    const counts = Object.entries(rules).map(([rule, count]) => {
      const most = isFirst ? count : (before[file]?.[rule] ?? 0)
      return [rule, Math.min(count, most)] as const
    })
    return [file, Object.fromEntries(counts.filter(([, count]) => count > 0))] as const
  })
  writeRatchet(Object.fromEntries(lowered.filter(([, rules]) => Object.keys(rules).length > 0)))
} else {
  const wanted = first === undefined ? [] : [first, ...rest]
  for (const [file, rules] of Object.entries(found)) {
    if (!wanted.some((part) => file.startsWith(part))) continue
    for (const [rule, list] of Object.entries(rules)) {
      for (const one of list) console.log(`${file}: ${rule}: ${one.slice(0, 120)}`)
    }
  }
}
