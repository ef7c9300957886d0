/** Loaded before a program, it makes the program run an hour ago. */

const hourMs = 3_600_000
const { now } = Date

globalThis.Date = class HourAgo extends Date {
  constructor(...words) {
    super(...(words.length === 0 ? [HourAgo.now()] : words))
  }

  static now() {
    return now() - hourMs
  }
}
