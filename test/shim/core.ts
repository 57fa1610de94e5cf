/**
 * A core that keeps the contract of `dist/core.js` and knows nothing of memory: what the shim does when a core answers,
 * waits, hangs or traps is tested against it. A human text that holds `panic-before-port`, `panic-after-port`, `hang`
 * or `panic-in-recall` does what it says; with `once` in it, the next instance is spared.
 */
import type { Answer, Call, Health, Host, Learned, Session, Settings, Step, Turn } from '../../dist/core.js'

type Work<T> = Generator<Step, T, Answer | undefined>
type Row = Record<string, unknown> & { kind: string }

let panic = ''
let dead = false
const spared = ((globalThis as Record<symbol, unknown>)[Symbol.for('fake-core.spared')] ??= new Set<string>()) as Set<string>

export const initSync = (): object => ({})
export const lastPanic = (): string => panic

function trap(message: string): never {
  dead = true
  panic = message
  const { RuntimeError } = (globalThis as unknown as { WebAssembly: { RuntimeError: new (message: string) => Error } }).WebAssembly
  throw new RuntimeError('unreachable')
}

const alive = (): void => { if (dead) trap('used after a trap') }

function trapWhen(text: string, word: string): void {
  if (!text.includes(word) || spared.has(text)) return
  if (text.includes('once')) spared.add(text)
  trap(`told to ${word}`)
}

export class Job<T = unknown> {
  readonly #work: Work<T>
  readonly #ended: { now: boolean }

  constructor(begin: (ended: { now: boolean }) => Work<T>) {
    this.#ended = { now: false }
    this.#work = begin(this.#ended)
  }

  resume(answer?: Answer): Step {
    alive()
    const { done, value } = this.#work.next(answer)
    return done ? { op: 'done', value } : value
  }

  end(): void { this.#ended.now = true }
  free(): void {}
}

/** A job that asks nothing. */
const now = (work: () => unknown): Job => new Job(() => ({ next: () => ({ done: true, value: work() }) }) as unknown as Work<unknown>)

export class Core {
  readonly #config: { dataDir?: string, registerTools?: boolean, writeTimeoutMs?: number }
  readonly #dataDir: string
  readonly #positions = new Map<string, number>()
  readonly #queries = new Map<string, string>()
  readonly #texts: string[] = []
  #queued: Row[] = []

  constructor(settings: Settings, _host: Host) {
    this.#config = typeof settings.config === 'object' && settings.config !== null ? settings.config : {}
    this.#dataDir = this.#config.dataDir || settings.defaultDataDir
  }

  open(): Job { return new Job(() => this.#open()) }
  settle(): Job { return new Job(() => this.#commit([])) }
  close(): Job { return this.settle() }
  normalise(_id: string): Job { alive(); return now(() => 0) }
  refresh(): Job { alive(); return now(() => undefined) }
  attach(session: Session, nextSeq: number, firstLiveSeq: number, lastBlock?: string): Job {
    alive()
    return now(() => { this.#attach(session, Math.max(nextSeq, firstLiveSeq), lastBlock) })
  }

  hear(id: string, _turn: number, text: string): void { alive(); this.#queries.set(id, text) }
  recall(id: string, _turn: number): string {
    alive()
    trapWhen(this.#queries.get(id) ?? '', 'panic-in-recall')
    return this.#texts.join('\n')
  }

  message(id: string, turn: number, sent: string): string | undefined {
    const block = this.recall(id, turn)
    return block === sent ? undefined : block
  }

  suppressed(id: string): void { alive(); this.#queued.push({ kind: 'context-suppressed', id }) }
  readPosition(id: string): number { alive(); return this.#positions.get(id) ?? 0 }
  note(code: string, detail: string): void { alive(); this.#queued.push({ kind: 'note', code, detail }) }
  learn(bytes: Uint8Array): Job {
    alive()
    return new Job(ended => this.#learn(JSON.parse(new TextDecoder().decode(bytes)) as Turn, ended))
  }

  search(args: unknown, call: Call): Job { alive(); return now(() => ({ args, call, missing: undefined })) }
  write(args: unknown, call: Call): Job { return this.search(args, call) }
  forget(args: unknown, call: Call): Job { return this.search(args, call) }
  command(typed: Uint8Array): Job {
    alive()
    const { verb, words } = JSON.parse(new TextDecoder().decode(typed)) as { verb: string, words: string }
    return now(() => {
      trapWhen(words, 'panic-before-port')
      return { ok: true, code: 'done', text: `${verb}: ${words}`, data: {}, exit: 0, ask: false, note: '' }
    })
  }

  review(): Job { return this.question() }
  instruct(): void { alive() }
  hasQuestions(): boolean { alive(); return false }
  question(): Job { alive(); return now(() => null) }
  questionShown(): Job { alive(); return now(() => undefined) }
  answer(): Job { alive(); return now(() => 'unanswered:no-card') }
  health(): Health {
    const { registerTools = true, writeTimeoutMs = 2_500 } = this.#config
    return { capture: true, problems: [], inert: '', judge: '', key: '', jevReady: false, normalize: '', usage: {}, memories: this.#texts.length, dataDir: this.#dataDir, version: '', tokeniser: '', registerTools, writeTimeoutMs }
  }

  * #open(): Work<void> {
    const read = yield { op: 'files.read', path: `${this.#dataDir}/ledger.jsonl`, from: 0, most: Number.MAX_SAFE_INTEGER }
    if (!read || 'error' in read) return
    for (const line of new TextDecoder().decode(read.ok as Uint8Array).split('\n')) if (line) this.#fold(JSON.parse(line) as Row)
  }

  #attach(session: Session, from: number, lastBlock?: string): void {
    if (!this.#positions.has(session.id)) this.#positions.set(session.id, from)
    this.#queued.push({ kind: 'attach', session, from, lastBlock })
  }

  * #learn(turn: Turn, ended: { now: boolean }): Work<Learned> {
    const texts = turn.events.filter(event => event.kind === 'human').map(({ text }) => text)
    const said = texts.join('\n')
    trapWhen(said, 'panic-before-port')
    if (said.includes('hang')) yield { op: 'clock.sleep', ms: 5_000 }
    if (ended.now) return { kept: [], skipped: 0 }
    const failed = yield* this.#commit([...texts.map(text => ({ kind: 'write', text })), { kind: 'turn', ...turn }])
    trapWhen(said, 'panic-after-port')
    return { kept: [], skipped: 0, ...(failed ? { failed } : {}) }
  }

  * #commit(rows: Row[]): Work<{ code: string, detail: string } | undefined> {
    const all = [...this.#queued.splice(0), ...rows]
    if (all.length === 0) return undefined
    const bytes = new TextEncoder().encode(all.map(row => `${JSON.stringify(row)}\n`).join(''))
    const answer = yield { op: 'files.append', path: `${this.#dataDir}/ledger.jsonl`, bytes }
    if (answer && 'error' in answer) return { code: answer.error.code ?? '', detail: answer.error.message }
    for (const row of all) this.#fold(row)
    return undefined
  }

  #fold(row: Row): void {
    if (row.kind === 'turn') this.#positions.set((row.session as Session).id, row.readTo as number)
    if (row.kind === 'write') this.#texts.push(row.text as string)
  }
}
