// The memory as a library, from the package's root: plain Node, no host.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as library from '../dist/index.js'
import type { JudgeReply, JudgeRequest, Settings } from '../dist/index.js'
import { fakeKey } from './jev/jev.ts'
import { JevServer } from './jev/server.ts'

function folder(t: TestContext): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'jev-library-'))
  t.after(() => { rmSync(dataDir, { recursive: true, force: true }) })
  return dataDir
}

async function opened(t: TestContext, settings: Settings): Promise<library.Memory> {
  const memory = await library.open(settings)
  t.after(() => memory.close())
  return memory
}

/** A judge that finds the first head, and says `action` wherever that is offered. */
const judge = (action: string) => ({ questions }: JudgeRequest): JudgeReply => ({
  answers: Object.fromEntries(Object.entries(questions).map(([id, { criteria }]) => {
    const names = Object.keys(criteria)
    const choice = id.endsWith('_target') ? names[1] ?? 'NONE' : names.includes(action) ? action : names[0] ?? ''
    return [id, { type: 'choice', choice, confidence: 0.9 }]
  })),
})

const thrown = async (work: Promise<unknown>, name: string, status: number, says: RegExp): Promise<void> => {
  await assert.rejects(work, error => {
    assert.ok(error instanceof library.MemoryError, String(error))
    assert.deepEqual([error.name, error.status], [name, status], error.message)
    assert.ok(error instanceof (library as unknown as Record<string, typeof library.MemoryError>)[name]!)
    assert.match(error.message, says)
    return true
  })
}

test('a life of a memory: add, replace, history, repeat across a restart, search, change, remove', async t => {
  const dataDir = folder(t)
  const settings: Settings = { dataDir, judge: judge('OVERRIDE') }
  const memory = await opened(t, settings)
  const first = await memory.add('Mara lives in Porto.', { scope: 'mara', requestId: 'turn-1' })
  assert.deepEqual([first.status, first.decisions[0]?.updateType], ['committed', 'SUPPLEMENT'])
  const second = await memory.add([{ role: 'system', content: 'Be kind.' }, { role: 'user', content: 'Mara lives in Faro now.' }], { scope: 'mara', memoryAt: new Date() })
  assert.deepEqual([second.decisions[0]?.updateType, second.decisions[0]?.targets], ['OVERRIDE', first.decisions[0]?.proposalIds])
  await memory.close()

  const again = await opened(t, settings)
  assert.deepEqual(await again.add('Mara lives in Porto.', { scope: 'mara', requestId: 'turn-1' }), first)
  await thrown(again.add('Mara lives in Braga.', { scope: 'mara', requestId: 'turn-1' }), 'IdempotencyConflictError', 409, /another input/)
  const found = await again.search('where does Mara live', { scope: 'mara', rawLimit: 2 })
  assert.deepEqual(found.memories.map(item => item.text), ['Mara lives in Faro now.'])
  assert.equal(found.raw.length, 2)
  assert.ok(found.raw.every(item => (item.score ?? 1) <= 0.5))
  const flat = await again.flatten(found)
  assert.deepEqual(flat.map(item => item.layer), ['L1_FACT', 'L0_RAW', 'L0_RAW'])
  assert.match(await again.format(found), /^- \[\d{4}-\d\d-\d\d\] Mara lives in Faro now\. \(previously, .*: Mara lives in Porto\.\)\n/)
  const updated = await again.update(flat[0]!.id, 'Mara lives in Olhão.')
  assert.equal((await again.get(flat[0]!.id))?.isLatest, false)
  assert.equal((await again.list({ scope: 'mara', includeHistory: true })).length, 3)
  await again.delete(updated.id)
  assert.deepEqual(await again.list({ scope: 'mara' }), [])
  assert.ok((await again.deleteBulk({ scope: 'mara', confirm: true })).removed > 0)
  for (const name of readdirSync(dataDir).filter(name => name.endsWith('.json') || name.endsWith('.jsonl'))) {
    assert.doesNotMatch(readFileSync(join(dataDir, name), 'utf8'), /Porto|Faro|Olhão/, name)
  }
})

test('what is refused has its own class, code and status', async t => {
  const dataDir = folder(t)
  await thrown(library.open({ dataDir, contentHashDedup: true } as Settings), 'SettingsError', 422, /`contentHashDedup` was removed/)
  await thrown(library.open({ dataDir, jev: { model: 'x' } } as unknown as Settings), 'SettingsError', 422, /`jev` is nested/)
  await thrown(library.open({ dataDir, colour: 'red' } as unknown as Settings), 'SettingsError', 422, /`colour` is no setting/)
  const theirs = folder(t)
  writeFileSync(join(theirs, 'versions.db'), 'SQLite format 3')
  await thrown(library.open({ dataDir: theirs }), 'ForeignFormatError', 422, /versions\.db/)
  assert.deepEqual(readdirSync(theirs), ['versions.db'])
  const memory = await opened(t, { dataDir, judge: () => ({ answers: { other: { type: 'choice', choice: 'NONE' } } }) })
  await memory.add('Mara lives in Porto.', { scope: 'mara' })
  await thrown(memory.add('Mara lives in Faro.', { scope: 'mara' }), 'JudgeContractError', 422, /not asked/)
  await thrown(memory.get(''), 'InputError', 422, /`id`/)
  await thrown(memory.add('Mara sings.', { scope: 'mara', memoryAt: new Date('soon') }), 'InputError', 422, /`memoryAt`/)
  await thrown(memory.update('m-nobody', 'x'), 'NotFoundError', 422, /no such memory/)
  const failing = await opened(t, { dataDir, judge: () => { throw new Error('out of order') } })
  await thrown(failing.add('Mara lives in Faro.', { scope: 'mara' }), 'JudgeUnavailableError', 409, /out of order/)
})

test('a model and vectors of the caller\'s own are used', async t => {
  const prompts: string[] = []
  const memory = await opened(t, {
    dataDir: folder(t),
    judge: judge('CONFLICT'),
    llm: ({ prompt }) => {
      prompts.push(prompt)
      const quote = /I live in \w+\./.exec(prompt)?.[0] ?? ''
      return JSON.stringify({ candidates: [{ text: quote.replace('I live', 'The user lives'), quote }] })
    },
    embed: texts => texts.map(text => [text.includes('lives') ? 1 : 0, 0.1, 0.2]),
  })
  await memory.add('I live in Porto.', { scope: 'u' })
  const second = await memory.add('I live in Faro.', { scope: 'u' })
  assert.equal(prompts.length, 2)
  assert.equal(second.decisions[0]?.updateType, 'CONFLICT')
  const found = await memory.search('who lives where', { scope: 'u' })
  assert.deepEqual(found.memories.map(item => item.conflicts?.length), [1, 1])
  assert.equal(found.memories[0]?.by, 'model')
  assert.match(await memory.format(found), /conflicts, both unretracted: The user lives in/)
})

test('with Jev, sixteen calls at once leave every statement in one chain or by itself, four requests at a time', async t => {
  const key = fakeKey()
  const server = await JevServer.start(key)
  t.after(() => server.close())
  const dataDir = folder(t)
  const memory = await opened(t, { dataDir, jevApiKey: key, jevEndpoint: server.url, jevModel: 'jev-1.13.0' })
  await memory.add('The port of the service is 8000.', { scope: 's' })
  const results = await Promise.allSettled(Array.from({ length: 16 }, (_, n) =>
    memory.add(`The port of the service is ${8001 + n}.`, { scope: n < 8 ? 's' : `s${n}` })))
  for (const result of results) {
    // The stub's answers come from a hash: any legal action is right, an error is not.
    assert.equal(result.status, 'fulfilled', String(result.status === 'rejected' && result.reason))
  }
  assert.ok(server.mostOpen <= 4, String(server.mostOpen))
  assert.ok(server.asked.length > 0)
  assert.doesNotMatch(readFileSync(join(dataDir, 'ledger.jsonl'), 'utf8'), new RegExp(key))
  // A chain has one head: what was replaced is nobody's latest.
  for (const item of await memory.list({ scope: 's', includeHistory: true })) {
    if (item.supersededBy.length > 0) assert.equal(item.isLatest, false)
    if (item.isLatest) assert.equal(item.supersededBy.length, 0)
  }
  const other = await opened(t, { dataDir: folder(t), jevApiKey: key, jevEndpoint: server.url, jevModel: 'nobody-1' })
  await other.add('The port of the service is 8000.', { scope: 's' })
  await thrown(other.add('The port of the service is 9000.', { scope: 's' }), 'JudgeUnavailableError', 409, /jev-refused/)
})

/** A conversation in which a tool was called; what it answered may be nowhere. */
const OUTPUT = 'quokka-7731 stack trace'
const coding = (said: string): library.Message[] => [
  { role: 'user', content: said },
  { role: 'assistant', content: 'Done that way.', tool_calls: [{ id: 'c1', function: { name: 'edit', arguments: JSON.stringify({ file_path: 'src/clock.ts', new: 'x' }) } }] },
  { role: 'tool', content: OUTPUT },
]
const candidate = (task: string, solution: string): object =>
  ({ task, search_keys: ['time zone'], solution, boundary_envs: ['Node 24'], boundary_scope: 'project', confidence: 0.8 })

test('a coding conversation leaves a procedure, which is replaced, searched and forgotten like other memories', async t => {
  const dataDir = folder(t)
  const said: string[] = []
  let atOnce = 0, mostAtOnce = 0
  const settings: Settings = {
    dataDir,
    judge: request => {
      said.push(JSON.stringify(request))
      return 'scene' in request.questions ? { answers: { scene: { type: 'choice', choice: 'CODING' } } } : judge('OVERRIDE')({
        ...request, questions: Object.fromEntries(Object.entries(request.questions).map(([id, question]) =>
          // The first head, not several.
          [id, id.endsWith('_target') ? { ...question, criteria: Object.fromEntries(Object.entries(question.criteria).filter(([name]) => name !== 'MULTIPLE')) } : question])),
      })
    },
    llm: async ({ system, prompt }) => {
      said.push(system, prompt)
      mostAtOnce = Math.max(mostAtOnce, ++atOnce)
      await new Promise(done => { setTimeout(done, 20) })
      atOnce -= 1
      const way = /with (\w+ \w+)/.exec(prompt)?.[1] ?? ''
      return JSON.stringify({ candidates: system.includes('You take procedures') ? [candidate('Fix the clock test', `Fix it with ${way}`)] : [] })
    },
  }
  const memory = await opened(t, settings)
  const place = { scope: 's', workspace: 'shop', branch: 'main', sessionId: 's-1' }
  const first = await memory.add(coding('Fix the clock test with fixed zones.'), { ...place, requestId: 'turn-1' })
  assert.deepEqual([first.status, first.scene, first.procedureIds.length], ['committed', 'coding', 1])
  assert.deepEqual(first.extraNodeIds, first.procedureIds)
  assert.equal(mostAtOnce, 2)
  const second = await memory.add(coding('Fix the clock test with fake timers.'), place)
  const [decision] = second.decisions
  assert.deepEqual([decision?.path, decision?.updateType, decision?.targets], ['procedure', 'OVERRIDE', first.procedureIds])
  const [head, ...others] = await memory.list({ scope: 's', kind: 'procedure' })
  assert.ok(head?.procedure)
  assert.deepEqual([head.id, others.length], [second.procedureIds[0], 0])
  assert.deepEqual(head.procedure, {
    task: 'Fix the clock test', searchKeys: ['time zone'], solution: 'Fix it with fake timers', boundaryEnvs: ['Node 24'], boundaryScope: 'project',
    confidence: 0.8, files: ['src/clock.ts'], workspace: 'shop', branch: 'main', session: 's-1',
  })
  await memory.close()

  const again = await opened(t, settings)
  assert.deepEqual(await again.add(coding('Fix the clock test with fixed zones.'), { ...place, requestId: 'turn-1' }), first)
  assert.deepEqual((await again.search('clock test', { scope: 's' })).procedures, [])
  const found = await again.search('clock test', { scope: 's', procedureLimit: 3 })
  assert.deepEqual([found.memories, found.procedures.map(item => item.previous?.length)], [[], [1]])
  assert.match(await again.format(found), /^- \[procedure [\d-]+\] Fix the clock test: Fix it with fake timers \(needs: Node 24\) \(files: src\/clock\.ts\) \(previously/)
  assert.deepEqual((await again.search('weather forecast', { scope: 's', procedureLimit: 3 })).procedures, [])
  assert.ok(said.every(text => !text.includes('quokka')))
  const files = (): string => readdirSync(dataDir).filter(name => /\.jsonl?$/.test(name)).map(name => readFileSync(join(dataDir, name), 'utf8')).join('')
  assert.doesNotMatch(files(), /quokka/)
  await again.deleteBulk({ scope: 's', confirm: true })
  assert.doesNotMatch(files(), /timers|clock\.ts|time zone|Node 24/)
  await thrown(again.add(coding('Fix it.'), { scope: 's', branch: '' }), 'InputError', 422, /`branch`/)
})

test('with Jev, the scene is one choice, and whatever is answered about procedures is legal', async t => {
  const key = fakeKey()
  const server = await JevServer.start(key)
  t.after(() => server.close())
  const ways = ['fixed zones', 'fake timers', 'a frozen date', 'one locale', 'no clock']
  const memory = await opened(t, {
    dataDir: folder(t), jevApiKey: key, jevEndpoint: server.url, jevModel: 'jev-1.13.0',
    llm: ({ system, prompt }) => {
      const way = ways.find(way => prompt.includes(way)) ?? ''
      return JSON.stringify({ candidates: system.includes('You take procedures') ? [candidate('Fix the clock test', `Fix it with ${way}`)] : [] })
    },
  })
  const results = await Promise.all(ways.flatMap(way => ['main', 'next'].map(branch => memory.add(coding(`Fix the clock test with ${way}.`), { scope: 's', branch }))))
  const scenes = server.asked.filter(({ questions }) => 'scene' in questions)
  assert.equal(scenes.length, results.length)
  for (const { questions } of scenes) assert.deepEqual(Object.keys(questions), ['scene'])
  // The stub answers from a hash, so some are one and some the other.
  assert.deepEqual(new Set(results.map(({ scene }) => scene)), new Set(['chat', 'coding']))
  for (const { scene, procedureIds, failed } of results) {
    assert.equal(failed, undefined)
    if (scene === 'chat') assert.deepEqual(procedureIds, [])
  }
  assert.ok(server.mostOpen <= 4, String(server.mostOpen))
  assert.doesNotMatch(JSON.stringify(server.asked), /quokka/)
})

test('every refusal of the core has its class at the root of the package', () => {
  const text = readFileSync(new URL('../crate/src/decide/error.rs', import.meta.url), 'utf8')
  const names = [...text.matchAll(/"(\w+Error)",\s*"[a-z-]+",\s*(?:409|422)/g)].map(match => match[1]!)
  assert.equal(names.length, 11)
  for (const name of names) assert.equal(typeof (library as Record<string, unknown>)[name], 'function', name)
})
