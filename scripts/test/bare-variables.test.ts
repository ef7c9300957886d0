import { expect, test } from 'vitest'
import { bareVariables } from '../words/variables.ts'

test('constants, parameters and destructured names count', () => {
  const text = `
const asked = 1
let [kept, total] = [0, 0]
const { path: given, ...told } = request
for (const [ref, wanted] of refs) use(ref, wanted)
const read = (given: string) => given
const look = async ({ known, closing }: Known): Promise<void> => {}
function show(
  shown: Map<string, string>,
  { seen }: { readonly seen: Stats },
): void {}
interface Port {
  newRef(taken: Ref): void
}
`
  expect(bareVariables(text).toSorted()).toEqual(
    [
      'asked',
      'given',
      'given',
      'kept',
      'known',
      'seen',
      'shown',
      'taken',
      'told',
      'wanted',
    ].toSorted(),
  )
})

test('uses, members of objects and names with a noun do not count', () => {
  const text = `
send(given, { known: number, told })
if (known) {
  call(asked)
}
const { known: knownNumber } = row
const givenName = kept ? use(seen) : taken
interface Row {
  readonly told: number
}
`
  expect(bareVariables(text)).toEqual([])
})
