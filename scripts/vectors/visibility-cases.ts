/** Grants and rows of a storage, and whether each grant reads each row; every expectation is written down by hand. */

interface Grant {
  readonly repositoryUid: string
  readonly refUid: string
  readonly asOf: number
  readonly sees: readonly { readonly uid: string; readonly before: number }[]
}

type Row = readonly [repositoryUid: string, refUid: string, writtenAt: number]

const bert = (refUid: string, writtenAt: number): Row => ['bertuid', refUid, writtenAt]
const fork = 1_800_000_000_000
const highest = Number.MAX_SAFE_INTEGER
const grant = (change: Partial<Grant> = {}): Grant => ({
  repositoryUid: 'bertuid',
  refUid: 'devuid',
  asOf: fork + 60_000,
  sees: [{ uid: 'mainuid', before: fork }],
  ...change,
})
const inherits = (...sees: readonly (readonly [uid: string, before: number])[]) =>
  grant({ sees: sees.map(([uid, before]) => ({ uid, before })) })

const shown = (name: string, read: Grant, row: Row) => visibility(name, read, row, true)
const hidden = (name: string, read: Grant, row: Row) => visibility(name, read, row, false)

function visibility(name: string, read: Grant, row: Row, visible: boolean) {
  const [repositoryUid, refUid, writtenAt] = row
  return { name, grant: read, row: { repositoryUid, refUid, writtenAt }, visible }
}

const visibilities = [
  shown('own ref, written before the token', grant(), bert('devuid', fork)),
  shown('own ref, written after the token', grant(), bert('devuid', fork + 900_000)),
  shown('own ref, written at 0', grant(), bert('devuid', 0)),
  shown('own ref without inherited refs', grant({ sees: [] }), bert('devuid', fork)),
  shown(
    'own ref that sees lists too, written later',
    inherits(['devuid', fork]),
    bert('devuid', fork + 1),
  ),
  hidden('own ref uid in another repository', grant(), ['gptuid', 'devuid', fork - 1]),
  hidden('another ref', grant(), bert('featureuid', fork - 1)),
  hidden('another ref, written at 0', grant(), bert('featureuid', 0)),
  hidden('a ref created again under its old name', grant(), bert('devuidagain', fork)),
  hidden('a repository created again under its old name', grant(), ['bertuidagain', 'devuid', 0]),
  hidden('the name of the ref instead of its uid', grant(), bert('refs/heads/dev', 0)),
  hidden('uids in upper case', grant(), ['BERTUID', 'DEVUID', 0]),
  hidden('the uid of the ref in upper case', grant(), bert('DEVUID', 0)),
  hidden('uids in the wrong places', grant(), ['devuid', 'bertuid', 0]),
  hidden('an empty ref uid', grant(), bert('', 0)),
  hidden('a ref uid that begins like the own one', grant(), bert('dev', 0)),
  shown('inherited ref, one before the bound', grant(), bert('mainuid', fork - 1)),
  hidden('inherited ref, at the bound', grant(), bert('mainuid', fork)),
  hidden('inherited ref, after the bound', grant(), bert('mainuid', fork + 1)),
  shown('inherited ref, written at 0', grant(), bert('mainuid', 0)),
  hidden('inherited ref uid in another repository', grant(), ['gptuid', 'mainuid', 0]),
  hidden('inherited ref uid in upper case', grant(), bert('MAINUID', 0)),
  hidden('inherited ref, bound of 0', inherits(['mainuid', 0]), bert('mainuid', 0)),
  shown(
    'inherited ref, highest bound',
    inherits(['mainuid', highest]),
    bert('mainuid', highest - 1),
  ),
  hidden('inherited ref, highest number', inherits(['mainuid', highest]), bert('mainuid', highest)),
  hidden('a ref that the token no longer inherits', grant({ sees: [] }), bert('mainuid', 0)),
  hidden(
    'another inherited ref has the higher bound',
    inherits(['mainuid', 5], ['olduid', 9]),
    bert('mainuid', 7),
  ),
  shown(
    'the second of two inherited refs',
    inherits(['mainuid', 5], ['olduid', 9]),
    bert('olduid', 7),
  ),
  shown(
    'one ref twice, the higher bound second',
    inherits(['mainuid', 5], ['mainuid', 9]),
    bert('mainuid', 7),
  ),
  shown(
    'one ref twice, the higher bound first',
    inherits(['mainuid', 9], ['mainuid', 5]),
    bert('mainuid', 7),
  ),
  shown(
    'the eighth inherited ref',
    inherits(...Array.from({ length: 8 }, (_, index) => [`ref${index}uid`, fork] as const)),
    bert('ref7uid', fork - 1),
  ),
  hidden(
    'rows of a tag, for a token that may not read them',
    grant({ refUid: 'taguid.part' }),
    bert('taguid', 0),
  ),
  hidden(
    'rows of an inherited tag that may not be read',
    inherits(['taguid.part', fork]),
    bert('taguid', 0),
  ),
]

function numbering(name: string, asOf: number, nowMilliseconds: number, writtenAt: number) {
  const row = { repositoryUid: 'bertuid', refUid: 'devuid', writtenAt }
  return { name, grant: grant({ asOf }), nowMilliseconds, row }
}

const rows = [
  numbering('the clock is ahead of the token', fork, fork + 1, fork + 1),
  numbering('the clock says the same as the token', fork, fork, fork),
  numbering('the clock is behind the token by one', fork, fork - 1, fork),
  numbering('the clock is a day behind', fork, fork - 86_400_000, fork),
  numbering('the clock stands at 0', fork, 0, fork),
  numbering('the hub counts ahead of its clock', fork + 40_000, fork, fork + 40_000),
  numbering('the token names no journal number', 0, fork, fork),
  numbering('the highest journal number', highest, fork, highest),
]

const repeated = [...visibilities, ...rows].filter(
  ({ name }, at, all) => all.findIndex((other) => other.name === name) !== at,
)
if (repeated.length > 0) throw new Error(`two cases have the name ${repeated[0]?.name}`)

export const visibilityDocument = {
  about: [
    'Rows of a storage, and the grants that read them.',
    'rows: the row that a storage writes for content of this grant at nowMilliseconds, its clock in Unix milliseconds. writtenAt is the higher of the clock and asOf (the claim as_of).',
    'visible: whether a token with this grant reads the row. The repository uids are equal, and the ref uids are equal, or sees lists the ref uid of the row with a before above writtenAt. Compare uids as they are.',
  ],
  rows,
  visible: visibilities,
}
