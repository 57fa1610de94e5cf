import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsetIn } from '../plugin/zone.ts'

const at = (text: string): number => Date.parse(text)

test('a zone is as far from UTC as its own tables say, on both sides of a change', () => {
  assert.equal(offsetIn('Asia/Shanghai', at('2026-11-30T16:30:00.250Z')), 480)
  assert.equal(offsetIn('America/New_York', at('2026-03-08T06:59:59Z')), -300)
  assert.equal(offsetIn('America/New_York', at('2026-03-08T07:00:00Z')), -240)
  assert.equal(offsetIn('America/New_York', at('2026-11-01T05:59:59Z')), -240)
  assert.equal(offsetIn('America/New_York', at('2026-11-01T06:00:00Z')), -300)
  assert.equal(offsetIn('Asia/Kolkata', at('2026-01-01T00:00:00Z')), 330)
  assert.equal(offsetIn('UTC', at('1969-12-31T23:59:59.999Z')), 0)
})

test('an unknown zone or time has no offset', () => {
  assert.equal(offsetIn('Nowhere/City', 0), undefined)
  assert.equal(offsetIn('UTC', Number.NaN), undefined)
})
