/** What the storage's process gets of the environment: what Node and the system libraries need, and no secret. */

type Environment = Readonly<Record<string, string | undefined>>

const names = [
  'PATH',
  'HOME',
  'TZ',
  'LANG',
  'TMPDIR',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
  'PGPASSFILE',
] as const

const families = /^(?:LC_|SSL_CERT_)/

export function childEnvironment(environment: Environment): Record<string, string> {
  const isPassedOn = (name: string) => names.some((one) => one === name) || families.test(name)
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && isPassedOn(name) ? [[name, value]] : [],
    ),
  )
}
