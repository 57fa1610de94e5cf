/** What the core asks of the program it lives in, and the answers. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Host as Questions, Step } from '../dist/core.js'
import { codeOf, messageOf, perform, performSync, type Operation } from './calls.ts'
import { stampOf, type NodeFiles } from './files.ts'
import { offsetIn } from './zone.ts'
import type { Answering, Question } from './world.ts'

/** Longest sleep of a job that runs on the event loop. Nothing waits for a lock there; this bounds a fault. */
const SYNC_SLEEP_MAX_MS = 20
export type Request = Exclude<Step, { op: 'done' | 'wait' }>
type FileRequest = Exclude<Request, { op: 'clock.sleep' } | Question>

/**
 * Names of the core instances of this process that still work. A lock whose owner trapped must not look alive, though
 * its process is; and two copies of the plugin in one process must know of each other's.
 */
const instances = ((globalThis as Record<symbol, unknown>)[Symbol.for('dsh-jev-memory.instances')] ??= new Set<string>()) as Set<string>

/** The host of one core instance. */
export class Host implements Questions {
  readonly #files: NodeFiles
  readonly #world: Answering | undefined
  readonly #name = randomUUID().slice(0, 8)
  readonly #started = startTime(process.pid)
  readonly #pending = new Set<Promise<unknown>>()

  constructor(files: NodeFiles, world?: Answering) {
    this.#files = files
    this.#world = world
    instances.add(this.#name)
  }

  /** Says that this instance is gone and owns nothing any more. */
  retire(): void {
    instances.delete(this.#name)
  }

  /** Settles when no file operation of this instance is under way. */
  async quiet(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending)
  }

  owner(): { host: string, pid: number, started: string } {
    return { host: hostname(), pid: process.pid, started: `${this.#started}.${this.#name}` }
  }

  liveness(host: string, pid: number, started: string): 'alive' | 'dead' | 'unknown' {
    if (host !== hostname()) return 'unknown'
    try { process.kill(pid, 0) } catch (error) { if (codeOf(error) === 'ESRCH') return 'dead' }
    const [time = '', name = ''] = started.split('.')
    const now = startTime(pid)
    if (time === '' || now === '') return 'unknown'
    if (time !== now) return 'dead' // Another process has the number now.
    return pid === process.pid && !instances.has(name) ? 'dead' : 'alive'
  }

  stamp(path: string): string {
    return stampOf(path)
  }

  zoneOffset(zone: string, at: number): number | undefined {
    return offsetIn(zone, at)
  }

  answerSync(request: Request): Answer {
    if (request.op === 'clock.sleep') {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(request.ms, SYNC_SLEEP_MAX_MS))
      return { ok: undefined }
    }
    if (isQuestion(request)) return { error: { code: 'ENDED', message: 'nothing is asked of the network on the event loop' } }
    try { return { ok: performSync(this.#operation(request)) } } catch (error) { return failure(error) }
  }

  /** Answers a request; `signal` ends what is waited for. A file operation is always finished. */
  async answer(request: Request, signal: AbortSignal | undefined): Promise<Answer> {
    if (request.op === 'clock.sleep') {
      await sleep(request.ms, undefined, signal && { signal }).catch(() => {}) // Woken early by its end.
      return { ok: undefined }
    }
    if (isQuestion(request)) {
      if (!this.#world) return { error: { code: 'ENDED', message: 'this program asks nothing of the network' } }
      try { return { ok: await this.#world.answer(request, signal) } } catch (error) { return failure(error) }
    }
    const work = perform(this.#operation(request))
    this.#pending.add(work)
    try { return { ok: await work } } catch (error) { return failure(error) } finally { this.#pending.delete(work) }
  }

  #operation(request: FileRequest): Operation<unknown> {
    switch (request.op) {
      case 'files.read': return this.#files.read(request.path, request.from, request.most)
      case 'files.list': return this.#files.list(request.path)
      case 'files.append': return this.#files.append(request.path, request.bytes)
      case 'files.replace': return this.#files.replace(request.path, request.bytes)
      case 'files.replace-if': return this.#files.replaceIf(request.path, request.stamp, request.bytes, request.from)
      case 'files.stage': return this.#files.stage(request.path, request.from, request.bytes)
      case 'files.copy': return this.#files.copy(request.from, request.to)
      case 'files.begins-with': return this.#files.beginsWith(request.path, request.beginning)
      case 'files.create': return this.#files.create(request.path, request.bytes)
      case 'files.publish': return this.#files.publish(request)
      case 'files.truncate': return this.#files.truncate(request.path, request.length)
      case 'files.rename': return this.#files.rename(request.from, request.to)
      case 'files.remove': return this.#files.remove(request.path)
      case 'files.real-path': return this.#files.realPath(request.path)
    }
  }
}

const isQuestion = (request: Request): request is Question => request.op.startsWith('http.') || request.op.startsWith('llm.')

function failure(error: unknown): Answer {
  return { error: { code: codeOf(error), message: messageOf(error) } }
}

/** The start time of a process in clock ticks since boot, or an empty text where the system does not tell. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses and may hold spaces; field 22 is the start time.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch { return '' }
}
