"""/docs: the API on one page that needs no other machine. It reads /openapi.json and shows each group's operations."""

from __future__ import annotations

import base64
import hashlib

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from bio_agent_ops.docs_text import describe

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h2{margin-top:2.2rem;border-bottom:1px solid #ccc}details{border:1px solid #ddd;border-radius:6px;margin:.4rem 0}
summary{cursor:pointer;padding:.45rem .7rem}summary b{display:inline-block;width:3.6rem;color:#0a5}
summary b.post{color:#a50}summary code{margin-right:.8rem}.in{padding:.2rem 1rem 1rem}table{border-collapse:collapse}
td,th{text-align:left;padding:.15rem .9rem .15rem 0;vertical-align:top;border-bottom:1px solid #eee}
pre{background:#f5f5f3;padding:.6rem;overflow:auto;border-radius:4px;white-space:pre-wrap}
textarea{width:100%;height:7rem;font:13px monospace}input{font:13px monospace;width:16rem}.dim{color:#666}
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}pre,textarea,input{background:#222;color:#ddd}
details,h2,td,th{border-color:#444}.dim{color:#999}}
"""

_SCRIPT = r"""
const el = (name, text, cls) => {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (cls) e.className = cls;
  return e;
};
const put = (parent, ...children) => { parent.append(...children); return parent; };
let doc;
const at = s => s && s.$ref ? s.$ref.slice(2).split('/').reduce((o, k) => o[k], doc) : (s || {});
function kind(s) {
  const name = s && s.$ref ? s.$ref.split('/').pop() : '';
  if (name) return name;
  s = s || {};
  if (s.enum) return s.enum.join(' | ');
  if (s.const !== undefined) return String(s.const);
  const several = s.anyOf || s.oneOf || s.allOf;
  if (several) return several.map(kind).join(' or ');
  if (s.type === 'array') return 'list of ' + kind(s.items);
  return [].concat(s.type || 'anything').join(' or ') + (s.format ? ' (' + s.format + ')' : '');
}
function limits(s) {
  const names = {minimum: '≥', maximum: '≤', minLength: 'length ≥', maxLength: 'length ≤', maxItems: 'items ≤'};
  const found = Object.keys(names).filter(k => s[k] !== undefined).map(k => names[k] + ' ' + s[k]);
  if (s.default !== undefined && s.default !== '' && s.default !== null) found.push('default ' + JSON.stringify(s.default));
  return found.join(', ');
}
function table(rows) {
  const t = el('table');
  put(t, put(el('tr'), el('th', 'name'), el('th', 'is'), el('th', '')));
  for (const [name, schema, needed, said] of rows) {
    const note = [needed ? 'required' : '', limits(schema), said || schema.description || ''].filter(Boolean).join('; ');
    put(t, put(el('tr'), put(el('td'), el('code', name)), el('td', kind(schema)), el('td', note, 'dim')));
  }
  return t;
}
function objects(schema, seen) {
  const whole = at(schema);
  if (seen.has(whole)) return [];
  seen.add(whole);
  const deeper = [].concat(whole.anyOf || [], whole.oneOf || [], whole.allOf || [], whole.items ? [whole.items] : []);
  const own = whole.properties ? [whole] : [];
  return own.concat(...deeper.map(s => objects(s, seen)), ...Object.values(whole.properties || {}).map(s => objects(s, seen)));
}
function example(schema) {
  const first = objects(schema, new Set())[0];
  if (!first) return '{}';
  if (first.example) return JSON.stringify(first.example, null, 2);
  const value = s => { const t = kind(at(s)); return /integer|number/.test(t) ? 1 : /boolean/.test(t) ? true : /list/.test(t) ? [] :
    /object/.test(t) ? {} : (at(s).enum || ['…'])[0]; };
  return JSON.stringify(Object.fromEntries((first.required || []).map(k => [k, value(first.properties[k])])), null, 2);
}
function form(method, path, params, body) {
  const box = el('div'), fields = {};
  put(box, el('h4', 'Try it'));
  for (const p of params.filter(p => p.in !== 'header')) {
    fields[p.name] = put(el('input'));
    fields[p.name].placeholder = p.name;
    fields[p.name].setAttribute('aria-label', p.name);
    put(box, fields[p.name], el('span', ' '));
  }
  let text;
  if (body) {
    text = el('textarea');
    text.value = example(body);
    text.setAttribute('aria-label', 'request body');
    put(box, text);
  }
  const send = el('button', 'Send'), answer = el('pre');
  answer.hidden = true;
  send.addEventListener('click', async () => {
    let target = path;
    const query = new URLSearchParams();
    for (const p of params.filter(p => p.in !== 'header')) {
      const value = fields[p.name].value;
      if (p.in === 'path') target = target.replace('{' + p.name + '}', encodeURIComponent(value));
      else if (value) query.set(p.name, value);
    }
    const headers = {}, token = document.getElementById('token').value.trim();
    if (token) headers.Authorization = 'Bearer ' + token;
    if (body || method === 'post') headers['Content-Type'] = 'application/json';
    answer.hidden = false;
    answer.textContent = '…';
    try {
      const said = await fetch(target + (String(query) ? '?' + query : ''),
        {method: method.toUpperCase(), headers, body: body ? text.value : undefined});
      let shown = await said.text();
      try { shown = JSON.stringify(JSON.parse(shown), null, 2); } catch (_) {}
      answer.textContent = said.status + ' ' + said.statusText + '\n' + shown;
    } catch (error) { answer.textContent = String(error); }
  });
  return put(box, send, answer);
}
function operation(method, path, op) {
  const d = el('details'), head = el('summary'), inner = el('div', undefined, 'in');
  d.id = method + path;
  put(head, el('b', method.toUpperCase(), method), el('code', path), el('span', op.summary || '', 'dim'));
  if (op.description) put(inner, el('p', op.description));
  const params = op.parameters || [];
  if (params.length) put(inner, el('h4', 'Parameters'), table(params.map(p => [
    p.name + (p.in === 'query' ? '' : ' (' + p.in + ')'), p.schema || {}, p.required, p.description])));
  const body = op.requestBody && op.requestBody.content['application/json'].schema;
  if (body) {
    put(inner, el('h4', 'Request body' + (op.requestBody.required ? '' : ' (optional)')));
    put(inner, el('p', op.requestBody.description || kind(body), 'dim'));
    for (const one of objects(body, new Set())) {
      put(inner, el('p', (one.title || '') + (one.description ? ': ' + one.description : '')));
      put(inner, table(Object.entries(one.properties).map(([k, s]) => [k, s, (one.required || []).includes(k)])));
    }
  }
  d.addEventListener('toggle', () => { if (d.open && !d.dataset.made) { d.dataset.made = '1'; put(inner, form(method, path, params, body)); } });
  return put(d, head, inner);
}
fetch('/openapi.json').then(r => r.json()).then(found => {
  doc = found;
  const main = document.getElementById('operations'), groups = new Map((doc.tags || []).map(t => [t.name, []]));
  for (const [path, methods] of Object.entries(doc.paths)) for (const [method, op] of Object.entries(methods)) {
    const group = (op.tags || ['Other'])[0];
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(operation(method, path, op));
  }
  main.textContent = '';
  for (const [name, all] of groups) if (all.length) put(main, el('h2', name), ...all);
}).catch(error => { document.getElementById('operations').textContent = 'cannot read /openapi.json: ' + error; });
"""

PAGE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>bio-agent API</title><style>{_STYLE}</style></head><body>
<h1>bio-agent API</h1>
<p>Errors are <code>application/problem+json</code>. On loopback a call without a credential is one of the
tenant <code>default</code>; what only a person may do takes the owner's token (the file <code>owner.token</code> in the home).
As data: <a href="/openapi.json">/openapi.json</a>.</p>
<p><label>Token or key for “Try it”, kept in this page only: <input id="token" type="password" autocomplete="off"></label></p>
<div id="operations">reading /openapi.json …</div>
<script>{_SCRIPT}</script></body></html>
"""

# The page may run its own script and talk to its own service, and nothing else.
POLICY = (
    "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    f"frame-ancestors 'none'; script-src 'sha256-{base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()}'"
)


def add(app: FastAPI) -> None:
    """The page at /docs, and what it reads. The application is made with `docs_url=None, redoc_url=None`."""
    describe(app)

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        return HTMLResponse(PAGE, headers={"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"})
