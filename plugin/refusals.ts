/** Calls that a policy refused. The host logs them like failures of the tool, which never ran. */

/** Marks kept of each kind; the oldest go first. */
const MARKS_MAX = 2_000

export class Refusals {
  readonly #begun = new Set<string>()
  readonly #refused = new Set<string>()

  /** Takes note that a tool really runs. */
  began(sessionId: string, callId: string): void {
    mark(this.#begun, key(sessionId, callId))
  }

  /** Takes note of a result. An error without a name of the host's, of a call that never began, is a refusal. */
  ended(sessionId: string, callId: string, failed: boolean, named: boolean): void {
    const call = key(sessionId, callId)
    if (!this.#begun.delete(call) && failed && !named) mark(this.#refused, call)
  }

  has(sessionId: string, callId: string): boolean {
    return this.#refused.has(key(sessionId, callId))
  }
}

const key = (sessionId: string, callId: string): string => `${sessionId} ${callId}`

function mark(marks: Set<string>, call: string): void {
  marks.add(call)
  for (const oldest of marks) if (marks.size > MARKS_MAX) marks.delete(oldest); else break
}
