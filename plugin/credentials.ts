/** Finding a key, for each use anew. A key never leaves `plugin/`, and nothing here writes. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** Longest credentials document that is read. */
const FILE_MAX_BYTES = 1 << 20
/** The part of the host's service that is used. */
export interface Service { resolve(ref: string): Promise<{ value: string, source: string } | undefined> }

/** A key, and where it was found: `service:<source>`, `file`, `config` or `env`. */
export interface Found { value: string, path: string }

export class Credentials {
  readonly #service: () => Service | undefined
  readonly #file: string
  readonly #given: ReadonlyMap<string, string>

  /**
   * `service` gives the host's own while it is up; `home` is the host's folder, undefined without a host; `given` holds the
   * keys of the config by name.
   */
  constructor(service: () => Service | undefined, home: string | undefined, given: ReadonlyMap<string, string>) {
    this.#service = service
    this.#file = home === undefined ? '' : join(home, '.credentials.yaml')
    this.#given = given
  }

  /** Looks in the order of the documentation. Never rejects: what cannot be read in `limitMs` holds no key. */
  async find(name: string, limitMs: number): Promise<Found | undefined> {
    const told = await this.#told(name, limitMs)
    if (told) return told
    const given = usable(this.#given.get(name))
    if (given) return { value: given, path: 'config' }
    const env = usable(process.env[name])
    return env ? { value: env, path: 'env' } : undefined
  }

  async #told(name: string, limitMs: number): Promise<Found | undefined> {
    try {
      const service = this.#service()
      if (service) {
        const found = await within(service.resolve(name), limitMs)
        const value = usable(found?.value)
        return found && value ? { value, path: `service:${found.source}` } : undefined
      }
    } catch { /* A service that fails or is silent is not up. */ }
    if (this.#file === '') return undefined
    try {
      const value = usable(refs(await read(this.#file)).get(name))
      return value ? { value, path: 'file' } : undefined
    } catch { return undefined }
  }
}

/** The key, unless it cannot go into a header: then it is none. */
function usable(value: string | undefined): string | undefined {
  const key = value?.trim() ?? ''
  return /^[\x21-\x7e]+$/.test(key) ? key : undefined
}

async function within<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => { reject(new Error('silent')) }, limitMs)
  try { return await Promise.race([promise, late]) } finally { clearTimeout(timer) }
}

async function read(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    if (size > FILE_MAX_BYTES) throw new Error('the credentials document is over its limit')
    return await file.readFile('utf8')
  } finally { await file.close() }
}

/**
 * Reads the names and values of a credentials document: the flat layout, or the one with `version:` and `refs:`.
 * Only plain and quoted scalars are read, which is what the host writes.
 */
export function refs(document: string): Map<string, string> {
  const lines = document.replace(/^\ufeff/, '').split(/\r?\n/)
  const top = new Map<string, string>()
  const inner = new Map<string, string>()
  let section = ''
  for (const line of lines) {
    const [, indent = '', quoted = '', name = quoted, rest = ''] = /^(\s*)(?:"([^"]+)"|([A-Za-z_][\w.-]*))\s*:(?:\s+(.*))?$/.exec(line) ?? []
    if (name === '') continue
    if (indent === '') {
      section = name
      top.set(name, scalar(rest))
    } else if (section === 'refs' && !inner.has(name)) inner.set(name, scalar(rest))
  }
  return top.has('version') ? inner : top
}

function scalar(text: string): string {
  const [, single] = /^'((?:[^']|'')*)'/.exec(text) ?? []
  if (single !== undefined) return single.replaceAll("''", "'")
  const [double] = /^"(?:[^"\\]|\\.)*"/.exec(text) ?? []
  if (double !== undefined) try { return JSON.parse(double) as string } catch { return '' }
  return text.replace(/(^|\s)#.*$/, '').trim()
}
