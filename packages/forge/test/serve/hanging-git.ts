/** A git that never commits the refs which it has prepared: all it is told later stays unread. */

import { spawn } from 'node:child_process'

const git = spawn('git', process.argv.slice(2), { stdio: ['pipe', 'inherit', 'inherit'] })
const { ppid } = process
// It ends with the process that started it.
setInterval(() => {
  if (process.ppid !== ppid) process.exit()
}, 500)
process.stdin.once('data', (first) => {
  process.stdin.pause()
  git.stdin.write(first)
})
