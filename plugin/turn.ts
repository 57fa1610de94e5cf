/**
 * The host's events as values of the core (`crate/src/turn.rs`). With `log.ts` the only file that knows the names of
 * the host's events, and the one to change when a later host renames them.
 */
import type { Human, Turn, TurnEvent } from '../dist/core.js'
import { dataOf, eventsOf, head, isHuman, sessionValue, TEXT_MAX, textOf, turnIn, type Data, type Header, type LogEvent, type Session } from './log.ts'

const ARGUMENTS_MAX = 1 << 16
/** UTF-16 units of a tool's output that cross, half from each end: the first lines say what failed, the last how it ended. */
const OUTPUT_MAX = 1 << 18
/** Limits of one `Turn`; what is over is read as a second one. */
export const EVENTS_MAX = 5_000
const TURN_TEXT_MAX = 1 << 24
/** Human messages a tool call brings along, the newest ones. */
const HUMANS_MAX = 500

interface Place { seq: number, turn: number, at: number }

const ends = (text: string): string =>
  (text.length > OUTPUT_MAX ? `${text.slice(0, OUTPUT_MAX / 2)}\n${text.slice(-OUTPUT_MAX / 2)}` : text).toWellFormed()

/**
 * Reads what happened in a session from `from` on: the core's read position, which is never before what was inherited.
 *
 * `refused` says whether a policy kept a call from running, which the log does not tell. `more` says that a limit cut it short, and the rest begins at `readTo`.
 */
export function readTurn(session: Session, turn: number, from: number, eventsMax: number, refused: (callId: string) => boolean): { turn: Turn, more: boolean } {
  const log = eventsOf(session)
  const first = log[from]?.seq === from ? from : log.findIndex(event => event.seq >= from)
  const events: TurnEvent[] = []
  const reader = new Reader(session.header, first > 0 ? turnIn(log, first) || turn : turn)
  let readTo = Math.max(from, (log.at(-1)?.seq ?? -1) + 1)
  let more = false
  let size = 0
  for (const event of first < 0 ? [] : log.slice(first)) {
    if (events.length >= eventsMax || size > TURN_TEXT_MAX) {
      readTo = event.seq
      more = true
      break
    }
    const read = reader.read(event)
    if (!read) continue
    events.push(read)
    size += 'text' in read ? read.text.length : read.arguments.length
  }
  for (const event of events) {
    if (event.kind === 'tool-result') event.denied = reader.denied.has(event.callId) || refused(event.callId)
  }
  return { turn: { session: sessionValue(session), turn, readTo, events }, more }
}

/** What the human said in this session, oldest first. What a fork inherited was said in another. */
export function humansOf(session: Session): Human[] {
  const { header } = session
  const own = header.seedLength ?? (header.parentSession === undefined ? 0 : session.firstLiveSeq ?? 0)
  const reader = new Reader(header, 0)
  const humans: Human[] = []
  for (const event of eventsOf(session)) {
    if (event.type !== 'turn/start' && event.type !== 'user/message') continue
    const read = reader.read(event)
    if (read?.kind !== 'human' || read.seq < own) continue
    const { kind: _kind, ...human } = read
    humans.push(human)
  }
  return humans.slice(-HUMANS_MAX)
}

class Reader {
  /** Calls that a human or a policy refused. */
  readonly denied = new Set<string>()
  readonly #header: Header
  readonly #tools = new Map<string, string>()
  readonly #asked = new Map<string, string>()
  #turn: number

  constructor(header: Header, turn: number) {
    this.#header = header
    this.#turn = turn
  }

  read(event: LogEvent): TurnEvent | undefined {
    const data = dataOf(event)
    if (event.type === 'turn/start') this.#turn = data.turn ?? this.#turn
    const place = { seq: event.seq, turn: data.turn ?? this.#turn, at: event.time }
    switch (event.type) {
      case 'user/message': {
        if (!isHuman(this.#header, data.source)) return undefined
        const zone = data.source?.clientTimeZone
        return { kind: 'human', ...place, text: head(textOf(data.content), TEXT_MAX), ...(typeof zone === 'string' ? { zone } : {}) }
      }
      case 'tool/call': return this.#call(place, data.callId ?? '', data)
      case 'tool/code-dispatch-start': return this.#call(place, data.subCallId ?? '', data)
      case 'tool/result': {
        const message = data.message ?? {}
        const block = Array.isArray(message.content) ? message.content.find(({ type }) => type === 'tool-result') : undefined
        const callId = block?.toolCallId ?? message.toolCallId ?? message.source?.callId ?? ''
        return this.#result(place, callId, textOf(block?.content ?? message.content), block?.isError ?? message.isError ?? false, data)
      }
      case 'tool/code-dispatch': return this.#result(place, data.subCallId ?? '', textOf(data.content), data.isError ?? false, data)
      case 'approval/asked': this.#asked.set(data.id ?? '', data.callId ?? this.#latest(data.toolName)); return undefined
      case 'approval/decided': if (data.outcome !== 'allowed-once') this.denied.add(this.#asked.get(data.id ?? '') ?? ''); return undefined
      default: return undefined
    }
  }

  #call({ seq, turn }: Place, callId: string, data: Data): TurnEvent {
    const tool = data.name ?? ''
    this.#tools.set(callId, tool)
    const text = typeof data.arguments === 'string' ? data.arguments : JSON.stringify(data.arguments ?? {})
    return { kind: 'tool-call', seq, turn, callId, tool, arguments: head(text, ARGUMENTS_MAX) }
  }

  #result(place: Place, callId: string, text: string, isError: boolean, data: Data): TurnEvent {
    const tool = this.#tools.get(callId) ?? data.name ?? ''
    const code = data.error?.code
    return { kind: 'tool-result', ...place, callId, tool, isError, ...(code === undefined ? {} : { code }), denied: false, text: ends(text) }
  }

  #latest(tool: string | undefined): string {
    return [...this.#tools].findLast(([, name]) => name === tool)?.[0] ?? ''
  }
}
