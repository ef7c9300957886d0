/** Unix seconds, and the text of a `timestamptz` that is the same moment. */

const micro = 1e6

/** PostgreSQL's own bounds are 4713 BC and 294276 AD; JavaScript's calendar ends before the latter. */
const earliest = Date.UTC(-4712, 0, 1) / 1000
const latest = 8.64e12

const shape =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(\.\d{1,6})?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/

export function timeText(seconds: number): string {
  if (seconds === Number.POSITIVE_INFINITY) return 'infinity'
  if (seconds === Number.NEGATIVE_INFINITY) return '-infinity'
  if (!(seconds >= earliest && seconds <= latest)) {
    throw new RangeError(`no moment that the database can store: ${seconds}`)
  }
  const whole = Math.floor(seconds)
  const micros = Math.round((seconds - whole) * micro)
  // A fraction that rounds up to a second belongs to the next one.
  const date = new Date((micros === micro ? whole + 1 : whole) * 1000)
  const year = date.getUTCFullYear()
  const yearText = `${year > 0 ? year : 1 - year}`.padStart(4, '0')
  const rest = date.toISOString().slice(-20, -5)
  const fraction = `${micros % micro}`.padStart(6, '0')
  return `${yearText}${rest}.${fraction}Z${year > 0 ? '' : ' BC'}`
}

/** The `ISO` style of PostgreSQL, in whatever time zone its session has. */
export function secondsOf(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  if (text === '-infinity') return Number.NEGATIVE_INFINITY
  const found = shape.exec(text)
  if (found === null) throw new RangeError(`no moment in the ISO style of PostgreSQL: ${text}`)
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map(Number)
  const [, , , , , , , fraction = '0', sign, ...zone] = found
  const [hours = 0, minutes = 0, seconds = 0] = zone.slice(0, 3).map((part) => Number(part ?? 0))
  const offset = (sign === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds)
  const date = new Date(0)
  // Years below 100 are years here, which Date.UTC takes for 19xx.
  date.setUTCFullYear(found[12] === undefined ? year : 1 - year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  const whole = date.getTime() / 1000 - offset
  return fraction === '0' ? whole : (whole * micro + Math.round(Number(fraction) * micro)) / micro
}
