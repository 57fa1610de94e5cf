/** A plain folder as a remote: some other program carries it. Files come whole or half, twice or not yet; each is read as far as it goes. */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { codeOf, messageOf } from './calls.ts'
import { FILE_MAX_BYTES, FILES_MAX, Problem, runs, type File, type Remote } from './remote.ts'

/** A file of ours that was being written. One that is old was left by a sync that was killed. */
const TEMPORARY = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/
const LEFT_MS = 600_000

export class FolderRemote implements Remote {
  sent = 0
  rewritten = 0
  readonly #path: string
  readonly #stamps: Record<string, string> = {}

  private constructor(path: string) { this.#path = path }

  /** Opens a folder and makes it the first time. One that was there and is gone is not made anew: it is not mounted now. */
  static open(address: string, wasThere: boolean): FolderRemote {
    const path = resolve(address)
    if (!existsSync(path) && (wasThere || !existsSync(dirname(path)))) throw new Problem('unreachable', address, 'the folder is not there')
    try { mkdirSync(path, { recursive: true, mode: 0o700 }) } catch (error) { throw new Problem('unreachable', address, messageOf(error)) }
    return new FolderRemote(path)
  }

  list(): Promise<Map<string, string>> {
    const all = new Map<string, string>()
    const look = (folder: string, depth: number): void => {
      for (const entry of readdirSync(join(this.#path, folder), { withFileTypes: true })) {
        // What begins with a dot is the carrying program's own.
        if (TEMPORARY.test(entry.name)) this.#sweep(join(this.#path, folder, entry.name))
        if (entry.name.startsWith('.') || all.size >= FILES_MAX) continue
        const name = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (entry.isDirectory() && depth === 0) look(name, 1)
        else {
          const stamp = this.#stamp(name)
          if (stamp !== undefined) all.set(name, stamp)
        }
      }
    }
    try { look('', 0) } catch (error) { return Promise.reject(new Problem('unreachable', this.#path, messageOf(error))) }
    return Promise.resolve(all)
  }

  async* read(names: readonly string[], bytes: number): AsyncGenerator<File[]> {
    const sizes = new Map(names.map(name => [name, this.#size(name)]))
    const fit = names.filter(name => (sizes.get(name) ?? -1) >= 0)
    for (const run of runs(fit, name => sizes.get(name) ?? 0, bytes)) {
      const files: File[] = []
      for (const name of run) {
        try { files.push({ name, content: readFileSync(join(this.#path, name), 'utf8') }) } catch { /* Gone since it was listed. */ }
      }
      yield await Promise.resolve(files)
    }
  }

  put(files: readonly File[], again: boolean): Promise<void> {
    for (const { name, content } of files) {
      try { this.#write(name, content) } catch (error) { return Promise.reject(new Problem('not-written', name, messageOf(error))) }
      if (again) this.rewritten++; else this.sent++
    }
    return Promise.resolve()
  }

  publish(): Promise<void> { return Promise.resolve() }
  written(): Record<string, string> { return this.#stamps }
  close(): Promise<void> { return Promise.resolve() }

  #write(name: string, content: string): void {
    const path = join(this.#path, name)
    const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if (lstatSync(dirname(path)).isSymbolicLink()) throw new Error('its folder is a link, and links are not followed')
    try {
      const descriptor = openSync(temporary, 'wx', 0o600)
      try {
        const bytes = new TextEncoder().encode(content)
        for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
        fsyncSync(descriptor)
      } finally { closeSync(descriptor) }
      renameSync(temporary, path)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
    this.#stamps[name] = this.#stamp(name) ?? ''
  }

  #sweep(path: string): void {
    try { if (Date.now() - lstatSync(path).mtimeMs > LEFT_MS) rmSync(path) } catch { /* Gone, or not ours to remove. */ }
  }

  /** A link is nobody's file: it may lead anywhere. */
  #stamp(name: string): string | undefined {
    try {
      const stat = lstatSync(join(this.#path, name), { bigint: true })
      return stat.isFile() ? `${stat.size}:${stat.mtimeNs}` : undefined
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  #size(name: string): number {
    try {
      const stat = lstatSync(join(this.#path, name))
      return stat.isFile() && stat.size <= FILE_MAX_BYTES ? stat.size : -1
    } catch { return -1 }
  }
}
