/** Colours where they can be seen: on a terminal, unless NO_COLOR asks for none. */

import pico from 'picocolors'

export type Colours = ReturnType<typeof pico.createColors>

export function colours({ isTTY }: { isTTY?: boolean }): Colours {
  const { NO_COLOR, TERM } = process.env
  return pico.createColors(isTTY === true && !NO_COLOR && TERM !== 'dumb')
}
