// An OpenID Connect provider for tests: npm oidc-provider with a login page where one types a login name, and no consent page.
// Its configuration is the first line of standard input, in JSON; it prints its issuer, and ends when standard input closes.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import Provider from 'oidc-provider'

const input = createInterface({ input: process.stdin })
const config = JSON.parse(await new Promise((resolve) => input.once('line', resolve)))
input.once('close', () => process.exit(0))

const server = createServer()
await new Promise((resolve) => server.listen(config.port, '127.0.0.1', resolve))
const issuer = `http://127.0.0.1:${server.address().port}`

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const provider = new Provider(issuer, {
  clients: [{
    client_id: config.clientID,
    client_secret: config.clientSecret,
    redirect_uris: config.redirectURIs,
    token_endpoint_auth_method: config.secretInForm ? 'client_secret_post' : 'client_secret_basic',
  }],
  clientAuthMethods: [config.secretInForm ? 'client_secret_post' : 'client_secret_basic'],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: randomBytes(8).toString('hex') }] },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  conformIdTokenClaims: !config.claimsInToken, // true: the address is at userinfo only
  pkce: { required: () => config.requirePKCE },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (ctx, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (ctx, login) => config.users[login] && {
    accountId: login,
    claims: () => ({ sub: login, ...config.users[login] }),
  },
  // A grant made on the spot stands for a person who has agreed already.
  loadExistingGrant: async (ctx) => {
    const grant = new ctx.oidc.provider.Grant({ clientId: ctx.oidc.client.clientId, accountId: ctx.oidc.session.accountId })
    grant.addOIDCScope('openid email profile')
    await grant.save()
    return grant
  },
})

const page = (message) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Test provider</title>
<h1>Test provider</h1><p role="alert">${message}</p>
<form method="post"><label>Login name <input name="login" autofocus></label>
<button id="sign-in">Sign in</button> <button id="cancel" name="cancel" value="1">Cancel</button></form></html>`

async function interact(req, res) {
  await provider.interactionDetails(req, res) // throws when the interaction is not this browser's
  if (req.method !== 'POST') {
    return res.setHeader('Content-Type', 'text/html').end(page(''))
  }
  const chunks = []
  for await (const chunk of req) chunks.push(chunk)
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  if (form.get('cancel')) {
    return provider.interactionFinished(req, res, { error: 'access_denied', error_description: 'cancelled' })
  }
  if (!config.users[form.get('login')]) {
    return res.setHeader('Content-Type', 'text/html').end(page('No user has this name.'))
  }
  return provider.interactionFinished(req, res, { login: { accountId: form.get('login') } })
}

const rest = provider.callback()
server.on('request', (req, res) => {
  if (!req.url.startsWith('/interaction/')) return rest(req, res)
  interact(req, res).catch((error) => {
    res.statusCode = 400
    res.end(String(error))
  })
})
console.log(`issuer ${issuer}`)
