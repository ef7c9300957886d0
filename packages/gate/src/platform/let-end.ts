/** Lets a process end while a timer is pending. Not every runtime has processes, or timers that are objects. */

export function letEnd(timer: NodeJS.Timeout): NodeJS.Timeout {
  const { Deno } = globalThis as { Deno?: { unrefTimer(id: unknown): void } }
  // The timers of Deno are numbers.
  if (typeof timer === 'number') Deno?.unrefTimer(timer)
  else timer.unref?.()
  return timer
}
