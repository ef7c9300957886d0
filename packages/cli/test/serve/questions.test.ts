import { expect, it } from 'vitest'
import { ownNames } from '../../src/serve/own-names.ts'
import { questions } from '../../src/serve/questions.ts'

/** Time is over when the test says so. */
function asking() {
  const limits: (() => void)[] = []
  const sent: number[] = []
  const asked = questions(800, {
    after(_, act) {
      limits.push(act)
      return () => {}
    },
  })
  const ask = () => asked.ask((id) => sent.push(id))
  return { asked, ask, sent, tooLate: () => limits.shift()?.() }
}

it('each question gets its own answer, in whatever order they come', async () => {
  const { asked, ask, sent } = asking()
  const both = [ask(), ask()]
  asked.answer(sent[1] ?? 0, 'second')
  asked.answer(sent[0] ?? 0, 'first')
  expect(await Promise.all(both)).toEqual(['first', 'second'])
})

it('a question that is not answered in time has no answer, and a late one is nobody’s', async () => {
  const { asked, ask, sent, tooLate } = asking()
  const late = ask()
  tooLate()
  asked.answer(sent[0] ?? 0, 'late')
  expect(await late).toBeUndefined()
})

it('when nobody is left to answer, no question waits', async () => {
  const { asked, ask } = asking()
  const open = [ask(), ask()]
  asked.giveUp()
  expect(await Promise.all(open)).toEqual([undefined, undefined])
})

it('what both processes measure of themselves has two names on one page', () => {
  const text =
    '# HELP process_cpu_seconds_total Of process_cpu\n# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1\nnodejs_heap{space="a"} 2\nlatchkey_storage_open_requests 0\n'
  expect(ownNames(text)).toBe(
    '# HELP latchkey_storage_process_cpu_seconds_total Of process_cpu\n# TYPE latchkey_storage_process_cpu_seconds_total counter\nlatchkey_storage_process_cpu_seconds_total 1\nlatchkey_storage_nodejs_heap{space="a"} 2\nlatchkey_storage_open_requests 0\n',
  )
})
