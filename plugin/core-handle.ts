/** The core: one instance of the WebAssembly module at a time, replaced by a fresh one when it traps. */
import type { Core, Job, Settings } from '../dist/core.js'
import { messageOf, perform } from './calls.ts'
import { NodeFiles } from './files.ts'
import { drive, driveSync, Ended, type Watch } from './drive.ts'
import { Host } from './host.ts'
import { condemn, isBroken, loadFresh, loadSync, MODULE_PATH, type Instance } from './instance.ts'
import type { Answering } from './world.ts'

/** A core that traps this much more often than a job of it succeeds is left out for good. */
const REPLACEMENTS_MAX = 16
/** How often a job is tried, each time on a fresh instance. */
const ATTEMPTS = 2
/** Longest wait for file operations that a trapped instance had under way. */
const QUIET_MAX_MS = 1_000

/** There is no core to answer. The message says why, for a person. */
export class Inert extends Error {}
/** The job trapped each time. A fresh instance is on its way. */
export class Trapped extends Inert {}

interface Live { instance: Instance, core: Core, host: Host }

export class CoreHandle {
  /** Why there is no core; empty while there is one. */
  fault = ''
  readonly #settings: Settings
  readonly #reopened: () => void
  readonly #files = new NodeFiles()
  readonly #world: Answering | undefined
  #live: Live | undefined
  #replacing: Promise<void> | undefined
  #replacements = 0
  /** Why the last instance was dropped. */
  #reason = ''

  /**
   * Loads and opens the core without leaving the event loop: the host waits for nobody's `apply`. A module that is
   * missing or broken leaves `fault`. `reopened` runs whenever a fresh instance took the place of one that trapped.
   */
  constructor(settings: Settings, reopened: () => void, world?: Answering) {
    this.#settings = settings
    this.#world = world
    this.#reopened = reopened
    try { this.#open(loadSync()) } catch (error) {
      this.fault = `the core at ${MODULE_PATH} cannot be loaded (${messageOf(error)}); run npm run build, or install the package again`
    }
  }

  /** Calls the core at once. Returns undefined when there is none, also when this very call trapped. */
  use<T>(what: string, call: (core: Core) => T): T | undefined {
    const live = this.#usable()
    if (!live) return undefined
    try { return call(live.core) } catch (error) { this.#drop(live, what, error); return undefined }
  }

  /** Runs a job on the event loop. Returns undefined when there is no core. */
  runSync(what: string, begin: (core: Core) => Job): unknown {
    const live = this.#usable()
    if (!live) return undefined
    try { return driveSync(begin(live.core), live.host) } catch (error) { this.#drop(live, what, error); return undefined }
  }

  /** Settles when no fresh instance is on its way. */
  async ready(): Promise<void> { await this.#replacing }

  /**
   * Runs a job on the thread pool, again on a fresh instance when the core trapped.
   *
   * @throws `Ended` when `signal` ended the wait; `Trapped` when the job trapped each time; `Inert` when there is no core.
   */
  async run(what: string, begin: (core: Core) => Job, signal?: AbortSignal, attempts = ATTEMPTS): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      await this.#replacing
      const live = this.#usable()
      if (!live) throw new Inert(this.fault)
      try {
        const value = await drive(begin(live.core), live.host, this.#watch(live, what), signal)
        this.#replacements = Math.max(0, this.#replacements - 1)
        return value
      } catch (error) {
        if (error instanceof Ended) throw error
        this.#drop(live, what, error)
        if (attempt >= attempts) throw new Trapped(this.#reason)
      }
    }
  }

  /** Leaves a `degraded` row with the next commit. */
  note(code: string, detail: string): void {
    this.use('note', core => { core.note(code, detail) })
  }

  /** Closes the ledger and lets the instance go. */
  async close(signal: AbortSignal): Promise<void> {
    try { await this.run('close', core => core.close(), signal) } finally { await this.leave() }
  }

  /** Lets the instance go without a word in the ledger. */
  async leave(): Promise<void> {
    this.#live?.host.retire()
    this.#live = undefined
    this.fault = 'the plugin was unloaded'
    await perform(this.#files.close())
  }

  #watch(live: Live, what: string): Watch {
    return { alive: () => this.#live === live && !isBroken(live.instance), failed: error => { this.#drop(live, what, error) } }
  }

  /** The instance, unless another mount of this process saw it trap. */
  #usable(): Live | undefined {
    if (this.#live && isBroken(this.#live.instance)) this.#drop(this.#live, 'another mount', new Error('its instance trapped'))
    return this.#live
  }

  #open(instance: Instance): void {
    const host = new Host(this.#files, this.#world)
    try {
      const core = new instance.Core(this.#settings, host)
      driveSync(core.open(), host)
      this.#live = { instance, core, host }
    } catch (error) {
      host.retire()
      condemn(instance)
      throw error
    }
  }

  #drop(live: Live, what: string, error: unknown): void {
    if (this.#live !== live) return
    this.#live = undefined
    live.host.retire()
    const reason = `${what}: ${(condemn(live.instance) || messageOf(error)).replaceAll('\n', ' ')}`
    this.#reason = reason
    if (++this.#replacements > REPLACEMENTS_MAX) {
      this.fault = `the core trapped too often, the last time in ${reason}`
      return
    }
    this.fault = `the core is being replaced after ${reason}`
    this.#replacing = this.#replace(live, reason)
      .catch((failed: unknown) => { this.fault = `the core trapped in ${reason} and cannot be loaded again (${messageOf(failed)})` })
      .finally(() => { this.#replacing = undefined })
  }

  async #replace(old: Live, reason: string): Promise<void> {
    await Promise.race([old.host.quiet(), new Promise(done => setTimeout(done, QUIET_MAX_MS).unref())])
    this.#open(await loadFresh())
    this.fault = ''
    this.note('core-restarted', reason)
    this.#reopened()
  }
}
