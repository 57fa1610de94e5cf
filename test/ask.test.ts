// Measuring a judge that reads over a corpus file: asked, recorded, replayed.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { judged, type Service } from '../eval/ask.ts'
import { built, rows } from '../eval/core.ts'
import { scratch } from './host/home.ts'
import { JevServer } from './jev/server.ts'

interface Predicted { id: string, write: boolean, by: string, fault?: string, reason?: string, score: number }

const SENTENCES = ['The staging database is called heron.', 'What is the staging database called?', 'Never push to main on a Friday.', 'The relay is written in Zig.']
const INPUT = SENTENCES.map((sentence, at) => JSON.stringify({ id: `r${at}`, sentence, label: 1 })).join('\n')

test('an OpenAI-shaped model judges a file, and the recording gives the same without it', async t => {
  const bodies: { model: string, messages: { content: string }[] }[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', chunk => { text += String(chunk) })
    request.on('end', () => {
      const body = JSON.parse(text) as (typeof bodies)[number]
      bodies.push(body)
      const { sentences } = JSON.parse(body.messages[1]?.content ?? '{}') as { sentences: { id: number, sentence: string }[] }
      const labels = sentences.map(({ id, sentence }) => ({ id, remember: sentence.includes('heron') ? 0.95 : 0.1, type: 'decision', contradicts: null }))
      response.end(JSON.stringify({ choices: [{ message: { content: JSON.stringify(labels) } }], usage: { prompt_tokens: 90, completion_tokens: 9 } }))
    })
  })
  await new Promise<void>(done => { server.listen(0, '127.0.0.1', () => { done() }) })
  t.after(() => { server.close() })
  const record = join(scratch(t), 'recording.jsonl')
  const service: Service = { judge: 'host', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, model: 'm', key: undefined, record }
  const predict = built()
  const { predictions, cost } = await judged(predict, INPUT, service)
  const found = rows<Predicted>(predictions)
  assert.deepEqual(found.map(({ id }) => id), ['r0', 'r1', 'r2', 'r3'])
  assert.deepEqual(found.map(({ by }) => by), ['host', undefined, 'host', 'host'])
  assert.deepEqual(found.map(({ write }) => write), [true, false, false, false])
  assert.deepEqual([cost.requests, cost.inputTokens, bodies.length, bodies[0]?.model], [1, 90, 1, 'm'])
  assert.doesNotMatch(JSON.stringify(bodies), /label"/, 'no label is sent')
  const { record: _record, ...asked } = service
  const again = await judged(predict, INPUT, { ...asked, url: 'http://127.0.0.1:9', replay: record })
  assert.equal(again.predictions, predictions)
  assert.ok(existsSync(record) && readFileSync(record, 'utf8').split('\n').filter(Boolean).length === 1)
})

test('Jev judges a file, another wording is another question, and what fails is the offline judge\'s', async t => {
  const server = await JevServer.start()
  t.after(() => server.close())
  server.noul = 0.9
  const service: Service = { judge: 'jev', url: `${server.url}/v1/systemone`, model: '', key: undefined }
  const predict = built()
  const kept = rows<Predicted>((await judged(predict, INPUT, service)).predictions)
  assert.deepEqual(kept.map(({ write }) => write), [true, false, true, true])
  await judged(predict, INPUT, { ...service, wording: { remember: 'Is it blue?' } })
  const asked = server.asked.map(({ questions }) => (questions.c0_remember?.instructions as { question: string }).question)
  assert.deepEqual([asked.length, asked[1]], [2, 'Is it blue?'])
  server.always = { status: 401 }
  const { predictions, cost } = await judged(predict, INPUT, service)
  assert.equal(cost.failed, 1)
  assert.deepEqual(rows<Predicted>(predictions).map(({ by, fault }) => by === 'jev' || fault === undefined), [false, true, false, false])
})
