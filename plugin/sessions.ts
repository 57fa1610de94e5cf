/** What the shim keeps for each live session, and the calls that go with it. No rule about content. */
import type { UserMessage } from '@deepseek-ai/dsh-llm'
import type { Call } from '../dist/core.js'
import type { CoreHandle } from './core-handle.ts'
import { learn, unread, type Unread } from './learn.ts'
import {
  eventsOf, instructionsIn, lastBlock, lastMessage, messageOfOurs, nextSeqOf, queryOf, sessionValue, turnOf, type Message, type Session,
} from './log.ts'
import { Refusals } from './refusals.ts'
import { humansOf } from './turn.ts'

/** Sessions kept, fewer than the core keeps: the one used longest ago is let go, and attached again when it comes back. */
const SESSIONS_MAX = 200
/** Longest wait for turns that are still being read when the plugin is unloaded. */
const CLOSE_MAX_MS = 1_500

interface Known extends Unread {
  query: string
  /** What the model was last shown. */
  block: string
  /** Whether the preset shows no runtime context. */
  suppressed: boolean
  /** The log's length at first sight: what is before belongs to nobody, unless the ledger knows better. */
  nextSeq: number
  turn: number
  /** What the host gave the model of hand-written instructions, in the log as far as it was looked at. */
  instructions: string
  looked: number
  /** The reads of this session, one after the other. */
  busy: Promise<void>
}

export class Sessions {
  readonly refusals = new Refusals()
  readonly #core: CoreHandle
  readonly #known = new Map<string, Known>()

  constructor(core: CoreHandle) { this.#core = core }

  /** Makes a session known to the core at first sight. */
  see(session: Session): Known {
    const id = String(session.id)
    const seen = this.#known.get(id)
    this.#known.delete(id)
    if (seen?.session === session) {
      this.#known.set(id, seen)
      return seen
    }
    const nextSeq = nextSeqOf(session)
    const known: Known = {
      ...unread(session, this.refusals), nextSeq, turn: turnOf(session), instructions: '', looked: 0, query: '',
      block: lastBlock(session) || lastMessage(session), suppressed: false, busy: Promise.resolve(),
    }
    this.#known.set(id, known)
    for (const oldest of this.#known.keys()) if (this.#known.size > SESSIONS_MAX) this.#known.delete(oldest); else break
    this.#attach(known)
    return known
  }

  /** A session that is known, by its id. */
  find(id: string): Session | undefined { return this.#known.get(id)?.session }

  /** Tells a fresh core instance what the last one knew. */
  reopen(): void {
    for (const known of this.#known.values()) {
      this.#attach(known)
      this.#instruct(known, true)
      if (known.query !== '') this.#core.use('hear', core => { core.hear(String(known.session.id), known.turn, known.query) })
    }
  }

  /** Takes the message that begins a turn, or steers it. */
  hear(session: Session, turn: number, message: Message): void {
    const known = this.see(session)
    if (turn !== known.turn) {
      known.turn = turn
      known.query = ''
      this.#core.runSync('refresh', core => core.refresh())
    }
    const query = queryOf(message)
    if (query === undefined) return
    known.query = query
    this.#core.use('hear', core => { core.hear(String(session.id), turn, query) })
  }

  /** The block for the next request of a session. The last one stays while the core is being replaced. */
  block(session: Session): string {
    const known = this.see(session)
    const block = this.#core.use('recall', core => core.recall(String(session.id), known.turn))
    // The host takes any pair of opening braces for a variable of its own, and fails the turn.
    if (block !== undefined) known.block = block.replace(/\{(?=\{)/g, '{\u200b')
    return known.block
  }

  /** Says whether the coming step shows runtime context; a preset may turn it off. */
  assembled(session: Session, suppressed: boolean): void {
    const known = this.see(session)
    known.suppressed = suppressed
    if (suppressed) this.#core.use('suppressed', core => { core.suppressed(String(session.id)) })
  }

  /** The message that brings the block to a session without runtime context, when what it was last sent says it no longer. */
  message(session: Session): UserMessage | undefined {
    const known = this.see(session)
    if (!known.suppressed) return undefined
    const sent = lastMessage(session)
    const text = this.#core.use('message', core => core.message(String(session.id), known.turn, sent))
    return text === undefined ? undefined : messageOfOurs(text)
  }

  /** What a tool call needs to know of its session. */
  call(session: Session): Call {
    this.#instruct(this.see(session))
    return { session: sessionValue(session), turn: turnOf(session), seq: nextSeqOf(session), humans: humansOf(session) }
  }

  /** Reads what is unread of a session, ending with `turn`. Never rejects; `stopping` says that the turn ends by the host's hook. */
  async learn(session: Session, turn: number, signal: AbortSignal, stopping: boolean): Promise<void> {
    const known = this.see(session)
    const { promise: ended, resolve } = Promise.withResolvers<undefined>()
    const end = (): void => { resolve(undefined) }
    if (signal.aborted) end(); else signal.addEventListener('abort', end, { once: true })
    this.#instruct(known)
    known.busy = known.busy.then(() => learn(this.#core, known, turn, signal, stopping))
    try { await Promise.race([known.busy, ended]) } finally { signal.removeEventListener('abort', end) }
  }

  /** Lets a session go once it is read. */
  async leave(session: Session): Promise<void> {
    const known = this.#known.get(String(session.id))
    if (known?.session !== session) return
    await known.busy
    this.#known.delete(String(session.id))
  }

  /** Reads what is unread of every session, for the end of the plugin. */
  async close(): Promise<void> {
    const signal = AbortSignal.timeout(CLOSE_MAX_MS)
    await Promise.all([...this.#known.values()].map(({ session }) => this.learn(session, turnOf(session), signal, false)))
  }

  /** Tells the core what the host told the model of hand-written instructions, when that changed. */
  #instruct(known: Known, again = false): void {
    const log = eventsOf(known.session)
    const before = known.instructions
    known.instructions = instructionsIn(log, known.looked, before)
    known.looked = log.length
    if (again ? before !== '' : known.instructions !== before) this.#core.use('instruct', core => { core.instruct(String(known.session.id), known.instructions) })
  }

  #attach({ session, nextSeq, block }: Known): void {
    this.#core.runSync('attach', core => core.attach(sessionValue(session), nextSeq, session.firstLiveSeq ?? 0, block === '' ? undefined : block))
  }
}
