/** What the tests of the judge share: the plugin on a stub of the host with the built core, and what one turn leaves. */
import type { Row } from '../host/home.ts'
import { StubSession, type Stub } from '../shim/stub.ts'

/** Kept by the screen and refused by the offline judge: only a judge that reads keeps it. */
export const QUIET = 'The staging database is called heron.'
export const RULE = 'From now on, always run make lint before you commit anything.'

/** A key as nobody has one, made here so that no text of the repository looks like it. */
export const fakeKey = (): string => ['fake', 'key', 'for', 'tests', 'of', String(process.pid)].join('-')

let turns = 0

/** The host's credentials service, with these values. */
export const credentials = (values: Record<string, string | undefined>): object => ({
  resolve: (name: string) => Promise.resolve(values[name] === undefined ? undefined : { value: values[name], source: 'env' }),
})

export interface Told { rows: Row[], by: unknown, cause: unknown, tookMs: number }

/** Mounts with `config`, lets a turn of `text` stop, unmounts; returns the ledger and how long the stop took. */
export async function turnOf(stub: Stub, config: object, text: string, signal?: AbortSignal): Promise<Told> {
  stub.dataDir = `${stub.folder}/data-${++turns}`
  await stub.mount({ normalize: { enabled: false }, ...config, dataDir: stub.dataDir })
  const session = new StubSession(`s-${turns}`)
  stub.emit('agent/created', { agent: { session } })
  stub.begin(session, text)
  const start = performance.now()
  await stub.stop(session, signal)
  const tookMs = performance.now() - start
  await stub.dispose()
  const rows = stub.rows()
  return { rows, by: rows.find(({ kind }) => kind === 'remember')?.by, cause: rows.find(({ kind }) => kind === 'degraded')?.cause, tookMs }
}
