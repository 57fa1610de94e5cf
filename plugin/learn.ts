/** Reading a session into the core: what is unread, in pieces, and around what makes the core trap. */
import type { Learned, Turn } from '../dist/core.js'
import { messageOf } from './calls.ts'
import { type CoreHandle, Inert, Trapped } from './core-handle.ts'
import { Ended } from './drive.ts'
import type { Session } from './log.ts'
import type { Refusals } from './refusals.ts'
import { EVENTS_MAX, readTurn } from './turn.ts'

/** Turns longer than one `Turn` value are read in this many pieces at most; the rest waits for the next turn. */
const PIECES_MAX = 50
/** An event that makes the core trap this often, alone, is left out. */
const TRAPS_MAX = 2

/** Lines read of a message that traps as a whole. */
const LINES_MAX = 200

/** How far a session is read, beyond what the core's read position says. */
export interface Unread {
  session: Session
  refusals: Refusals
  /** Events before this are left out, though unread. */
  skipTo: number
  /** Events read at once. */
  eventsMax: number
  /** Traps in a row over one event. */
  traps: number
  /** Lines, still to be read, of a message that traps as a whole. */
  lines: Turn[]
  /** The last child turn that was reported. */
  reported: number
}

export const unread = (session: Session, refusals: Refusals): Unread => ({ session, refusals, skipTo: 0, eventsMax: EVENTS_MAX, traps: 0, lines: [], reported: -1 })

/** Reads what is unread of a session, ending with `turn`. Never rejects. `stopping` says that the turn ends by the host's hook. */
export async function learn(core: CoreHandle, state: Unread, turn: number, signal: AbortSignal, stopping: boolean): Promise<void> {
  try { await read(core, state, turn, signal, stopping) } catch (error) {
    const code = error instanceof Ended ? 'write-timeout' : error instanceof Inert ? 'core-inert' : 'shim-error'
    explain(core, state, code, messageOf(error))
  }
}

async function read(core: CoreHandle, state: Unread, turn: number, signal: AbortSignal, stopping: boolean): Promise<void> {
  const id = String(state.session.id)
  await readLines(core, state, signal)
  for (let piece = 0; piece < PIECES_MAX; piece++) {
    await core.ready()
    const position = core.use('read-position', live => live.readPosition(id))
    if (position === undefined) return
    const { turn: value, more } = readTurn(state.session, turn, Math.max(position, state.skipTo), state.eventsMax, callId => state.refusals.has(id, callId))
    // A child's turn is reported even when nothing in it is a human's, so that its silence has a reason in the ledger.
    const report = stopping && value.session.child && state.reported !== turn
    if (value.events.length === 0 && !report) return
    try {
      const learned = await give(core, value, signal)
      state.reported = turn
      state.traps = 0
      state.eventsMax = Math.min(EVENTS_MAX, state.eventsMax * 2)
      if (learned?.failed || !more) return
    } catch (error) {
      if (!(error instanceof Trapped)) throw error
      narrow(core, state, value, error)
      await readLines(core, state, signal)
    }
  }
}

async function give(core: CoreHandle, turn: Turn, signal: AbortSignal): Promise<Learned | undefined> {
  const bytes = new TextEncoder().encode(JSON.stringify(turn, wellFormed))
  return await core.run('learn', live => live.learn(bytes), signal, 1) as Learned | undefined
}

// Half a character anywhere would make the whole turn unreadable: JSON writes it as an escape that no UTF-8 reader takes.
const wellFormed = (_key: string, value: unknown): unknown => typeof value === 'string' ? value.toWellFormed() : value

/** After a trap reads less at once, until the one event that causes it stands alone: then its lines are read one by one. */
function narrow(core: CoreHandle, state: Unread, turn: Turn, error: Trapped): void {
  const [event] = turn.events
  if (turn.events.length > 1) state.eventsMax = Math.ceil(turn.events.length / 2)
  else if (++state.traps >= TRAPS_MAX) {
    state.traps = 0
    state.skipTo = turn.readTo
    const lines = event?.kind === 'human' ? event.text.split('\n').filter(line => line.trim() !== '') : []
    explain(core, state, 'event-left-out', `event ${event?.seq ?? turn.readTo}${lines.length > 1 ? ' as a whole' : ''}: ${error.message}`)
    if (event?.kind === 'human' && lines.length > 1) {
      // The read position stays before the event, for the lines to come.
      state.lines = lines.slice(0, LINES_MAX).map(text => ({ ...turn, readTo: event.seq, events: [{ ...event, text }] }))
    }
  }
}

/** Reads the lines that wait. What the caller's signal cuts off waits for the next time. */
async function readLines(core: CoreHandle, state: Unread, signal: AbortSignal): Promise<void> {
  for (let line = state.lines[0]; line; line = state.lines[0]) {
    try { await give(core, line, signal) } catch (error) {
      if (!(error instanceof Trapped)) throw error
      explain(core, state, 'line-left-out', `event ${line.readTo}: ${error.message}`)
    }
    state.lines.shift()
  }
}

function explain(core: CoreHandle, { session }: Unread, code: string, detail: string): void {
  // While an instance is being replaced, the row goes to the next one.
  core.ready().then(() => { core.note(code, `session ${session.id}: ${detail}`) }).catch(() => {})
}
