/** Reading a session into the core: what is unread, in pieces, and around what makes the core trap. */
import type { Learned, Turn } from '../dist/core.js'
import { messageOf } from './calls.ts'
import { type CoreHandle, Inert, Trapped } from './core-handle.ts'
import { Ended } from './host.ts'
import type { Session } from './log.ts'
import type { Refusals } from './refusals.ts'
import { EVENTS_MAX, readTurn } from './turn.ts'

/** Turns longer than one `Turn` value are read in this many pieces at most; the rest waits for the next turn. */
const PIECES_MAX = 50
/** An event that makes the core trap this often, alone, is left out. */
const TRAPS_MAX = 2

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
  /** The last child turn that was reported. */
  reported: number
}

export const unread = (session: Session, refusals: Refusals): Unread => ({ session, refusals, skipTo: 0, eventsMax: EVENTS_MAX, traps: 0, reported: -1 })

/** Reads what is unread of a session, ending with `turn`. Never rejects. `stopping` says that the turn ends by the host's hook. */
export async function learn(core: CoreHandle, state: Unread, turn: number, signal: AbortSignal, stopping: boolean): Promise<void> {
  try { await read(core, state, turn, signal, stopping) } catch (error) {
    const code = error instanceof Ended ? 'write-timeout' : error instanceof Inert ? 'core-inert' : 'shim-error'
    explain(core, state, code, messageOf(error))
  }
}

async function read(core: CoreHandle, state: Unread, turn: number, signal: AbortSignal, stopping: boolean): Promise<void> {
  const id = String(state.session.id)
  for (let piece = 0; piece < PIECES_MAX; piece++) {
    await core.ready()
    const position = core.use('read-position', live => live.readPosition(id))
    if (position === undefined) return
    const { turn: value, more } = readTurn(state.session, turn, Math.max(position, state.skipTo), state.eventsMax, callId => state.refusals.has(id, callId))
    // A child's turn is reported even when nothing in it is a human's, so that its silence has a reason in the ledger.
    const report = stopping && value.session.child && state.reported !== turn
    if (value.events.length === 0 && !report) return
    try {
      const bytes = new TextEncoder().encode(JSON.stringify(value, wellFormed))
      const learned = await core.run('learn', live => live.learn(bytes), signal, 1) as Learned | undefined
      state.reported = turn
      state.traps = 0
      state.eventsMax = Math.min(EVENTS_MAX, state.eventsMax * 2)
      if (learned?.failed || !more) return
    } catch (error) {
      if (!(error instanceof Trapped)) throw error
      narrow(core, state, value, error)
    }
  }
}

// Half a character anywhere would make the whole turn unreadable: JSON writes it as an escape that no UTF-8 reader takes.
const wellFormed = (_key: string, value: unknown): unknown => typeof value === 'string' ? value.toWellFormed() : value

/** After a trap reads less at once, until the one event that causes it stands alone and can be left out. */
function narrow(core: CoreHandle, state: Unread, { events, readTo }: Turn, error: Trapped): void {
  if (events.length > 1) state.eventsMax = Math.ceil(events.length / 2)
  else if (++state.traps >= TRAPS_MAX) {
    state.traps = 0
    state.skipTo = readTo
    explain(core, state, 'event-left-out', `event ${events[0]?.seq ?? readTo}: ${error.message}`)
  }
}

function explain(core: CoreHandle, { session }: Unread, code: string, detail: string): void {
  // While an instance is being replaced, the row goes to the next one.
  core.ready().then(() => { core.note(code, `session ${session.id}: ${detail}`) }).catch(() => {})
}
