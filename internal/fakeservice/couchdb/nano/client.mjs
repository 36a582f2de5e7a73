// Drives a CouchDB through nano, its official JavaScript client. It prints one line for
// each step, and ends with an error at the first that fails.
//
// The environment says where CouchDB is: COUCHDB_URL has a user and a password.
// NODE_EXTRA_CA_CERTS names the file of its CA. A POST to DEEDS_URL with the name of a
// deed does it: `close` and `open` the allowlist, `kill` the server, `rotate` the password,
// which answers with the new URL.
import assert from 'node:assert/strict'
import nano from 'nano'

const { COUCHDB_URL, DEEDS_URL } = process.env

let steps = 0

async function step(name, does) {
  const began = performance.now()
  try {
    await does()
  } catch (error) {
    console.error(`failed: ${name}`)
    throw error
  }
  steps++
  console.log(`step: ${name} (${Math.round(performance.now() - began)} ms)`)
}

// refused expects a request to end with that error.
async function refused(asked, status, code) {
  let answer
  try {
    answer = await asked
  } catch (error) {
    assert.deepEqual([error.statusCode, error.error], [status, code], error.message)
    return
  }
  assert.fail(`it succeeded with ${JSON.stringify(answer)}, and ${status} ${code} was expected`)
}

async function deed(name) {
  const answer = await fetch(`${DEEDS_URL}/${name}`, { method: 'POST' })
  assert.equal(answer.status, 200, name)
  return answer.text()
}

// withUser is the URL of CouchDB with other credentials.
function withUser(user, password) {
  const url = new URL(COUCHDB_URL)
  url.username = user
  url.password = password
  return url.href
}

const server = nano(COUCHDB_URL)
let notes = server.use('notes')

await step('lists no databases of a new server', async () => {
  assert.deepEqual(await server.db.list(), [])
  assert.deepEqual(await server.request({ path: '_up' }), { status: 'ok' })
  assert.equal((await server.uuids(3)).uuids.length, 3)
})

await step('creates a database once', async () => {
  assert.deepEqual(await server.db.create('notes'), { ok: true })
  await refused(server.db.create('notes'), 412, 'file_exists')
  await refused(server.db.create('Notes'), 400, 'illegal_database_name')
  assert.deepEqual(await server.db.list(), ['notes'])
  assert.equal((await notes.info()).db_name, 'notes')
  await refused(server.use('other').get('a'), 404, 'not_found')
})

await step('refuses a wrong password and user, and none', async () => {
  const { username, password } = new URL(COUCHDB_URL)
  for (const url of [withUser(username, 'wrong'), withUser('root', password), withUser('', '')]) {
    await refused(nano(url).db.list(), 401, 'unauthorized')
    await refused(nano(url).use('notes').insert({}), 401, 'unauthorized')
    await refused(nano(url).db.destroy('notes'), 401, 'unauthorized')
  }
})

await step('signs in for a cookie', async () => {
  const { username, password } = new URL(COUCHDB_URL)
  const client = nano(withUser('', ''))
  await refused(client.auth(username, 'wrong'), 401, 'unauthorized')
  assert.equal((await client.auth(username, decodeURIComponent(password))).ok, true)
  assert.equal((await client.session()).userCtx.name, username)
  assert.deepEqual(await client.db.list(), ['notes'])
})

let first

await step('inserts, reads and changes a document', async () => {
  first = await notes.insert({ text: 'first', n: 1 }, 'one')
  assert.deepEqual([first.ok, first.id, first.rev.slice(0, 2)], [true, 'one', '1-'])
  assert.deepEqual(await notes.get('one'), { _id: 'one', _rev: first.rev, text: 'first', n: 1 })
  const second = await notes.insert({ _rev: first.rev, text: 'second', n: 1 }, 'one')
  assert.equal(second.rev.slice(0, 2), '2-')
  assert.equal((await notes.get('one')).text, 'second')
  const { id } = await notes.insert({ text: 'named by the server' })
  await notes.destroy(id, (await notes.get(id))._rev)
  await refused(notes.get(id), 404, 'not_found')
})

await step('keeps revisions', async () => {
  assert.equal((await notes.get('one', { rev: first.rev })).text, 'first')
  const { _revisions } = await notes.get('one', { revs: true })
  assert.deepEqual([_revisions.start, _revisions.ids.length], [2, 2])
  const { _revs_info } = await notes.get('one', { revs_info: true })
  assert.deepEqual(_revs_info.map((r) => r.status), ['available', 'available'])
})

await step('refuses a conflicting change', async () => {
  await refused(notes.insert({ text: 'late' }, 'one'), 409, 'conflict')
  await refused(notes.insert({ _rev: first.rev, text: 'late' }, 'one'), 409, 'conflict')
  await refused(notes.destroy('one', first.rev), 409, 'conflict')
})

await step('keeps both sides of a conflict, and resolves it', async () => {
  const winner = (await notes.get('one'))._rev
  await notes.bulk({ new_edits: false, docs: [{ _id: 'one', _rev: '2-0', text: 'elsewhere', _revisions: { start: 2, ids: ['0', first.rev.slice(2)] } }] })
  const both = await notes.get('one', { conflicts: true })
  assert.deepEqual([both._rev, both._conflicts], [winner, ['2-0']])
  assert.equal((await notes.get('one', { rev: '2-0' })).text, 'elsewhere')
  await notes.destroy('one', '2-0')
  assert.equal((await notes.get('one', { conflicts: true }))._conflicts, undefined)
})

await step('writes many documents at once', async () => {
  const docs = Array.from({ length: 20 }, (_, n) => ({ _id: `many-${String(n).padStart(2, '0')}`, n, kind: n % 2 ? 'odd' : 'even' }))
  const answers = await notes.bulk({ docs: [...docs, { _id: 'one', text: 'late' }] })
  assert.deepEqual(answers.map((a) => a.error).filter(Boolean), ['conflict'])
  assert.equal(answers.filter((a) => a.ok).length, 20)
})

await step('lists and fetches documents', async () => {
  const list = await notes.list({ startkey: 'many-05', endkey: 'many-07', include_docs: true })
  assert.deepEqual(list.rows.map((row) => row.doc.n), [5, 6, 7])
  const found = await notes.fetch({ keys: ['many-01', 'none'] })
  assert.deepEqual([found.rows[0].doc.n, found.rows[1].error], [1, 'not_found'])
})

await step('finds documents by a selector, without and with an index', async () => {
  const query = { selector: { kind: 'odd', n: { $gt: 10 } }, fields: ['_id', 'n'] }
  const without = await notes.find(query)
  assert.deepEqual(without.docs.map((d) => d.n).sort((a, b) => a - b), [11, 13, 15, 17, 19])
  await refused(notes.find({ selector: { n: { $gt: 10 } }, sort: [{ n: 'desc' }] }), 400, 'bad_request')
  assert.equal((await notes.createIndex({ index: { fields: ['n'] }, name: 'by-n' })).result, 'created')
  assert.equal((await notes.createIndex({ index: { fields: ['n'] }, name: 'by-n' })).result, 'exists')
  const sorted = await notes.find({ selector: { n: { $gt: 16 } }, sort: [{ n: 'desc' }], limit: 2 })
  assert.deepEqual(sorted.docs.map((d) => d.n), [19, 18])
})

await step('answers a view', async () => {
  await notes.insert({ views: { kinds: { map: 'function (doc) { if (doc.kind) emit(doc.kind, doc.n) }', reduce: '_sum' } } }, '_design/all')
  const { rows } = await notes.view('all', 'kinds', { group: true })
  assert.deepEqual(rows.map((r) => [r.key, r.value]), [['even', 90], ['odd', 100]])
  assert.equal((await notes.view('all', 'kinds', { reduce: false, key: 'odd' })).rows.length, 10)
})

await step('reports changes since a moment', async () => {
  const { last_seq } = await notes.changes({})
  await notes.insert({ text: 'new' }, 'changed')
  const { results } = await notes.changes({ since: last_seq, include_docs: true })
  assert.deepEqual(results.map((r) => [r.id, r.doc.text]), [['changed', 'new']])
})

await step('follows changes as they come', async () => {
  const { last_seq } = await notes.changes({})
  const reader = notes.changesReader
  const seen = new Promise((resolve, reject) => {
    reader.start({ since: last_seq, wait: false }).on('change', resolve).on('error', reject)
  })
  await notes.insert({ text: 'live' }, 'followed')
  assert.equal((await seen).id, 'followed')
  reader.stop()
})

const picture = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 256))

await step('stores, reads and deletes attachments', async () => {
  const text = await notes.attachment.insert('attached', 'hello.txt', Buffer.from('hello'), 'text/plain')
  const both = await notes.attachment.insert('attached', 'a picture.png', picture, 'image/png', { rev: text.rev })
  assert.equal((await notes.attachment.get('attached', 'hello.txt')).toString(), 'hello')
  assert.deepEqual(await notes.attachment.get('attached', 'a picture.png'), picture)
  const { _attachments } = await notes.get('attached')
  assert.deepEqual(Object.entries(_attachments).map(([name, a]) => [name, a.content_type, a.length, a.stub]).sort(), [
    ['a picture.png', 'image/png', picture.length, true], ['hello.txt', 'text/plain', 5, true],
  ])
  await notes.attachment.destroy('attached', 'hello.txt', { rev: both.rev })
  await refused(notes.attachment.get('attached', 'hello.txt'), 404, 'not_found')
  await notes.insert({ _attachments: { 'part.txt': { content_type: 'text/plain', data: Buffer.from('a part').toString('base64') } } }, 'parts')
  assert.equal((await notes.attachment.get('parts', 'part.txt')).toString(), 'a part')
  await refused(notes.multipart.insert({}, [{ name: 'part.txt', data: 'a part', content_type: 'text/plain' }], 'more'), 415, 'bad_content_type')
})

await step('is cut off outside the allowlist', async () => {
  await deed('close')
  await assert.rejects(notes.get('one'), (error) => error.statusCode === undefined || error.statusCode >= 500)
  await deed('open')
  assert.equal((await notes.get('one')).text, 'second')
})

// untilAnswered repeats a request whose connection was cut.
async function untilAnswered(asks) {
  for (;;) {
    try {
      return await asks()
    } catch (error) {
      if (error.statusCode === 401 || error.statusCode === 404) throw error
    }
  }
}

await step('finds all data after the server was killed', async () => {
  const before = await notes.info()
  await deed('kill')
  const after = await untilAnswered(() => notes.info())
  assert.deepEqual([after.doc_count, after.update_seq], [before.doc_count, before.update_seq])
  assert.deepEqual(await notes.attachment.get('attached', 'a picture.png'), picture)
  assert.equal((await notes.find({ selector: { n: { $gt: 16 } }, sort: [{ n: 'desc' }] })).docs.length, 3)
})

await step('takes only the new password after a rotation', async () => {
  const rotated = nano(await deed('rotate'))
  await refused(notes.get('one'), 401, 'unauthorized')
  notes = rotated.use('notes')
  assert.equal((await notes.get('one')).text, 'second')
  assert.deepEqual(await rotated.db.destroy('notes'), { ok: true })
  await refused(rotated.db.destroy('notes'), 404, 'not_found')
  assert.deepEqual(await rotated.db.list(), [])
})

console.log(`steps: ${steps}`)
