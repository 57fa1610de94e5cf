/**
 * Sequences of `node:fs` calls that run either wholly on the event loop, or with the slow ones on the thread pool.
 *
 * A sequence is a generator that yields calls, so one text serves both: mounting may not wait, and a turn may not
 * block the other sessions of a web host.
 */
import * as fs from 'node:fs'
import { dirname } from 'node:path'

/** One call of `node:fs`, by its asynchronous name. */
interface Call { name: string, args: unknown[] }
export type Operation<T> = Generator<Call, T, unknown>

type Table = Record<string, (...args: unknown[]) => unknown>
const table = fs as unknown as Table

/** Runs an operation to its end without leaving the event loop. */
export function performSync<T>(operation: Operation<T>): T {
  let step = operation.next()
  while (step.done !== true) {
    const { name, args } = step.value
    let result: unknown
    let failure: { error: unknown } | undefined
    try { result = table[`${name}Sync`]?.(...args) } catch (error) { failure = { error } }
    step = failure ? operation.throw(failure.error) : operation.next(result)
  }
  return step.value
}

/** More than this is read and written on the thread pool. */
const QUICK_BYTES = 64 * 1024

/** Whether a call may take milliseconds: it waits for the disk, or moves many bytes. */
function isSlow({ name, args }: Call): boolean {
  return name === 'fsync' || name === 'fdatasync' || name === 'copyFile' || args[1] instanceof Uint8Array && args[1].byteLength > QUICK_BYTES
}

/**
 * Runs an operation without holding up the event loop: what waits for the disk goes to the thread pool.
 *
 * The rest is done at once. A call takes microseconds, and a trip to the pool and back ten times as long.
 */
export async function perform<T>(operation: Operation<T>): Promise<T> {
  let step = operation.next()
  while (step.done !== true) {
    const { name, args } = step.value
    let result: unknown
    let failure: { error: unknown } | undefined
    try {
      result = isSlow(step.value)
        ? await new Promise((done, fail) => {
          table[name]?.(...args, (error: unknown, value: unknown) => { if (error instanceof Error) fail(error); else done(value) })
        })
        : table[`${name}Sync`]?.(...args)
    } catch (error) { failure = { error } }
    step = failure ? operation.throw(failure.error) : operation.next(result)
  }
  return step.value
}

export function* call<T = undefined>(name: string, ...args: unknown[]): Operation<T> {
  return (yield { name, args }) as T
}

/** The system's name of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Opens a file for writing, and makes its folder when that is what is missing. */
/** Makes a folder with those above it. Node's own way goes round in a circle for ever where the system refuses a name, as under `/proc`. */
export function* makeFolder(path: string): Operation<void> {
  const missing = []
  for (let at = path; ; at = dirname(at)) {
    try { yield* call('mkdir', at, { mode: 0o700 }); break } catch (error) {
      if (codeOf(error) === 'EEXIST') break
      if (codeOf(error) !== 'ENOENT' || dirname(at) === at) throw error
      missing.push(at)
    }
  }
  for (const folder of missing.reverse()) {
    try { yield* call('mkdir', folder, { mode: 0o700 }) } catch (error) { if (codeOf(error) !== 'EEXIST') throw error }
  }
}

export function* openToWrite(path: string, flags: string): Operation<number> {
  try { return yield* call<number>('open', path, flags, 0o600) } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  yield* makeFolder(dirname(path))
  return yield* call<number>('open', path, flags, 0o600)
}

export function* writeAll(descriptor: number, bytes: Uint8Array): Operation<void> {
  for (let at = 0; at < bytes.length;) at += yield* call<number>('write', descriptor, bytes, at, bytes.length - at)
}

export function* syncFolder(path: string): Operation<void> {
  // Windows does not open folders; there the rename itself is all there is.
  if (process.platform === 'win32') return
  const descriptor = yield* call<number>('open', path, 'r')
  try { yield* call('fsync', descriptor) } finally { yield* call('close', descriptor) }
}

/** The first line of what an error says: the rest is for a terminal. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
