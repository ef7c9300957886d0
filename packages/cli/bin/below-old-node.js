// The command as a child of the too old Node that was called: it stops when that one has ended.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
await import('./latchkey.js')
