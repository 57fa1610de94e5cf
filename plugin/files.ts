/** The `Files` port on `node:fs`. The contract of each operation is in `crate/src/port.rs`. */
import { randomUUID } from 'node:crypto'
import { renameSync, statSync, type BigIntStats, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FilesPublish } from '../dist/core.js'
import { call, codeOf, makeFolder, messageOf, openToWrite, syncFolder, writeAll, type Operation } from './calls.ts'

/** Two files are compared in pieces of this length. */
const PIECE_BYTES = 1024 * 1024
/** A longer file is refused: the store rotates long before. */
const FILE_MAX_BYTES = 512 * 1024 * 1024

/**
 * A descriptor kept open. What is to be closed while an append waits on it is closed by that append: the system gives
 * the number of a closed descriptor to the next file, and the append would go on in that one.
 */
interface Kept { descriptor: number, file: BigIntStats, isNew: boolean, appends: number, close: boolean }

/** How far a commit came; what is no word is why the append failed, with the lock held. */
type Published = 'busy' | 'taken' | 'kept' | 'done' | { code: string, message: string }

/** A short text that changes whenever the file does; empty when there is none. */
export function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.ino}:${stat.size}:${stat.mtimeNs}` : ''
}

/** Files by path, with the descriptors that appending keeps open. */
export class NodeFiles {
  readonly #open = new Map<string, Kept>()
  /** Replacements on their way, by what they will replace. */
  readonly #staged = new Map<string, { temporary: string, descriptor: number, length: number }>();

  * read(path: string, fromBytes: number, mostBytes = Infinity): Operation<Uint8Array> {
    const descriptor = yield* call<number>('open', path, 'r')
    try {
      const { size } = yield* call<Stats>('fstat', descriptor)
      if (size > FILE_MAX_BYTES) throw new Error(`${size} bytes are over the limit of ${FILE_MAX_BYTES}`)
      const bytes = new Uint8Array(Math.max(0, Math.min(size - fromBytes, mostBytes)))
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
    yield* this.#append(kept, path, bytes, (yield* call<Stats>('fstat', kept.descriptor)).size)
  }

  /** Every call but the sync is done at once: the lock is held for as long as the disk needs. */
  * publish(of: FilesPublish): Operation<Published> {
    const begun = performance.now()
    if (!(yield* this.#lock(of))) return 'busy'
    // From here on the lock is held, and no error may leave but as an answer.
    let kept: Kept
    try {
      const found = yield* this.#asKnown(of)
      if (found === undefined || performance.now() - begun >= of.withinMs) return 'taken'
      kept = found
    } catch { return 'taken' }
    try { yield* this.#append(kept, of.path, of.bytes, of.end) } catch (error) { return { code: codeOf(error), message: messageOf(error) } }
    if (performance.now() - begun >= of.withinMs) return 'kept'
    try { yield* call('unlink', of.lock) } catch { return 'kept' }
    return 'done'
  }

  * #append(kept: Kept, path: string, bytes: Uint8Array, size: number): Operation<void> {
    const { descriptor } = kept
    kept.appends++
    try {
      if (kept.isNew) yield* syncFolder(dirname(path)) // The name of a new file must last, too.
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

  /** Puts the next piece of a replacement in a file beside it; at 0 it begins. */
  * stage(path: string, from: number, bytes: Uint8Array): Operation<void> {
    if (from === 0) {
      yield* this.#unstage(path)
      const temporary = `${path}.${randomUUID()}.tmp`
      this.#staged.set(path, { temporary, descriptor: yield* openToWrite(temporary, 'wx'), length: 0 })
    }
    const staged = this.#staged.get(path)
    if (staged?.length !== from) throw new Error('a piece of a file is missing')
    try { yield* writeAll(staged.descriptor, bytes) } catch (error) { yield* this.#unstage(path); throw error }
    staged.length += bytes.length
  }

  /** The look and the rename are one step of this process, with nothing awaited in between. */
  * replaceIf(path: string, stamp: string | undefined, bytes: Uint8Array, from = 0): Operation<string> {
    yield* this.stage(path, from, bytes)
    const { temporary, descriptor } = this.#staged.get(path) ?? { temporary: '', descriptor: -1 }
    try { yield* call('fsync', descriptor) } catch (error) { yield* this.#unstage(path); throw error }
    this.#staged.delete(path)
    yield* call('close', descriptor)
    let made: string
    try {
      made = stampOf(temporary) // A rename keeps all of it.
      if (stamp === undefined || stampOf(path) === stamp) renameSync(temporary, path)
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

  * copy(from: string, to: string): Operation<void> {
    const temporary = `${to}.${randomUUID()}.tmp`
    try {
      yield* call('copyFile', from, temporary)
      const descriptor = yield* call<number>('open', temporary, 'r+')
      try { yield* call('fsync', descriptor) } finally { yield* call('close', descriptor) }
      yield* call('rename', temporary, to)
    } catch (error) { yield* this.remove(temporary); throw error }
    yield* this.#forget(to)
    yield* syncFolder(dirname(to))
  }

  * beginsWith(path: string, beginning: string): Operation<boolean> {
    const whole = yield* call<number>('open', path, 'r')
    try {
      const part = yield* call<number>('open', beginning, 'r')
      try {
        const [ours, theirs] = [Buffer.alloc(PIECE_BYTES), Buffer.alloc(PIECE_BYTES)]
        for (let at = 0; ;) {
          const wanted = yield* call<number>('read', part, theirs, 0, PIECE_BYTES, at)
          if (wanted === 0) return true
          const got = yield* call<number>('read', whole, ours, 0, wanted, at)
          if (got === 0 || ours.compare(theirs, 0, got, 0, got) !== 0) return false
          at += got
        }
      } finally { yield* call('close', part) }
    } finally { yield* call('close', whole) }
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
    for (const path of [...this.#staged.keys()]) yield* this.#unstage(path)
  }

  /** Takes back what was put on its way. */
  * #unstage(path: string): Operation<void> {
    const staged = this.#staged.get(path)
    if (staged === undefined) return
    this.#staged.delete(path)
    yield* call('close', staged.descriptor)
    yield* this.remove(staged.temporary)
  }

  /** The descriptor kept open for appending, as long as the path still names the same file. Nothing here waits. */
  * #appender(path: string, found?: BigIntStats): Operation<Kept> {
    const kept = this.#open.get(path)
    if (kept !== undefined) {
      // Another process may have put a new file in this place; what is appended to the old one would be lost.
      const named = found ?? (yield* call<BigIntStats | undefined>('stat', path, { bigint: true, throwIfNoEntry: false }))
      if (named?.ino === kept.file.ino && named.dev === kept.file.dev) return kept
      yield* this.#forget(path)
    }
    return yield* this.#keep(path, 'a+', kept === undefined)
  }

  * #keep(path: string, flags: string, isNew: boolean): Operation<Kept> {
    const descriptor = yield* openToWrite(path, flags)
    const file = yield* call<BigIntStats>('fstat', descriptor, { bigint: true })
    const opened = { descriptor, file, isNew, appends: 0, close: false }
    this.#open.set(path, opened)
    return opened
  }

  /** Makes the lock by linking this process's own file, with its claim in it; false when there is one. */
  * #lock({ lock, owner, claim }: FilesPublish): Operation<boolean> {
    for (let again = false; ; again = true) {
      const kept = this.#open.get(owner) ?? (yield* this.#keep(owner, 'w', false))
      yield* call('write', kept.descriptor, claim, 0, claim.length, 0)
      if (kept.file.size > claim.length) yield* call('ftruncate', kept.descriptor, claim.length)
      kept.file.size = BigInt(claim.length)
      try {
        yield* call('link', owner, lock)
        return true
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false
        // Swept, or gone with its folder.
        if (codeOf(error) !== 'ENOENT' || again) throw error
        yield* this.#forget(owner)
      }
    }
  }

  /** The descriptor of a file that is as long as it must be, ends as it must, and stands beside one with that stamp. */
  * #asKnown({ path, end, tail, beside, stamp }: FilesPublish): Operation<Kept | undefined> {
    const named = yield* call<BigIntStats | undefined>('stat', path, { bigint: true, throwIfNoEntry: false })
    if (named?.size !== BigInt(end) || stampOf(beside) !== stamp) return undefined
    const kept = yield* this.#appender(path, named)
    const last = new Uint8Array(tail.length)
    const got = yield* call<number>('read', kept.descriptor, last, 0, last.length, end - last.length)
    return got === tail.length && last.every((byte, at) => byte === tail[at]) ? kept : undefined
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
