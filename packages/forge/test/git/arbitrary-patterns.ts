/** Patterns and paths that are close enough to each other to match now and then. */

import fc from 'fast-check'

const piece = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...'aab.') },
  { weight: 3, arbitrary: fc.constantFrom('/', 'é', '\\', ' ', '#', '!', '-') },
  { weight: 3, arbitrary: fc.constantFrom('*', '**', '?', '/**', '**/', '/**/', '***') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...['[ab]', '[!a]', '[^a/]', '[a-c]', '[]a]', '[a', '[\\]a]', '[[:alpha:]]', '[[:space:]]'],
      ...['[[:nope:]]', '[[:a]', '[a-]', '[--a]', '[\\-a]', '[', ']', '[b-\\a]', '[]-a]', '[!]a-]'],
      ...['[[:punct:]b]', '\\*', '\\[', '\\/', '[a\\', '[[:digit:]-z]', '[[]a]', '[:alpha:]'],
    ),
  },
)

export const arbitraryPattern = fc
  .array(piece, { minLength: 1, maxLength: 7 })
  .map((pieces) => pieces.join(''))

const part = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.string({ unit: fc.constantFrom(...'aab.c'), minLength: 1, maxLength: 3 }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('é', 'a b', 'a ', '#a', '!a', 'a*', '[a', 'a-', '-', ']', '1'),
  },
)

export const arbitraryPath = fc
  .array(
    part.filter((text) => !/^\.+$/.test(text)),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join('/'))
