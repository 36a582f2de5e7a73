// Serves the databases of a folder at a Unix socket. The front, in Go, has checked the
// credentials of each request. express-pouchdb answers all requests about documents; this
// program adds rules about databases that express-pouchdb lacks.
//
//   node server.js DATA SOCKET
'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const crypto = require('node:crypto')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')

const couch = require('express-pouchdb')
const { getOrCreateDB } = require('express-pouchdb/lib/create-or-delete-dbs')
const utils = require('express-pouchdb/lib/utils')
const PouchDB = require('pouchdb-core')
const mapreduce = require('pouchdb-mapreduce')

const [data, descriptor] = process.argv.slice(2)

// express-pouchdb would name a host and a port, which a Unix socket does not have.
utils.setLocation = (response, where) => response.location('/' + where)

PouchDB.plugin(require('pouchdb-adapter-leveldb')).plugin(mapreduce)
// express-pouchdb passes options, which the original takes for the callback.
PouchDB.plugin({ viewCleanup (_, callback) { return mapreduce.viewCleanup.call(this, callback) } })
const Databases = PouchDB.defaults({ adapter: 'leveldb', prefix: data + path.sep })

// Each database is a folder, and so is each index, whose name begins with that of its
// database. express-pouchdb would keep a list, which can differ from the folders after a
// kill.
Databases.allDbs = async () => {
  const entries = await fs.promises.readdir(data)
  return entries.filter((name) => !name.includes('-mrview-')).sort()
}

const documents = couch(Databases, {
  mode: 'minimumForPouchDB',
  overrideMode: { include: ['routes/find'], exclude: ['compression'] },
})

// Databases are created and deleted one at a time, so that one of two creations fails.
let last = Promise.resolve()

async function changeDatabases(request, response, name) {
  const before = last
  last = new Promise((resolve) => response.once('close', resolve))
  await before
  if (request.method === 'PUT' && (!/^[a-z][a-z0-9_$()+-]*$/.test(name) || name.includes('-mrview-'))) {
    return answer(response, 400, {
      error: 'illegal_database_name',
      reason: "Only lowercase letters (a-z), digits (0-9), and any of the characters _, $, (, ), + and - are allowed. Must begin with a letter.",
    })
  }
  if (request.method === 'DELETE' && !(await Databases.allDbs()).includes(name)) {
    return answer(response, 404, { error: 'not_found', reason: 'Database does not exist.' })
  }
  pass(request, response)
}

// deleteDocument deletes a revision of a document. express-pouchdb would delete the newest one
// if the request names none.
async function deleteDocument(response, name, id, revision) {
  if (!(await Databases.allDbs()).includes(name)) {
    return answer(response, 404, { error: 'not_found', reason: 'Database does not exist.' })
  }
  const database = await getOrCreateDB(Databases, name)
  answer(response, 200, await database.remove({ _id: id, _rev: revision }))
}

function pass(request, response) {
  documents(request, response, (error) => failed(response, error))
}

// failed refuses a request with an error of PouchDB. Other errors mean that express-pouchdb did
// not expect the form of the request.
function failed(response, error) {
  if (response.headersSent) {
    return response.destroy()
  }
  answer(response, error?.status ?? 400, {
    error: error?.error ? error.name : 'bad_request',
    reason: String(error?.message ?? error),
  })
}

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body) + '\n')
}

// express-pouchdb may throw at any time while it handles a request. That request is refused,
// and the others continue.
const handled = new AsyncLocalStorage()
process.on('uncaughtException', (error) => {
  const response = handled.getStore()
  if (!response) {
    console.error(error)
    process.exit(1)
  }
  failed(response, error)
})

const server = http.createServer((request, response) => handled.run(response, handle, request, response))

function handle(request, response) {
  // For clients that accept both, express-pouchdb labels JSON as text, which nano does not
  // parse.
  if ((request.headers.accept ?? '*/*').includes('*/*')) {
    request.headers.accept = 'application/json'
  }
  const match = request.headers['if-match']
  if (match && ['PUT', 'DELETE'].includes(request.method) && !/[?&]rev=/.test(request.url)) {
    request.url += (request.url.includes('?') ? '&' : '?') + 'rev=' + encodeURIComponent(match.replace(/"/g, ''))
  }
  const [where, query] = request.url.split('?')
  if (where === '/_up') {
    return answer(response, 200, { status: 'ok' })
  }
  if (where === '/_uuids') {
    const count = Math.min(Number(new URLSearchParams(query).get('count') ?? 1) || 0, 1000)
    return answer(response, 200, { uuids: Array.from({ length: count }, () => crypto.randomBytes(16).toString('hex')) })
  }
  // express-pouchdb expects a different form of parts than CouchDB, and would crash.
  if ((request.headers['content-type'] ?? '').startsWith('multipart/')) {
    return answer(response, 415, { error: 'bad_content_type', reason: 'Attachments are sent one by one or within the document.' })
  }
  const [name, ...rest] = where.slice(1).split('/')
  if (name !== '' && rest.join('') === '' && ['PUT', 'DELETE'].includes(request.method)) {
    return changeDatabases(request, response, decoded(name)).catch((error) => failed(response, error))
  }
  if (request.method === 'DELETE' && (rest.length === 1 || (rest.length === 2 && ['_design', '_local'].includes(rest[0])))) {
    const revision = new URLSearchParams(query).get('rev') ?? undefined
    return deleteDocument(response, decoded(name), decoded(rest.join('/')), revision).catch((error) => failed(response, error))
  }
  pass(request, response)
}

// decoded decodes a name in a URL. It returns '', which no database has, for an invalid one.
function decoded(name) {
  try {
    return decodeURIComponent(name)
  } catch {
    return ''
  }
}

server.listen({ fd: Number(descriptor) })
