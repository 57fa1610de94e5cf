/** Both shapes of the host's log: that of 0.1.0-rc.8, which the other tests run on, and that of later hosts (docs/host-versions.md). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, nextSeqOf, type LogEvent, type Session } from '../plugin/log.ts'
import { readTurn } from '../plugin/turn.ts'

const call: LogEvent[] = [
  { type: 'turn/start', seq: 0, time: 1, data: { turn: 1 } },
  { type: 'user/message', seq: 1, time: 2, data: { source: { kind: 'user', rpcId: 'r', clientTimeZone: 'Asia/Shanghai' }, content: [{ type: 'text', text: 'run the tests' }] } },
  { type: 'tool/call', seq: 2, time: 3, data: { callId: 'c-1', name: 'bash', arguments: { command: 'npm test' } } },
]
const results: Record<string, object> = {
  'a result as a block of a message of the user': { message: { role: 'user', source: { kind: 'tool', callId: 'c-1' }, content: [{ type: 'tool-result', toolCallId: 'c-1', isError: true, content: [{ type: 'text', text: 'no such file' }] }] } },
  'a result as a message of the tool': { message: { role: 'tool', toolCallId: 'c-1', isError: true, content: [{ type: 'text', text: 'no such file' }] } },
  'a result as a message of the tool, its content a text': { message: { role: 'tool', toolCallId: 'c-1', isError: true, content: 'no such file' } },
}
const kept = (log: LogEvent[]): Partial<Session> => ({ events: log })
const copied = (log: LogEvent[]): Partial<Session> => ({ snapshotEvents: () => log })

for (const [name, data] of Object.entries(results)) {
  for (const [shape, of] of Object.entries({ 'a list that is kept': kept, 'a snapshot that is made': copied })) {
    test(`${name} is read from ${shape}`, () => {
      const log = [...call, { type: 'tool/result', seq: 3, time: 4, data }]
      const session: Session = { id: 's-1', header: { cwd: '/repo' }, ...of(log) }
      assert.equal(eventsOf(session).length, 4)
      assert.equal(nextSeqOf(session), 4)
      const { turn } = readTurn(session, 1, 0, 100, () => false)
      assert.deepEqual(turn.events, [
        { kind: 'human', seq: 1, turn: 1, at: 2, text: 'run the tests', zone: 'Asia/Shanghai' },
        { kind: 'tool-call', seq: 2, turn: 1, callId: 'c-1', tool: 'bash', arguments: '{"command":"npm test"}' },
        { kind: 'tool-result', seq: 3, turn: 1, at: 4, callId: 'c-1', tool: 'bash', isError: true, denied: false, text: 'no such file' },
      ])
    })
  }
}

test('a session without a log is an empty one', () => {
  const session: Session = { id: 's-1', header: {} }
  assert.deepEqual(eventsOf(session), [])
  assert.equal(nextSeqOf(session), 0)
})
