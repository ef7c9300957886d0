/** Arbitrary paths of storage requests, for the property tests. */

import fc from 'fast-check'

const harmless = "ABXYZabxyz0189-_~!$&'()*+,=:@."

/** One segment in its normal spelling. */
export const arbitrarySegment = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...harmless) },
      { weight: 1, arbitrary: fc.constantFrom('%20', '%C3%A9', '%5B', '%f0%9f%97%9d', '%3C') },
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))
  .filter((segment) => segment !== '.' && segment !== '..')

/** Paths about half of which are normal: the pieces are those that make the difference. */
export const nearlyNormal = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom('a', 'shard', 'XORB', 'v1', '.', '-', '%20', '/a') },
      { weight: 2, arbitrary: fc.constantFrom('/', '/', '..', '%C3%A9', '+', '@') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(...['%2e', '%2F', '%41', '%', '%C3', ';', '\\', '?', '#', 'é']),
      },
    ),
    { maxLength: 8 },
  )
  .map((pieces) => `/${pieces.join('')}`)

export const arbitraryMethod = fc.oneof(
  fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'),
  fc.constantFrom('MKCOL', 'PROPFIND', 'QUERY', 'get', 'Post', 'patch', 'options', ''),
  fc.string(),
)
