/** The `Files` port on `node:fs`. The contract of each operation is in `crate/src/port.rs`. */
import { randomUUID } from 'node:crypto'
import { renameSync, statSync, type BigIntStats, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { call, codeOf, makeFolder, openToWrite, syncFolder, writeAll, type Operation } from './calls.ts'

/** A longer file is refused: the store rotates long before. */
const FILE_MAX_BYTES = 512 * 1024 * 1024

/**
 * A descriptor kept open. What is to be closed while an append waits on it is closed by that append: the system gives
 * the number of a closed descriptor to the next file, and the append would go on in that one.
 */
interface Kept { descriptor: number, isNew: boolean, appends: number, close: boolean }

/** A short text that changes whenever the file does; empty when there is none. */
export function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeNs}` : ''
}

/** Files by path, with the descriptors that appending keeps open. */
export class NodeFiles {
  readonly #open = new Map<string, Kept>();

  * read(path: string, fromBytes: number): Operation<Uint8Array> {
    const descriptor = yield* call<number>('open', path, 'r')
    try {
      const { size } = yield* call<Stats>('fstat', descriptor)
      if (size > FILE_MAX_BYTES) throw new Error(`${size} bytes are over the limit of ${FILE_MAX_BYTES}`)
      const bytes = new Uint8Array(Math.max(0, size - fromBytes))
      let filled = 0
      while (filled < bytes.length) {
        const got = yield* call<number>('read', descriptor, bytes, filled, bytes.length - filled, fromBytes + filled)
        if (got === 0) break
        filled += got
      }
      return bytes.subarray(0, filled)
    } finally { yield* call('close', descriptor) }
  }

  * list(path: string): Operation<{ name: string, length: number, folder: boolean }[]> {
    const found = []
    for (const name of (yield* call<string[]>('readdir', path)).sort()) {
      try {
        const entry = yield* call<Stats>('stat', join(path, name))
        found.push({ name, length: entry.size, folder: entry.isDirectory() })
      } catch (error) { if (codeOf(error) !== 'ENOENT') throw error } // Gone since it was listed.
    }
    return found
  }

  * append(path: string, bytes: Uint8Array): Operation<void> {
    const kept = yield* this.#appender(path)
    const { descriptor } = kept
    kept.appends++
    try {
      if (kept.isNew) yield* syncFolder(dirname(path)) // The name of a new file must last, too.
      const { size } = yield* call<Stats>('fstat', descriptor)
      try {
        yield* writeAll(descriptor, bytes)
        yield* call('fdatasync', descriptor)
      } catch (error) {
        try { yield* call('ftruncate', descriptor, size) } catch { /* The reader cuts a torn tail. */ }
        throw error
      }
      kept.isNew = false
    } finally {
      if (--kept.appends === 0 && kept.close) yield* call('close', descriptor)
    }
  }

  * replace(path: string, bytes: Uint8Array): Operation<void> {
    const temporary = yield* this.#write(path, bytes, true)
    try { yield* call('rename', temporary, path) } catch (error) { yield* this.remove(temporary); throw error }
    yield* this.#forget(path)
    yield* syncFolder(dirname(path))
  }

  /** The look and the rename are one step of this process, with nothing awaited in between. */
  * replaceIf(path: string, stamp: string, bytes: Uint8Array): Operation<string> {
    const temporary = yield* this.#write(path, bytes, true)
    let made: string
    try {
      made = stampOf(temporary) // A rename keeps all of it.
      if (stampOf(path) === stamp) renameSync(temporary, path)
      else made = ''
    } catch (error) { yield* this.remove(temporary); throw error }
    if (made === '') {
      yield* this.remove(temporary)
      return ''
    }
    yield* this.#forget(path)
    yield* syncFolder(dirname(path))
    return made
  }

  * create(path: string, bytes: Uint8Array): Operation<boolean> {
    const temporary = yield* this.#write(path, bytes, false)
    try {
      yield* call('link', temporary, path)
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error
    } finally { yield* this.remove(temporary) }
    return yield* this.#createInPlace(path, bytes) // A file system without hard links.
  }

  * truncate(path: string, lengthBytes: number): Operation<void> {
    const descriptor = yield* call<number>('open', path, 'r+')
    try {
      yield* call('ftruncate', descriptor, lengthBytes)
      yield* call('fdatasync', descriptor)
    } finally { yield* call('close', descriptor) }
  }

  * rename(from: string, to: string): Operation<void> {
    try { yield* call('lstat', to) } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      yield* makeFolder(dirname(to))
      yield* call('rename', from, to)
      yield* this.#forget(from)
      return yield* syncFolder(dirname(to))
    }
    throw Object.assign(new Error('the target exists'), { code: 'EEXIST' })
  }

  * remove(path: string): Operation<void> {
    try { yield* call('unlink', path) } catch (error) { if (codeOf(error) !== 'ENOENT') throw error }
    yield* this.#forget(path)
  }

  * realPath(path: string): Operation<string> {
    return yield* call<string>('realpath', path)
  }

  /** Closes every descriptor. */
  * close(): Operation<void> {
    for (const path of [...this.#open.keys()]) yield* this.#forget(path)
  }

  /** The descriptor kept open for appending, as long as the path still names the same file. Nothing here waits. */
  * #appender(path: string): Operation<Kept> {
    const kept = this.#open.get(path)
    if (kept !== undefined) {
      // Another process may have put a new file in this place; what is appended to the old one would be lost.
      const ours = yield* call<BigIntStats>('fstat', kept.descriptor, { bigint: true })
      try {
        const named = yield* call<BigIntStats>('stat', path, { bigint: true })
        if (named.ino === ours.ino && named.dev === ours.dev) return kept
      } catch (error) { if (codeOf(error) !== 'ENOENT') throw error }
      yield* this.#forget(path)
    }
    const opened = { descriptor: yield* openToWrite(path, 'a'), isNew: kept === undefined, appends: 0, close: false }
    this.#open.set(path, opened)
    return opened
  }

  * #forget(path: string): Operation<void> {
    const kept = this.#open.get(path)
    if (kept === undefined) return
    this.#open.delete(path)
    kept.close = true
    if (kept.appends === 0) yield* call('close', kept.descriptor)
  }

  * #write(path: string, bytes: Uint8Array, durable: boolean): Operation<string> {
    const temporary = `${path}.${randomUUID()}.tmp`
    const descriptor = yield* openToWrite(temporary, 'wx')
    try {
      yield* writeAll(descriptor, bytes)
      if (durable) yield* call('fsync', descriptor)
    } finally { yield* call('close', descriptor) }
    return temporary
  }

  * #createInPlace(path: string, bytes: Uint8Array): Operation<boolean> {
    let descriptor
    try { descriptor = yield* openToWrite(path, 'wx') } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    }
    try { yield* writeAll(descriptor, bytes) } finally { yield* call('close', descriptor) }
    return true
  }
}
