/** Lets a process end while a timer is pending. Not every runtime has processes, or timers that are objects. */

export function letEnd(timer: NodeJS.Timeout): NodeJS.Timeout {
  timer.unref?.()
  return timer
}
