/** Reads `.pgpass`: the package that the driver uses, which has no types of its own. */

declare module 'pgpass' {
  interface Login {
    readonly host: string
    readonly port: number
    readonly database: string
    readonly user: string
  }
  export default function findPassword(
    login: Login,
    found: (password: string | undefined) => void,
  ): void
}
